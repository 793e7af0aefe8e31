// atto serve: the page with the native engine and the store, for a browser on this machine.
#include <csignal>
#include <iostream>

#include "app/interrupt.h"
#include "app/studies.h"
#include "app/terminal/text.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/results/json.h"
#include "report/assets.h"
#include "serve/api/page.h"
#include "serve/api/study_server.h"

namespace atto {
namespace {

constexpr int kUsualPort = 8321;
constexpr int kPortsToTry = 20;

constexpr const char* kServeFooter = R"(Examples
  atto serve                                       prints a link; Ctrl-C ends it
  atto serve --port 0 --store mine.db              at any free port, with another store
  atto serve --allow-host hub.example.org          behind the proxy of a notebook server

Only this machine can reach it, and only who has the link: the token in it is new at every start. docs/serve.md has the rest.)";

void describe_serve(VerbOptions& options) {
  ServeOptions& serve = options.target().serve;
  options
      .whole("--port", serve.port, 0, 65'535,
             "where to listen; 0: any free port (default: " + std::to_string(kUsualPort) + ", or the next free one)")
      .list("--allow-host", serve.allowed_hosts, "NAME",
            "a name under which a proxy is reached by browsers; may be repeated")
      .preset("--address", serve.address, "IP", "where to listen; another one than this lets other machines in")
      .threads();
}

// Signals that ask the server to end. They are held back in all threads, so that the main thread can wait for them. A
// server that was started to outlive its terminal (nohup) does not hear of the terminal's end.
sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (signal != SIGHUP || action.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void stop_waiting_for(const sigset_t& signals) {
  watch_for_another_signal();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

void announce(const StudyServer& server, const Options& options) {
  if (options.json) {
    std::cout << json_text({{"url", server.url()}, {"port", server.port()}, {"token", server.token()}});
  } else {
    std::cout << "Open " << server.url() << "\n";
    if (assets::playground().empty())
      std::cout
          << "The page is not part of this program (`make page` builds it); its interface answers all the same.\n";
    if (options.serve.address != ServeOptions().address)
      std::cout << "Other machines can reach it at " << options.serve.address << ", unencrypted: whoever can read the "
                << "network can read the token.\n";
    std::cout << "Runs are kept in " << options.store << ". Ctrl-C ends the server.\n";
  }
  std::cout.flush();
}

int serve(const Options& options) {
  http::ServerOptions server;
  server.address = options.serve.address;
  server.port = options.serve.port < 0 ? kUsualPort : options.serve.port;
  server.ports_to_try = options.serve.port < 0 ? kPortsToTry : 1;
  server.allowed_hosts = options.serve.allowed_hosts;
  ApiOptions api;
  api.studies = studies_folder(options);
  api.store = options.store;
  api.page = served_page(assets::playground());
  api.threads = options.threads;
  api.checkpoint = options.checkpoint;
  list_studies(api.studies);  // a folder that is not there is said now

  std::signal(SIGPIPE, SIG_IGN);  // a client that goes is no reason to end
  const sigset_t signals = ending_signals();
  StudyServer running(server, api);
  announce(running, options);
  int received = 0;
  while (sigwait(&signals, &received) != 0) {
  }
  stop_waiting_for(signals);
  if (!options.json) std::cerr << "stopping; once more ends it at once" << std::endl;
  running.stop();
  return 0;
}

}  // namespace

Verb serve_verb() {
  return {.help = "The page with the native engine and the store, for a browser on this machine",
          .footer = kServeFooter,
          .describe = describe_serve,
          .perform = serve};
}

}  // namespace atto

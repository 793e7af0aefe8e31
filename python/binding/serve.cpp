#include "serve/api/study_server.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <unistd.h>

#include "base/error.h"
#include "bindings.h"
#include "live/ask.h"
#include "live/frame.h"
#include "report/assets.h"
#include "serve/api/page.h"
#include "serve/sessions/session.h"
#include "shared_store.h"
#include "without_gil.h"

namespace atto::python {
namespace {

// Something with threads of its own, none of which touches Python. It ends before the interpreter does, and in a forked
// process, which has none of its threads, it is left alone.
template <class Threaded>
class Owned : public Stoppable {
 public:
  explicit Owned(std::unique_ptr<Threaded> owned) : process_(getpid()), owned_(std::move(owned)) {}
  ~Owned() {
    if (process_ != getpid()) static_cast<void>(owned_.release());
  }

  Threaded& get() const {
    if (process_ != getpid())
      throw Error(ErrorKind::usage, "it belongs to another process", "a forked process starts its own");
    return *owned_;
  }
  void abandon() override {}
  void wait_until_over() override { end(); }

 protected:
  virtual void end() = 0;

 private:
  pid_t process_;
  std::unique_ptr<Threaded> owned_;
  Listed listed_{*this};
};

class PythonServer final : public Owned<StudyServer> {
 public:
  using Owned::Owned;
  void end() override {
    const std::lock_guard lock(mutex_);
    get().stop();
  }

 private:
  std::mutex mutex_;
};

class PythonSession final : public Owned<Session> {
 public:
  using Owned::Owned;
  void end() override {
    get().close();
    get().wait();
  }
};

// The store that results and studies of this process may have, too.
class SharedTurn final : public WrittenStore {
 public:
  explicit SharedTurn(const std::string& path) : store_(SharedStore::at(path, Store::Mode::write)) {}
  std::vector<std::string> notices() override { return store_->take_notices(); }
  Store* take(const std::atomic<bool>& stop, const std::function<void()>& on_wait) override {
    turn_ = std::unique_lock(store_->in_use, std::try_to_lock);
    if (!turn_.owns_lock()) on_wait();
    while (!turn_.owns_lock() && !stop) static_cast<void>(turn_.try_lock_for(kBetweenLooks));
    return turn_.owns_lock() ? &store_->open() : nullptr;
  }

 private:
  std::shared_ptr<SharedStore> store_;
  std::unique_lock<std::timed_mutex> turn_;
};

std::unique_ptr<PythonServer> serve(int port, int ports_to_try, const std::vector<std::string>& allowed_hosts,
                                    const std::string& studies, const std::string& store, int threads) {
  http::ServerOptions server;
  server.port = port;
  server.ports_to_try = ports_to_try;
  server.allowed_hosts = allowed_hosts;
  ApiOptions api;
  api.studies = studies;
  api.store = store;
  api.page = served_page(assets::playground());
  api.threads = threads;
  api.open_store = [](const std::string& path) { return std::make_unique<SharedTurn>(path); };
  list_studies(api.studies);
  return std::make_unique<PythonServer>(std::make_unique<StudyServer>(server, api));
}

std::unique_ptr<PythonSession> watch(const std::string& request, int threads) {
  SessionOptions options;
  options.threads = threads;
  options.unwatched = std::chrono::seconds(30);
  return std::make_unique<PythonSession>(std::make_unique<Session>(request, options));
}

}  // namespace

void bind_serve(nb::module_& module) {
  const auto release = nb::call_guard<WithoutGil>();
  module.attr("has_page") = !assets::playground().empty();
  nb::class_<PythonServer>(module, "Server")
      .def_prop_ro("url", [](const PythonServer& self) { return self.get().url(); })
      .def_prop_ro("port", [](const PythonServer& self) { return self.get().port(); })
      .def_prop_ro("token", [](const PythonServer& self) { return self.get().token(); })
      .def("stop", &PythonServer::end, release);
  module.def("serve", &serve, nb::arg("port"), nb::arg("ports_to_try"), nb::arg("allowed_hosts"), nb::arg("studies"),
             nb::arg("store"), nb::arg("threads"), release);

  nb::class_<PythonSession>(module, "Session")
      .def_prop_ro("runs_json", [](const PythonSession& self) { return self.get().runs_json(); })
      .def_prop_ro("over", [](const PythonSession& self) { return self.get().over(); })
      .def_prop_ro("end", [](const PythonSession& self) { return self.get().log().end(); })
      .def_prop_ro("failure", [](const PythonSession& self) { return self.get().failure(); })
      .def("pause", [](const PythonSession& self) { self.get().pause(); })
      .def("resume", [](const PythonSession& self) { self.get().resume(); })
      .def("close", [](const PythonSession& self) { self.get().close(); })
      // Somebody watches: it trains for half a minute more.
      .def("keep_awake",
           [](const PythonSession& self) {
             self.get().watch();
             self.get().unwatch();
           })
      // The bytes of one frame with what is new after `place`, and the place after it.
      .def("news", [](const PythonSession& self, size_t place) {
        Session& session = self.get();
        std::string bytes;
        {
          const WithoutGil free;
          const FrameLog::Found found = session.log().frame_since(place);
          place = found.place;
          if (found.frame) bytes = encode(*found.frame);
        }
        return nb::make_tuple(nb::bytes(bytes.data(), bytes.size()), place);
      });
  module.def("ask", &ask, nb::arg("request"), release);
  module.def("watch", &watch, nb::arg("request"), nb::arg("threads"), release);
}

}  // namespace atto::python

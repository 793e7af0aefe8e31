#include "serve/api/api.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/error.h"
#include "live/ask.h"
#include "live/request.h"

namespace atto {
namespace {

using http::Reply;
using http::Request;
using http::Response;

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::config:
      return 400;
    case ErrorKind::missing:
      return 404;
    case ErrorKind::store:
      return 409;
    case ErrorKind::resources:
      return 503;
    case ErrorKind::internal:
      break;
  }
  return 500;
}

Response error_response(const std::exception_ptr& problem) {
  int status = 500;
  try {
    std::rethrow_exception(problem);
  } catch (const Error& error) {
    status = status_of(error.kind());
  } catch (...) {  // the message says it
  }
  return {status, "application/json", error_json(problem)};
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// What follows `prefix` in the path.
std::string rest_of(const Request& request, std::string_view prefix) { return request.path.substr(prefix.size()); }

// "a,b" as two.
std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

// Where a stream goes on after it was cut.
size_t place_of(const Request& request) {
  const std::string& last = request.header("last-event-id");
  size_t place = 0;
  std::from_chars(last.data(), last.data() + last.size(), place);
  return place;
}

constexpr int64_t kNoLimit = int64_t{1} << 53;  // beyond the steps of any run, and a number that JSON can say
constexpr size_t kWaitingQuestions = 256;
constexpr size_t kQuestionThreads = 2;

SessionOptions session_options(const ApiOptions& options, const std::function<void()>& on_news) {
  SessionOptions session;
  session.threads = options.threads;
  session.on_news = on_news;
  return session;
}

}  // namespace

// A route answers at once, on the server's thread, or later: with JSON that a queue makes.
struct Api::Route {
  const char* method;
  const char* path;  // ending in '/': all below it
  std::function<http::Answer(Api&, const Request&)> now = {};
  WorkQueue Api::*queue = nullptr;
  std::function<std::string(Api&, const Request&)> later = {};
};

const std::vector<Api::Route>& Api::routes() {
  static const std::vector<Route> all{
      {"GET", "/", [](Api& api, const Request& request) { return api.open_page(request); }},
      {"GET", "/api/stream",
       [](Api& api, const Request& request) {
         return watch_session(api.sessions_.find(request.parameter("session")), place_of(request));
       }},
      {"GET", "/api/train/events", [](Api& api, const Request&) { return api.trainings_.watch(); }},
      {"GET", "/api/train",
       [](Api& api, const Request&) {
         return Response{.body = text_of({{"training", api.trainings_.state()}})};
       }},

      {"POST", "/api/ask", {}, &Api::questions_, [](Api&, const Request& request) { return ask(request.body); }},
      {"POST",
       "/api/open",
       {},
       &Api::questions_,
       [](Api& api, const Request& request) { return api.sessions_.open(request.body); }},
      {"POST",
       "/api/pause",
       {},
       &Api::questions_,
       [](Api& api, const Request& request) {
         api.sessions_.find(text_member(parse_request(request.body), "session"))->pause();
         return std::string("{}");
       }},
      {"POST",
       "/api/resume",
       {},
       &Api::questions_,
       [](Api& api, const Request& request) {
         api.sessions_.find(text_member(parse_request(request.body), "session"))->resume();
         return std::string("{}");
       }},
      {"POST",
       "/api/limit",
       {},
       &Api::questions_,
       [](Api& api, const Request& request) {
         const Json asked = parse_request(request.body);
         const auto step = whole_member(asked, "step", kNoLimit);
         api.sessions_.find(text_member(asked, "session"))->limit(step);
         return std::string("{}");
       }},
      {"POST",
       "/api/close",
       {},
       &Api::questions_,
       [](Api& api, const Request& request) {
         api.sessions_.close(text_member(parse_request(request.body), "session"));
         return std::string("{}");
       }},

      {"GET",
       "/api/studies",
       {},
       &Api::archive_,
       [](Api& api, const Request&) { return text_of(api.library_.studies()); }},
      {"GET",
       "/api/studies/",
       {},
       &Api::archive_,
       [](Api& api, const Request& request) { return text_of(api.library_.text(rest_of(request, "/api/studies/"))); }},
      {"POST",
       "/api/results",
       {},
       &Api::archive_,
       [](Api& api, const Request& request) { return text_of(api.library_.results(parse_request(request.body))); }},
      {"GET",
       "/api/runs",
       {},
       &Api::archive_,
       [](Api& api, const Request& request) { return text_of(api.library_.runs(request.parameter("study"))); }},
      {"GET",
       "/api/runs/",
       {},
       &Api::archive_,
       [](Api& api, const Request& request) {
         return text_of(api.library_.run(rest_of(request, "/api/runs/"), split_list(request.parameter("observable"))));
       }},
      {"POST",
       "/api/train",
       {},
       &Api::archive_,
       [](Api& api, const Request& request) {
         return text_of({{"training", api.trainings_.start(api.library_, parse_request(request.body))}});
       }},
      {"POST",
       "/api/train/stop",
       {},
       &Api::archive_,
       [](Api& api, const Request&) {
         return text_of({{"training", api.trainings_.stop()}});
       }},
  };
  return all;
}

Api::Api(const ApiOptions& options, const http::AccessRules& access, const std::function<void()>& on_news)
    : options_(options),
      access_(access),
      library_(options.studies, options.store),
      sessions_(session_options(options, on_news), options.most_sessions),
      trainings_({options.threads, options.checkpoint, options.open_store, on_news}),
      questions_(kQuestionThreads, kWaitingQuestions),
      archive_(1, kWaitingQuestions) {}

Api::~Api() { stop(); }

void Api::stop() {
  trainings_.stop();  // all end at the same time
  questions_.stop();
  archive_.stop();
  sessions_.close_all();
  trainings_.stop_and_wait();
}

http::Response Api::open_page(const Request& request) const {
  if (!http::is_link(request)) return {.type = "text/html; charset=utf-8", .body = options_.page};
  // On to the same place without the token; relative, since a proxy may have put it below another address.
  return {.status = 303,
          .type = "text/plain",
          .headers = {{"Location", "./"}, {"Set-Cookie", http::token_cookie(access_)}}};
}

void Api::later(WorkQueue& queue, std::function<std::string()> answer, Reply reply) {
  const bool added = queue.add([answer = std::move(answer), reply] {
    try {
      reply(Response{.body = answer()});
    } catch (...) {
      reply(error_response(std::current_exception()));
    }
  });
  if (!added) reply(http::refusal(503, "too much is being asked at once", "try again in a moment"));
}

void Api::handle(Request request, Reply reply) {
  bool known = false;
  for (const Route& route : routes()) {
    const std::string_view path = route.path;
    const bool below = path.size() > 1 && path.ends_with('/');
    if (below ? !request.path.starts_with(path) : request.path != path) continue;
    known = true;
    if (request.method != route.method) continue;
    if (route.queue) {
      const auto asked = std::make_shared<const Request>(std::move(request));
      return later(
          this->*route.queue, [this, &route, asked] { return route.later(*this, *asked); }, std::move(reply));
    }
    try {
      return reply(route.now(*this, request));
    } catch (...) {
      return reply(error_response(std::current_exception()));
    }
  }
  if (known) return reply(http::refusal(405, request.path + " is not asked by " + request.method));
  reply(http::refusal(404, "there is nothing at " + request.path));
}

}  // namespace atto

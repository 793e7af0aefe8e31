#include "serve/sessions/sessions.h"

#include <algorithm>

#include "base/error.h"
#include "lab/results/json.h"

namespace atto {
namespace {

class SessionStream final : public http::EventStream {
 public:
  SessionStream(std::shared_ptr<Session> session, size_t place) : session_(std::move(session)), place_(place) {
    session_->watch();
  }
  ~SessionStream() override { session_->unwatch(); }

  Then append_new(http::Events& events) override {
    const bool over = session_->over();  // asked first: what it said before is in the log
    const FrameLog::News news = session_->log().since(place_);
    place_ = news.place;
    if (news.event) events.add(news.event);
    if (place_ < session_->log().end()) return news.cut || over ? Then::again : Then::soon;
    if (!over) return Then::wait;
    const std::string failure = session_->failure();
    events.add(failure.empty() ? "event: over\ndata: {}\n\n" : "event: failed\ndata: " + failure + "\n\n");
    return Then::end;
  }

 private:
  std::shared_ptr<Session> session_;
  size_t place_;
};

}  // namespace

void Sessions::make_room() {
  if (sessions_.size() < most_) return;
  auto oldest = sessions_.end();
  for (auto one = sessions_.begin(); one != sessions_.end(); ++one)
    if (!one->second->watched() &&
        (oldest == sessions_.end() || one->second->last_watched() < oldest->second->last_watched()))
      oldest = one;
  if (oldest == sessions_.end())
    throw Error(ErrorKind::resources, std::to_string(most_) + " sessions are open, and all of them are watched",
                "close a tab of the page, and try again");
  retire(oldest);
}

void Sessions::retire(std::map<std::string, std::shared_ptr<Session>>::iterator session) {
  session->second->close();
  closed_.push_back(std::move(session->second));
  sessions_.erase(session);
}

std::string Sessions::open(const std::string& request) {
  auto session = std::make_shared<Session>(request, options_);
  const std::string name = http::random_token();
  Json answer{{"session", name}};
  answer.update(parse_json(session->runs_json()));
  const std::lock_guard lock(mutex_);
  make_room();
  sessions_.emplace(name, std::move(session));
  return answer.dump();
}

std::shared_ptr<Session> Sessions::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(name);
  if (found == sessions_.end())
    throw Error(ErrorKind::missing, "there is no such session",
                "it was closed, or the server was started anew: open another");
  return found->second;
}

void Sessions::close(const std::string& name) {
  find(name);
  std::vector<std::shared_ptr<Session>> unused;  // dropped after the lock
  const std::lock_guard lock(mutex_);
  if (const auto found = sessions_.find(name); found != sessions_.end()) retire(found);
  const auto used = [](const std::shared_ptr<Session>& one) { return one.use_count() > 1; };
  const auto first = std::partition(closed_.begin(), closed_.end(), used);
  std::move(first, closed_.end(), std::back_inserter(unused));
  closed_.erase(first, closed_.end());
}

void Sessions::close_all() {
  std::vector<std::shared_ptr<Session>> last;
  const std::lock_guard lock(mutex_);
  while (!sessions_.empty()) retire(sessions_.begin());
  last.swap(closed_);
}

std::shared_ptr<http::EventStream> watch_session(std::shared_ptr<Session> session, size_t place) {
  return std::make_shared<SessionStream>(std::move(session), place);
}

}  // namespace atto

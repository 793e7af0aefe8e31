#include "serve/sessions/session.h"

#include <algorithm>

#include "base/machine.h"
#include "lab/results/json.h"
#include "live/ask.h"
#include "live/request.h"
#include "live/session.h"

namespace atto {

using Clock = std::chrono::steady_clock;

struct Session::Share {
  uint32_t index = 0, of = 1;
  std::unique_ptr<LiveStudy> study;
  int64_t reached = -1;  // it has come to this step and waits there; -1: it has not
  std::thread thread;
};

Session::Session(const std::string& request, const SessionOptions& options)
    : options_(options), last_watched_(Clock::now()) {
  Json asked = parse_request(request);
  const auto whole = open_session(request);
  runs_json_ = session_json(*whole);
  if (asked.contains("step") && !asked["step"].is_null()) to_ = whole_member(asked, "step");
  const int64_t cores = options.threads > 0 ? options.threads : usable_cores();
  const auto count = static_cast<uint32_t>(std::clamp<int64_t>(std::ssize(whole->runs()), 1, cores));
  for (uint32_t i = 0; i < count; ++i) {
    auto share = std::make_unique<Share>();
    share->index = i;
    share->of = count;
    asked["share"] = {{"index", i}, {"of", count}};
    share->study = open_session(asked.dump());
    shares_.push_back(std::move(share));
  }
  shares_left_ = shares_.size();
  try {
    for (const auto& share : shares_) share->thread = std::thread([this, &share = *share] { work(share); });
  } catch (...) {
    close();
    wait();
    throw;
  }
}

Session::~Session() {
  close();
  wait();
}

void Session::wait() {
  for (const auto& share : shares_)
    if (share->thread.joinable()) share->thread.join();
}

void Session::close() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  options_.on_news();
}

bool Session::may_train(const Share& share) const {
  const bool rests = watchers_ == 0 && Clock::now() - last_watched_ > options_.unwatched;
  return !paused_ && !rests && share.reached < to_;
}

void Session::work(Share& share) {
  while (true) {
    int64_t to = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || may_train(share); });
      if (stopping_) return;
      to = to_;
    }
    try {
      Frame frame = share.study->advance(options_.slice_ms, to);
      if (frame.steps == 0 && !frame.ended) share.reached = to;
      const bool ended = frame.ended;
      add(share, std::move(frame));
      if (ended) return;
    } catch (...) {
      const std::string failure = error_json(std::current_exception());
      const std::lock_guard lock(mutex_);
      if (failure_.empty()) failure_ = failure;
      paused_ = true;
      changed_.notify_all();
    }
    options_.on_news();
  }
}

// Each share counts its own runs; together they are every n-th of all.
void Session::add(const Share& share, Frame frame) {
  if (frame.runs.empty() && frame.blocks.empty() && !frame.ended) return;
  for (FrameBlock& block : frame.blocks) block.run = share.index + share.of * block.run;
  for (RunNews& news : frame.runs) news.run = share.index + share.of * news.run;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    if (frame.ended) --shares_left_;
    frame.ended = shares_left_ == 0;
    log_.append(std::move(frame));  // within the lock: the frame that says that all have ended is the last
  }
  options_.on_news();
}

std::string Session::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

bool Session::over() const {
  const std::lock_guard lock(mutex_);
  return stopping_ || shares_left_ == 0 || !failure_.empty();
}

void Session::pause() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
}

void Session::resume() {
  const std::lock_guard lock(mutex_);
  if (!failure_.empty()) return;
  paused_ = false;
  changed_.notify_all();
}

void Session::limit(int64_t step) {
  const std::lock_guard lock(mutex_);
  to_ = step;
  changed_.notify_all();
}

void Session::watch() {
  const std::lock_guard lock(mutex_);
  ++watchers_;
  changed_.notify_all();
}

void Session::unwatch() {
  const std::lock_guard lock(mutex_);
  --watchers_;
  last_watched_ = Clock::now();
}

bool Session::watched() const {
  const std::lock_guard lock(mutex_);
  return watchers_ > 0;
}

Clock::time_point Session::last_watched() const {
  const std::lock_guard lock(mutex_);
  return watchers_ > 0 ? Clock::now() : last_watched_;
}

}  // namespace atto

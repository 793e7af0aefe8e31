// A study that is trained while people watch: on all cores, each with a share of its runs. Nobody who watches can hold
// it up; while nobody does, it rests.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "live/live_study.h"
#include "serve/sessions/frame_log.h"

namespace atto {

struct SessionOptions {
  int threads = 0;                        // 0: one for every core
  double slice_ms = 20;                   // of training between two frames
  std::chrono::seconds unwatched{30};     // after which it rests
  std::function<void()> on_news = [] {};  // called by any thread: there is a new frame
};

class Session {
 public:
  // `request` as live/session.h has it, without a share, and perhaps with a "step" as a first limit. Throws Error.
  // Trains from here on.
  Session(const std::string& request, const SessionOptions& options);
  ~Session();

  const std::string& runs_json() const { return runs_json_; }  // {"runs": [{"cell", "seed"}]}: frames count by it
  const FrameLog& log() const { return log_; }
  std::string failure() const;  // {"error": ...} when something went wrong on the way; else ""
  bool over() const;            // all runs have ended, it failed or was closed: no frame follows

  void close();  // trains no more; returns at once
  void wait();   // after close(), until its threads have ended, as dropping it does
  void pause();
  void resume();
  void limit(int64_t step);  // no run is trained beyond it; a later limit lets them go on
  void watch();              // somebody begins to watch
  void unwatch();
  bool watched() const;
  std::chrono::steady_clock::time_point last_watched() const;

 private:
  struct Share;
  void work(Share& share);
  bool may_train(const Share& share) const;  // with the lock
  void add(const Share& share, Frame frame);

  const SessionOptions options_;
  std::string runs_json_;
  FrameLog log_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool stopping_ = false, paused_ = false;
  int64_t to_ = std::numeric_limits<int64_t>::max();
  int watchers_ = 0;
  size_t shares_left_ = 0;
  std::chrono::steady_clock::time_point last_watched_;
  std::string failure_;
  std::vector<std::unique_ptr<Share>> shares_;
};

}  // namespace atto

// A study that is being trained into the store, on a thread of its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/words.h"
#include "lab/results/decide.h"
#include "lab/results/json.h"
#include "lab/store/store.h"
#include "serve/http/server.h"
#include "serve/library/library.h"

namespace atto {

// A store that is open for writing, until this ends. Where others of this process have it, too, it takes turns.
class WrittenStore {
 public:
  virtual ~WrittenStore() = default;
  virtual std::vector<std::string> notices() = 0;  // of the opening, unless somebody was told of them
  // For the thread that trains. Waits for its turn, and calls `on_wait` where it has to; null once `stop` is set.
  virtual Store* take(const std::atomic<bool>& stop, const std::function<void()>& on_wait) = 0;
};
using OpenStore = std::function<std::unique_ptr<WrittenStore>(const std::string& path)>;
// Error(store) where another process writes.
std::unique_ptr<WrittenStore> open_alone(const std::string& path);

struct TrainingOptions {
  int threads = 0;  // 0: every core
  double checkpoint = 30;
  OpenStore open_store = open_alone;
  std::function<void()> on_news = [] {};  // called by any thread: its state has changed
};

enum class TrainingState { running, stopped, done, failed };
template <>
struct EnumWords<TrainingState> {
  static constexpr std::array words{"running", "stopped", "done", "failed"};
};

class Training {
 public:
  // Begins at once, or when it is its turn to write.
  Training(ChosenStudy chosen, std::unique_ptr<WrittenStore> store, const TrainingOptions& options);
  ~Training();  // stops it; runs on their way leave a checkpoint

  void stop() { stop_ = true; }
  bool over() const;
  // {"study", "profile", "state": running | stopping | stopped | done | failed, "progress": {"total", "cached", "done",
  // "diverged", "fraction", "seconds"}, "look": {"look", "looks", "open"}, "notices": [what the store said when it was
  // opened, and what it waits for], "error"}
  Json state() const;
  int64_t version() const;  // of the state: another one whenever it changes

 private:
  void work();
  void train();
  void change(const std::function<void()>& set);

  const ChosenStudy chosen_;
  std::unique_ptr<WrittenStore> store_;
  const TrainingOptions options_;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::string> notices_;
  int64_t version_ = 0;
  TrainingState state_ = TrainingState::running;
  Progress progress_;
  Json look_ = nullptr, error_ = nullptr;
  std::thread thread_;
};

// The one training that there is at a time, since a store has one writer.
class Trainings {
 public:
  explicit Trainings(TrainingOptions options) : options_(std::move(options)) {}

  // Returns its state. Error(store) while another one trains, here or in another program.
  Json start(const Library& library, const Json& request);
  Json stop();         // the state
  Json state() const;  // of the last one; null before the first
  void stop_and_wait();
  // Its state, whenever it changes; a client that is slow gets the last.
  std::shared_ptr<http::EventStream> watch() const;

 private:
  std::shared_ptr<Training> current() const;

  const TrainingOptions options_;
  mutable std::mutex mutex_, starting_;
  std::shared_ptr<Training> last_;
};

}  // namespace atto

#include "lab/scheduler.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <thread>

#include "data/regression.h"
#include "lab/machine.h"
#include "lab/memory_budget.h"
#include "numeric/error.h"

namespace atto {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenReports = std::chrono::milliseconds(100);
constexpr size_t kWaitingPerThread = 4;  // recordings that may wait to be saved while the disk is busy

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Task {
  const Run* run = nullptr;
  double cost = 0;
};

struct Finished {
  Task task;
  Recording recording;
  double seconds = 0;
};

// The workers of one sweep. They train; the calling thread saves and reports. Both meet in a short queue of recordings,
// so that a slow disk makes the workers wait instead of filling the memory.
class Crew {
 public:
  Crew(const Study& study, std::vector<Task> tasks, const ScheduleOptions& options, size_t threads)
      : study_(study), tasks_(std::move(tasks)), options_(options), slots_(threads) {}
  ~Crew() { cancel(); }  // before the threads, the last member, are joined

  void start() {
    for (Slot& slot : slots_) {
      {
        const std::lock_guard lock(mutex_);
        ++working_;
      }
      try {
        threads_.emplace_back([this, &slot] { work(slot); });
      } catch (const std::system_error&) {
        throw Error(ErrorKind::resources, "cannot start " + std::to_string(slots_.size()) + " threads",
                    "ask for fewer with --threads");
      }
    }
  }
  // Waits for a recording until the deadline. Nothing comes when there is none by then, or none to come.
  std::optional<Finished> next(Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    news_.wait_until(lock, deadline, [this] { return !queue_.empty() || working_ == 0; });
    if (queue_.empty()) return std::nullopt;
    Finished finished = std::move(queue_.front());
    queue_.pop_front();
    room_.notify_one();
    return finished;
  }
  bool over() const {
    const std::lock_guard lock(mutex_);
    return queue_.empty() && working_ == 0;
  }
  // Estimated cost of all steps so far.
  double work_done() const {
    const std::lock_guard lock(mutex_);
    double done = finished_work_;
    for (const Slot& slot : slots_) done += slot.work.load(std::memory_order_relaxed);
    return done;
  }
  void rethrow_failure() const {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  // A cache line each: workers note every few steps how far they are, and must not slow each other down by it.
  struct alignas(64) Slot {
    std::atomic<double> work = 0;  // done of the run in flight
  };

  bool stopped() const { return cancelled_ || (options_.stop != nullptr && *options_.stop); }
  void cancel() {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    room_.notify_all();
  }
  const Task* take() {
    const std::lock_guard lock(mutex_);
    return stopped() || next_ == tasks_.size() ? nullptr : &tasks_[next_++];
  }
  void hand_over(Finished finished, Slot& slot) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return cancelled_ || queue_.size() < kWaitingPerThread * slots_.size(); });
    finished_work_ += finished.task.cost;
    slot.work = 0;
    queue_.push_back(std::move(finished));
    news_.notify_one();
  }
  void work(Slot& slot) {
    try {
      while (const Task* task = take()) {
        const Clock::time_point start = Clock::now();
        const RunConfig& config = task->run->config;
        const double step_cost = task->cost / static_cast<double>(std::max<int64_t>(config.training.steps, 1));
        RecordResult result = options_.train(config, study_.observe, [&](int64_t steps) {
          slot.work.store(step_cost * static_cast<double>(steps), std::memory_order_relaxed);
          return !stopped();
        });
        if (!result.finished) break;
        hand_over({*task, std::move(result.recording), seconds_since(start)}, slot);
      }
    } catch (const std::bad_alloc&) {
      fail(std::make_exception_ptr(Error(ErrorKind::resources, "the memory ran out while training",
                                         "ask for fewer runs at a time with --threads, or for smaller networks")));
    } catch (...) {
      fail(std::current_exception());
    }
    const std::lock_guard lock(mutex_);
    --working_;
    news_.notify_one();
  }
  void fail(std::exception_ptr failure) {
    cancel();
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
  }

  const Study& study_;
  const std::vector<Task> tasks_;
  const ScheduleOptions& options_;
  std::vector<Slot> slots_;
  std::atomic<bool> cancelled_ = false;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable news_, room_;
  std::deque<Finished> queue_;
  size_t next_ = 0;
  size_t working_ = 0;
  double finished_work_ = 0;
  std::exception_ptr failure_;

  std::vector<std::jthread> threads_;
};

// Each run once, without those in the store, longest first so that no long one is left for the end.
std::vector<Task> missing_tasks(const std::vector<Run>& runs, const Store& store, Progress& progress) {
  std::vector<Task> tasks;
  std::set<std::string> seen;
  for (const Run& run : runs) {
    if (!seen.insert(run.id).second) continue;
    ++progress.total;
    if (store.has(run.id)) ++progress.cached;
    else tasks.push_back({&run, estimated_cost(run.config)});
  }
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.cost > b.cost; });
  return tasks;
}

}  // namespace

double estimated_cost(const RunConfig& config) {
  if (config.network.form == "scores") {
    const auto d = static_cast<double>(config.data.dimension), length = static_cast<double>(config.data.context);
    constexpr double kFlowStep = 100;
    if (config.training.optimizer == "flow") return static_cast<double>(config.training.steps) * kFlowStep;
    const double samples = config.training.gradient == "expected" ? 1 : static_cast<double>(config.training.batch);
    return static_cast<double>(config.training.steps) * (4 * samples * d * d + 16 * length);
  }
  const NetworkConfig& network = config.network;
  const auto vocab = static_cast<double>(config.data.vocab), width = static_cast<double>(network.width);
  const auto context = static_cast<double>(config.data.context > 0 ? config.data.context : 2 * config.data.pairs + 1);
  const double asked = config.data.targets == "last" ? 1 : context;  // positions with a query and logits
  // Keys and values of each position; queries, scores, their weighted sum and logits of each asked one.
  double sequence = 2 * context * width * width + asked * width * (width + 2 * context + vocab);
  // The blocks before the last have everything at every position.
  const double hidden = network.mlp == "none" ? 0 : static_cast<double>(network.mlp_factor) * width;
  sequence += static_cast<double>(network.layers - 1) * context * width * (4 * width + 2 * hidden + 2 * context);
  sequence += asked * 2 * hidden * width;
  return static_cast<double>(config.training.steps) * static_cast<double>(config.training.batch) * sequence;
}

ScheduleResult run_all(const Study& study, const std::vector<Run>& runs, Store& store, const ScheduleOptions& options) {
  const Clock::time_point start = Clock::now();
  ScheduleResult result;
  Progress& progress = result.progress;
  if (options.threads < 0)
    throw Error(ErrorKind::usage, "--threads " + std::to_string(options.threads) + " is negative", "0 uses every core");
  const std::vector<Task> tasks = missing_tasks(runs, store, progress);
  const size_t threads =
      std::min(tasks.size(), static_cast<size_t>(options.threads > 0 ? options.threads : usable_cores()));
  std::vector<const Run*> missing;
  for (const Task& task : tasks) missing.push_back(task.run);
  require_memory(missing, study.observe, threads, 1 + kWaitingPerThread);

  double all_work = 0;
  for (const Task& task : tasks) all_work += task.cost;
  Crew crew(study, tasks, options, threads);
  const auto report = [&] {
    progress.seconds = seconds_since(start);
    progress.steps_fraction = all_work > 0 ? std::min(1.0, crew.work_done() / all_work) : 1.0;
    if (options.on_progress) options.on_progress(progress);
  };

  crew.start();
  for (Clock::time_point next_report = start + kBetweenReports; !crew.over();) {
    if (const std::optional<Finished> finished = crew.next(next_report)) {
      const Run& run = *finished->task.run;
      store.save(run.id, canonical_text(run.config, study.observe), run.config.seeds.init, run.config.seeds.data,
                 finished->recording, finished->seconds);
      ++progress.done;
      if (finished->recording.diverged_at) ++progress.diverged;
    }
    if (Clock::now() >= next_report) {
      report();
      next_report = Clock::now() + kBetweenReports;
    }
  }
  crew.rethrow_failure();
  result.interrupted = progress.cached + progress.done < progress.total;
  report();
  return result;
}

}  // namespace atto

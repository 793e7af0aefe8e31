#include "lab/scheduler.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <thread>
#include <variant>

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
  int64_t done = 0;  // steps its checkpoint has behind it; 0: there is none
  double cost = 0;   // of the others
};

// What a worker has to tell about its run: that it is finished, or where it stands.
struct News {
  const Run* run = nullptr;
  std::variant<Recording, Checkpoint> content;
  double seconds = 0;  // that its training took so far
};

// The workers of one sweep. They train; the calling thread saves and reports. Both meet in a short queue of news, so
// that a slow disk makes the workers wait instead of filling the memory. News of one run are saved in the order they
// came in, so that no checkpoint outlives the end of its run.
class Crew {
 public:
  Crew(const Study& study, std::vector<Task> tasks, const Store& store, const ScheduleOptions& options, size_t threads)
      : study_(study), tasks_(std::move(tasks)), store_path_(store.path()), options_(options), slots_(threads) {}
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
  // Waits for news until the deadline. Nothing comes when there are none by then, or none to come.
  std::optional<News> next(Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    news_.wait_until(lock, deadline, [this] { return !queue_.empty() || working_ == 0; });
    if (queue_.empty()) return std::nullopt;
    News news = std::move(queue_.front());
    queue_.pop_front();
    room_.notify_one();
    return news;
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
  void hand_over(News news) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return cancelled_ || queue_.size() < kWaitingPerThread * slots_.size(); });
    queue_.push_back(std::move(news));
    news_.notify_one();
  }
  // A connection of the worker's own: the store belongs to the calling thread.
  std::optional<Store::StoredCheckpoint> checkpoint_of(const Task& task) const {
    if (task.done == 0) return std::nullopt;
    return Store(store_path_, Store::Mode::read).checkpoint(task.run->id);
  }
  // False when it was called off.
  bool train(const Task& task, Slot& slot) {
    const RunConfig& config = task.run->config;
    std::optional<Checkpoint> resume;
    double seconds_before = 0;
    if (auto stored = checkpoint_of(task)) {
      resume = std::move(stored->checkpoint);
      seconds_before = stored->seconds;
    }
    const int64_t before = resume ? resume->snapshot.step : 0;
    const double step_cost = task.cost / static_cast<double>(std::max<int64_t>(config.training.steps - before, 1));
    const Clock::time_point start = Clock::now();
    const auto seconds = [&] { return seconds_before + seconds_since(start); };
    Clock::time_point saved = start;
    const auto on_progress = [&](const StepReport& report) {
      slot.work.store(step_cost * static_cast<double>(report.steps_done - before), std::memory_order_relaxed);
      const bool stop = stopped();
      if (options_.checkpoint_every > 0 && !cancelled_ && (stop || seconds_since(saved) >= options_.checkpoint_every)) {
        hand_over({task.run, report.checkpoint(), seconds()});
        saved = Clock::now();
      }
      return !stop;
    };
    RecordResult result = options_.train(config, study_.observe, on_progress, resume);
    if (!result.finished) return false;
    hand_over({task.run, std::move(result.recording), seconds()});
    const std::lock_guard lock(mutex_);
    finished_work_ += task.cost;
    slot.work = 0;
    return true;
  }
  void work(Slot& slot) {
    try {
      for (const Task* task = take(); task != nullptr && train(*task, slot);) task = take();
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
  const std::string store_path_;
  const ScheduleOptions& options_;
  std::vector<Slot> slots_;
  std::atomic<bool> cancelled_ = false;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable news_, room_;
  std::deque<News> queue_;
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
  const std::map<std::string, int64_t> checkpoints = store.checkpoint_steps();
  for (const Run& run : runs) {
    if (!seen.insert(run.id).second) continue;
    ++progress.total;
    if (store.has(run.id)) {
      ++progress.cached;
      continue;
    }
    const auto checkpoint = checkpoints.find(run.id);
    const int64_t done = checkpoint == checkpoints.end() ? 0 : checkpoint->second;
    if (done > 0) ++progress.resumed;
    const auto steps = static_cast<double>(std::max<int64_t>(run.config.training.steps, 1));
    tasks.push_back({&run, done, estimated_cost(run.config) * (1 - static_cast<double>(done) / steps)});
  }
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.cost > b.cost; });
  return tasks;
}

}  // namespace

double estimated_cost(const RunConfig& config) {
  if (is_regression(config.data)) {
    const auto d = static_cast<double>(config.data.dimension), length = static_cast<double>(config.data.context);
    constexpr double kFlowStep = 100;
    if (config.training.optimizer == "flow") return static_cast<double>(config.training.steps) * kFlowStep;
    const double samples = config.training.gradient == "expected" ? 1 : static_cast<double>(config.training.batch);
    return static_cast<double>(config.training.steps) * (4 * samples * d * d + 16 * length);
  }
  const auto vocab = static_cast<double>(config.data.vocab), context = static_cast<double>(config.data.context);
  const auto width = static_cast<double>(config.network.width);
  const double asked = config.data.targets == "last" ? 1 : context;  // positions with a query and logits
  // Keys and values of each position; queries, scores, their weighted sum and logits of each asked one.
  const double sequence = 2 * context * width * width + asked * width * (width + 2 * context + vocab);
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
  Crew crew(study, tasks, store, options, threads);
  const auto report = [&] {
    progress.seconds = seconds_since(start);
    progress.steps_fraction = all_work > 0 ? std::min(1.0, crew.work_done() / all_work) : 1.0;
    if (options.on_progress) options.on_progress(progress);
  };

  crew.start();
  for (Clock::time_point next_report = start + kBetweenReports; !crew.over();) {
    if (const std::optional<News> news = crew.next(next_report)) {
      const Run& run = *news->run;
      if (const auto* recording = std::get_if<Recording>(&news->content)) {
        store.save(run.id, canonical_text(run.config, study.observe), run.config.seeds.init, run.config.seeds.data,
                   *recording, news->seconds);
        ++progress.done;
        if (recording->diverged_at) ++progress.diverged;
      } else {
        store.save_checkpoint(run.id, std::get<Checkpoint>(news->content), news->seconds);
      }
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

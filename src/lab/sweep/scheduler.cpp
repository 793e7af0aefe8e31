#include "lab/sweep/scheduler.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/host_calls.h"
#include "lab/sweep/choose_target.h"
#include "lab/sweep/clock.h"
#include "lab/sweep/seed_groups.h"

namespace atto {
namespace {

constexpr auto kBetweenReports = std::chrono::milliseconds(100);
// Small runs are saved together, so many at a time when they come in fast, and wait up to a report for each other: each
// transaction waits for the disk once. Meanwhile, or while the log is moved into the file, more of them may wait.
constexpr size_t kSavedTogether = 64, kMostWaiting = 192;
constexpr size_t kSmallBytes = 4'000'000;  // of all that wait

// What a worker has to tell about its run: that it is finished, or where it stands.
struct RunUpdate {
  const Run* run = nullptr;
  std::variant<Recording, Checkpoint> content;
  double seconds = 0;  // that its training took so far

  size_t bytes() const {
    size_t numbers = 0;
    if (const auto* recording = std::get_if<Recording>(&content)) {
      for (const Series& series : recording->series) numbers += series.steps.size() + series.values.size();
      for (const WeightMatrix& weights : recording->weights) numbers += weights.values.size();
    } else {
      const auto& [snapshot, measured] = std::get<Checkpoint>(content);
      numbers = snapshot.parameters.size() + snapshot.optimizer.size() + snapshot.extra.size() + measured.size();
    }
    return numbers * sizeof(double);
  }
};

// What the runs of a cell have in common.
struct PreparedCell {
  PreparedCell(const Run& run, const ObservePlan& observe)
      : cell(run.cell), config(run.config), spec(run.config), plan(observe, spec) {}

  // Runs that share a cell's number differ in their seeds alone: a run trained as another would be filed under a wrong
  // id.
  void require(const Run& run) const {
    if (run.config.data != config.data || run.config.network != config.network ||
        run.config.training != config.training)
      throw Error(ErrorKind::internal, "two cells of a sweep have the number " + std::to_string(cell));
  }

  size_t cell;
  RunConfig config;
  RunSpec spec;  // with the seeds of one of them
  SeriesPlan plan;
};

// The workers of one sweep. They train; the calling thread saves and reports. Both meet in a short queue of news, so
// that a slow disk makes the workers wait instead of filling the memory. RunUpdate of one run are saved in the order
// they came in, so that no checkpoint outlives the end of its run.
class WorkerPool {
 public:
  WorkerPool(const Study& study, std::vector<PendingRun> tasks, const Store& store, const SweepOptions& options,
             size_t threads)
      : study_(study),
        tasks_(std::move(tasks)),
        store_path_(store.path()),
        options_(options),
        slots_(threads),
        groups_(study.observe, tasks_) {}
  ~WorkerPool() {
    cancel();
    for (std::thread& one : threads_) one.join();
  }

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
  // All news there are at the deadline, or before it when enough have come in or none are to come.
  std::vector<RunUpdate> collect(Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    news_.wait_until(lock, deadline, [this] { return enough() || working_ == 0; });
    waiting_bytes_ = 0;
    room_.notify_all();
    return std::exchange(queue_, {});
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
  // Trained runs whose group will not be complete, because the sweep was stopped; after all workers have ended.
  std::vector<RunUpdate> measure_rest() {
    std::vector<RunUpdate> news;
    for (auto& [cell, group] : groups_.take_waiting()) {
      if (failed(cell)) continue;
      try {
        groups_.measure(group);
      } catch (const PartFailure& failure) {
        fail_cell(*group.front().run, failure);
        continue;
      } catch (const HostStopped&) {
        break;
      }
      for (TrainedRun& one : group) news.push_back({one.run, std::move(one.result.recording), one.seconds});
    }
    return news;
  }
  std::vector<CellFailure> failures() const {
    const std::lock_guard lock(mutex_);
    return failures_;
  }

 private:
  // A cache line each: workers note every few steps how far they are, and must not slow each other down by it.
  struct alignas(64) Slot {
    std::atomic<double> work = 0;          // done of the run in flight
    std::optional<PreparedCell> prepared;  // of the last run: the next one is most often of the same cell
  };

  bool stopped() const { return cancelled_ || (options_.stop != nullptr && *options_.stop); }
  void cancel() {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    room_.notify_all();
  }
  // The next run of a cell that nothing is wrong with.
  const PendingRun* take() {
    const std::lock_guard lock(mutex_);
    while (next_ < tasks_.size() && failed_.contains(tasks_[next_].run->cell)) ++next_;
    return stopped() || next_ == tasks_.size() ? nullptr : &tasks_[next_++];
  }
  bool failed(size_t cell) const {
    const std::lock_guard lock(mutex_);
    return failed_.contains(cell);
  }
  bool small() const { return waiting_bytes_ < kSmallBytes; }
  bool room() const {
    return queue_.size() < kWaitingPerThread * slots_.size() || (queue_.size() < kMostWaiting && small());
  }
  bool enough() const { return queue_.size() >= kSavedTogether || !room(); }
  void hand_over(RunUpdate news) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return cancelled_ || room(); });
    waiting_bytes_ += news.bytes();
    queue_.push_back(std::move(news));
    if (enough()) news_.notify_one();
  }
  // A connection of the worker's own: the store belongs to the calling thread.
  std::optional<Store::StoredCheckpoint> checkpoint_of(const PendingRun& task) const {
    if (task.done == 0) return std::nullopt;
    return Store(store_path_, Store::Mode::read).checkpoint(task.run->id);
  }
  void train(const PendingRun& task, Slot& slot) {
    const RunConfig& config = task.run->config;
    std::optional<Checkpoint> resume;
    double seconds_before = 0;
    if (auto stored = checkpoint_of(task)) {
      resume = std::move(stored->checkpoint);
      seconds_before = stored->seconds;
    }
    int64_t before = resume ? resume->snapshot.step : 0;
    const double step_cost = task.cost / static_cast<double>(std::max<int64_t>(config.training.steps - before, 1));
    const Clock::time_point start = Clock::now();
    const auto seconds = [&] { return seconds_before + seconds_since(start); };
    Clock::time_point saved = start;
    const auto on_progress = [&](const StepReport& report) {
      slot.work.store(step_cost * static_cast<double>(report.steps_done - before), std::memory_order_relaxed);
      if (failed(task.run->cell)) return false;
      const bool stop = stopped();
      if (options_.checkpoint_every > 0 && !cancelled_ && (stop || seconds_since(saved) >= options_.checkpoint_every)) {
        hand_over({task.run, report.checkpoint(), seconds()});
        saved = Clock::now();
      }
      return !stop;
    };
    if (!slot.prepared || slot.prepared->cell != task.run->cell) {
      slot.prepared.reset();  // or there would be two
      slot.prepared.emplace(*task.run, study_.observe);
    }
    slot.prepared->require(*task.run);
    const RunSpec spec = slot.prepared->spec.with_seeds(config.seeds);
    RecordResult result;
    try {
      result = options_.train(spec, slot.prepared->plan, on_progress, std::move(resume));
    } catch (const CheckpointMisfit&) {  // it counts as none: the run is trained from its beginning
      before = 0;
      seconds_before = 0;
      result = options_.train(spec, slot.prepared->plan, on_progress, std::nullopt);
    }
    if (!result.finished) return;  // it was called off
    for (TrainedRun& one : groups_.add({task.run, std::move(result), seconds()}))
      hand_over({one.run, std::move(one.result.recording), one.seconds});
    const std::lock_guard lock(mutex_);
    finished_work_ += task.cost;
    slot.work = 0;
  }
  void work(Slot& slot) {
    try {
      for (const PendingRun* task = take(); task != nullptr; task = take()) {
        try {
          train(*task, slot);
        } catch (const PartFailure& failure) {
          fail_cell(*task->run, failure);
        }
      }
    } catch (const HostStopped&) {  // nobody wants an answer any more
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
  void fail_cell(const Run& run, const PartFailure& failure) {
    const std::lock_guard lock(mutex_);
    if (failed_.insert(run.cell).second)
      failures_.push_back({run.cell, run.seed, failure.part(), failure.what(), failure.details()});
  }
  void fail(std::exception_ptr failure) {
    cancel();
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
  }

  const Study& study_;
  const std::vector<PendingRun> tasks_;
  const std::string store_path_;
  const SweepOptions& options_;
  std::vector<Slot> slots_;
  SeedGroups groups_;
  std::atomic<bool> cancelled_ = false;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable news_, room_;
  std::vector<RunUpdate> queue_;
  size_t waiting_bytes_ = 0;
  size_t next_ = 0;
  size_t working_ = 0;
  double finished_work_ = 0;
  std::exception_ptr failure_;
  std::set<size_t> failed_;  // cells
  std::vector<CellFailure> failures_;

  std::vector<std::thread> threads_;  // not std::jthread, which libc++ lacks before its version 20
};

}  // namespace

SweepResult run_all(const Study& study, const std::vector<Run>& runs, Store& store, const SweepOptions& options) {
  const Clock::time_point start = Clock::now();
  SweepResult result;
  Progress& progress = result.progress;
  const Forecast forecast = forecast_sweep(study, runs, &store, options.threads);
  progress.total = forecast.runs;
  progress.cached = forecast.stored;
  progress.resumed = forecast.unfinished;
  require_memory(forecast.memory);
  if (!forecast.pending.empty()) choose_target(RunSpec(forecast.pending.front().run->config));

  double all_work = 0;
  for (const PendingRun& pending : forecast.pending) all_work += pending.cost;
  WorkerPool workers(study, forecast.pending, store, options, forecast.memory.threads);
  const auto report = [&] {
    progress.seconds = seconds_since(start);
    progress.steps_fraction = all_work > 0 ? std::min(1.0, workers.work_done() / all_work) : 1.0;
    if (options.on_progress) options.on_progress(progress);
  };

  CanonicalTexts texts(study.observe);
  const auto save = [&](std::vector<RunUpdate> news) {
    std::vector<FinishedRun> finished;
    for (RunUpdate& one : news) {
      const Run& run = *one.run;
      if (auto* recording = std::get_if<Recording>(&one.content))
        finished.push_back({run.id, texts.of(run.config), run.config.seeds.init, run.config.seeds.data,
                            std::move(*recording), one.seconds});
      else store.save_checkpoint(run.id, std::get<Checkpoint>(one.content), one.seconds);
    }
    store.save(finished);
    progress.done += std::ssize(finished);
    progress.diverged +=
        std::count_if(finished.begin(), finished.end(), [](const auto& run) { return run.recording.diverged_at; });
  };
  workers.start();
  for (Clock::time_point next_report = start + kBetweenReports; !workers.over();) {
    save(workers.collect(next_report));
    if (Clock::now() >= next_report) {
      report();
      next_report = Clock::now() + kBetweenReports;
    }
  }
  workers.rethrow_failure();
  save(workers.measure_rest());
  result.failures = workers.failures();
  result.interrupted = progress.cached + progress.done < progress.total;
  report();
  return result;
}

}  // namespace atto

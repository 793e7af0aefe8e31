// A sweep gives the same store on any number of threads, in one sitting or many, and fails without losing anything.
#include "lab/sweep/scheduler.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "base/machine.h"
#include "lab/store/store_samples.h"

namespace atto {
namespace {

using TrainRun = Run;  // inside a test, Run is GoogleTest's
using Runs = std::vector<TrainRun>;

using Mode = Store::Mode;

// Two cells of short runs, measured a little.
Study small_study() {
  Study study;
  study.name = "small";
  study.base.data.vocab = 4;
  study.base.training.batch = 16;
  study.base.training.steps = 130;
  study.observe = {{{"perplexity", "embedding"}, {10, 0, 0, {}}}};
  return study;
}

Runs runs_of(const Study& study, int64_t count) {
  Runs runs;
  for (int64_t number = 0; number < count; ++number) {
    TrainRun run{static_cast<size_t>(number % 2), number / 2, study.base, ""};
    run.config.network.width += number % 2;
    run.config.seeds.init = run.config.seeds.data = 1 + number / 2;
    run.id = run_id(run.config, study.observe);
    runs.push_back(run);
  }
  return runs;
}

// A quick stand-in for training, with a record that depends on the configuration alone.
RecordResult pretend(const RunSpec& spec, const SeriesPlan&, const StepCallback& on_progress,
                     std::optional<Checkpoint> = std::nullopt) {
  const RunConfig& config = spec.config();
  if (!on_progress({config.training.steps, [] { return Checkpoint(); }})) return {};
  RecordResult result{true, sample_recording(10 * config.seeds.init + config.network.width)};
  return result;
}

SweepOptions pretending(int threads = 1) {
  SweepOptions options;
  options.threads = threads;
  options.train = pretend;
  return options;
}

class SchedulerTest : public StoreFolder {
 protected:
  std::string digest_of(const std::string& name) const { return Store(path(name), Mode::read).content_digest(); }
  // The store of a sweep in one sitting on one thread.
  std::string uninterrupted(const Study& study, const Runs& runs, SweepOptions options) {
    options.threads = 1;
    Store store(path("uninterrupted"), Mode::write);
    EXPECT_FALSE(run_all(study, runs, store, options).interrupted);
    return store.content_digest();
  }
  // Row for row, by the statement that docs/store-format.md gives.
  void expect_same_rows(const std::string& a, const std::string& b) {
    SQLite::Database database(path(a), SQLite::OPEN_READWRITE);
    database.exec("ATTACH '" + path(b) + "' AS other");
    for (const std::string table : {"runs", "series", "weights", "members", "verdicts"}) {
      for (const auto& [one, two] : {std::pair("main.", "other."), std::pair("other.", "main.")})
        EXPECT_EQ(database
                      .execAndGet("SELECT count(*) FROM (SELECT * FROM " + (one + table) + " EXCEPT SELECT * FROM " +
                                  (two + table) + ")")
                      .getInt(),
                  0)
            << table;
    }
  }
};

TEST_F(SchedulerTest, TrainsTheSameOnOneThreadOrTwo) {
  const Study study = small_study();
  const Runs runs = runs_of(study, 12);
  SweepOptions options;  // real training
  const std::string expected = uninterrupted(study, runs, options);
  options.threads = 2;
  Store store(path("two"), Mode::write);
  const SweepResult result = run_all(study, runs, store, options);
  EXPECT_EQ(result.progress.done, 12);
  EXPECT_EQ(result.progress.steps_fraction, 1.0);
  EXPECT_EQ(store.content_digest(), expected);
  expect_same_rows("uninterrupted", "two");
}

TEST_F(SchedulerTest, ComputesNothingTwice) {
  const Study study = small_study();
  const Runs few = runs_of(study, 4), more = runs_of(study, 10);
  Store store(path(), Mode::write);
  std::atomic<int> trained = 0;
  SweepOptions options = pretending(2);
  options.train = [&](const RunSpec& spec, const SeriesPlan& plan, const StepCallback& on_progress, const auto&) {
    ++trained;
    return pretend(spec, plan, on_progress);
  };
  run_all(study, few, store, options);
  EXPECT_EQ(trained, 4);

  Runs twice = more;
  twice.insert(twice.end(), more.begin(), more.end());
  const SweepResult wider = run_all(study, twice, store, options);
  EXPECT_EQ(trained, 10);
  EXPECT_EQ(wider.progress.total, 10);
  EXPECT_EQ(wider.progress.cached, 4);
  EXPECT_EQ(wider.progress.done, 6);

  const SweepResult again = run_all(study, more, store, options);
  EXPECT_EQ(trained, 10);
  EXPECT_EQ(again.progress.cached, 10);
  EXPECT_EQ(again.progress.steps_fraction, 1.0);
  EXPECT_FALSE(again.interrupted);
}

TEST_F(SchedulerTest, FilesWhatARunIs) {
  const Study study = small_study();
  const Runs runs = runs_of(study, 3);
  Store store(path(), Mode::write);
  int64_t diverged = 0;
  for (const TrainRun& run : runs)
    diverged += sample_recording(10 * run.config.seeds.init + run.config.network.width).diverged_at.has_value();
  EXPECT_EQ(run_all(study, runs, store, pretending()).progress.diverged, diverged);
  const TrainRun& run = runs[2];
  EXPECT_TRUE(same_bits(store.load(run.id), sample_recording(10 * 2 + 2)));
  for (const RunSummary& summary : store.runs()) {
    if (summary.id != run.id) continue;
    EXPECT_EQ(summary.config, canonical_text(run.config, study.observe));
    EXPECT_EQ(summary.init_seed, 2);
  }
}

TEST_F(SchedulerTest, LongestFirst) {
  Study study = small_study();
  Runs runs = runs_of(study, 6);
  for (size_t i = 0; i < runs.size(); ++i) {
    runs[i].cell = i;
    runs[i].config.training.steps = 100 + static_cast<int64_t>(i * 37 % 6);
  }
  std::vector<double> costs;
  SweepOptions options = pretending(1);
  options.train = [&](const RunSpec& spec, const SeriesPlan& plan, const StepCallback& on_progress, const auto&) {
    costs.push_back(spec.cost());
    return pretend(spec, plan, on_progress);
  };
  Store store(path(), Mode::write);
  run_all(study, runs, store, options);
  EXPECT_EQ(costs.size(), 6u);
  EXPECT_TRUE(std::is_sorted(costs.rbegin(), costs.rend()));
}

// A step on all sequences costs as much as a batch of as many.
TEST(Cost, CountsTheSequencesOfAStep) {
  RunConfig batch, expected;
  expected.data.vocab = batch.data.vocab = 10;
  expected.training.gradient = GradientKind::expected;
  batch.training.batch = 2200;  // multisets of three earlier tokens, and the last
  EXPECT_EQ(RunSpec(expected).cost(), RunSpec(batch).cost());
  expected.training.batch = 3;
  EXPECT_EQ(RunSpec(expected).cost(), RunSpec(batch).cost());
}

TEST_F(SchedulerTest, ReportsFromTheCallingThread) {
  const Study study = small_study();
  Store store(path(), Mode::write);
  SweepOptions options = pretending(2);
  std::vector<Progress> reports;
  const auto caller = std::this_thread::get_id();
  options.on_progress = [&](const Progress& progress) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    reports.push_back(progress);
  };
  run_all(study, runs_of(study, 8), store, options);
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports.back().done, 8);
  EXPECT_EQ(reports.back().steps_fraction, 1.0);
  // Ten a second, and one at the end.
  EXPECT_LE(static_cast<double>(reports.size()), reports.back().seconds * 10 + 1);
}

TEST_F(SchedulerTest, StopsWhenAskedAndContinues) {
  const Study study = small_study();
  const Runs runs = runs_of(study, 9);
  const std::string expected = uninterrupted(study, runs, pretending());
  std::atomic<bool> stop = false;
  SweepOptions options = pretending();
  options.stop = &stop;
  int started = 0;
  options.train = [&](const RunSpec& spec, const SeriesPlan& plan, const StepCallback& on_progress, const auto&) {
    if (++started == 5) stop = true;  // Ctrl-C while the fifth is in flight
    return pretend(spec, plan, on_progress);
  };
  {
    Store store(path(), Mode::write);
    const SweepResult result = run_all(study, runs, store, options);
    EXPECT_TRUE(result.interrupted);
    EXPECT_EQ(result.progress.done, 4);
    EXPECT_LT(result.progress.steps_fraction, 1.0);
    EXPECT_EQ(store.runs().size(), 4u);
    EXPECT_EQ(started, 5);
  }
  Store store(path(), Mode::write);
  EXPECT_EQ(run_all(study, runs, store, pretending(2)).progress.cached, 4);
  EXPECT_EQ(store.content_digest(), expected);
}

TEST_F(SchedulerTest, HasDoneNothingWhereItIsStoppedBeforeItBegins) {
  const Study study = small_study();
  const std::atomic<bool> stop = true;
  SweepOptions options = pretending();
  options.stop = &stop;
  Store store(path(), Mode::write);
  const SweepResult result = run_all(study, runs_of(study, 3), store, options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.progress.done, 0);
  EXPECT_EQ(result.progress.steps_fraction, 0.0);
}

TEST_F(SchedulerTest, StopsRealTrainingPromptly) {
  Study study = small_study();
  study.base.training.steps = 1'000'000'000;
  study.observe = {{{"perplexity"}, {0, 10, 0, {}}}};
  std::atomic<bool> stop = false;
  SweepOptions options;
  options.stop = &stop;
  options.on_progress = [&](const Progress&) { stop = true; };
  Store store(path(), Mode::write);
  EXPECT_TRUE(run_all(study, runs_of(study, 2), store, options).interrupted);
  EXPECT_TRUE(store.runs().empty());
}

TEST_F(SchedulerTest, AWorkersFailureStopsTheSweepAndKeepsTheRest) {
  const Study study = small_study();
  SweepOptions options = pretending(2);
  std::atomic<int> started = 0;
  options.train = [&](const RunSpec& spec, const SeriesPlan& plan, const StepCallback& on_progress, const auto&) {
    const int number = ++started;
    if (number == 6) throw Error(ErrorKind::config, "the sixth fails");
    while (number > 6 && on_progress({})) std::this_thread::yield();  // a long run, until it is called off
    return pretend(spec, plan, on_progress);
  };
  Store store(path(), Mode::write);
  const Error error = error_of([&] { run_all(study, runs_of(study, 40), store, options); });
  EXPECT_STREQ(error.what(), "the sixth fails");
  EXPECT_EQ(store.runs().size(), 5u);
  EXPECT_LE(started, 7);

  options.train = [](const RunSpec&, const SeriesPlan&, const StepCallback&, const auto&) -> RecordResult {
    throw std::bad_alloc();
  };
  EXPECT_EQ(error_of([&] { run_all(study, runs_of(study, 60), store, options); }).kind(), ErrorKind::resources);
}

TEST_F(SchedulerTest, AStoreThatFailsStopsTheSweep) {
  const Study study = small_study();
  SweepOptions options = pretending(1);
  std::atomic<int> started = 0;
  options.train = [&](const RunSpec& spec, const SeriesPlan& plan, const StepCallback& on_progress, const auto&) {
    RecordResult result = pretend(spec, plan, on_progress);
    if (++started == 4) result.recording.series[0].values.clear();  // cannot be saved
    return result;
  };
  Store store(path(), Mode::write);
  EXPECT_EQ(error_of([&] { run_all(study, runs_of(study, 1000), store, options); }).kind(), ErrorKind::internal);
  EXPECT_EQ(store.runs().size(), 3u);
  // The worker waits for the store, so it cannot run far ahead: 192 runs are with the store at most, and 192 wait.
  EXPECT_LE(started, 4 + 2 * 192);

  options = pretending(2);
  options.on_progress = [](const Progress&) { throw std::runtime_error("nobody listens"); };
  EXPECT_THROW(run_all(study, runs_of(study, 10), store, options), std::runtime_error);
  for (const RunSummary& run : store.runs()) EXPECT_NO_THROW(store.load(run.id));
}

TEST_F(SchedulerTest, RefusesWhatDoesNotFitIntoMemory) {
  ASSERT_GT(available_memory(), 0u);
  ASSERT_GE(usable_cores(), 1);
  Study study = small_study();
  study.base.data.vocab = 1 << 20;
  study.base.network.width = 1 << 20;
  SweepOptions options = pretending(2);
  options.train = [](const RunSpec&, const SeriesPlan&, const StepCallback&, const auto&) -> RecordResult {
    ADD_FAILURE() << "started";
    return {};
  };
  Store store(path(), Mode::write);
  const Error network = error_of([&] { run_all(study, runs_of(study, 2), store, options); });
  EXPECT_EQ(network.kind(), ErrorKind::resources);
  EXPECT_NE(std::string(network.what()).find(" GB"), std::string::npos) << network.what();

  study = small_study();
  study.base.training.steps = 1'000'000'000'000;
  study.observe = {{{"perplexity"}, {1, 0, 0, {}}}};
  const Error series = error_of([&] { run_all(study, runs_of(study, 2), store, options); });
  EXPECT_EQ(series.kind(), ErrorKind::resources);
  EXPECT_FALSE(series.remedy().empty());
  EXPECT_EQ(error_of([&] { run_all(study, {}, store, pretending(-1)); }).kind(), ErrorKind::usage);
}

// The child blocks in its sixth run until five are saved, tells so, and is killed there.
TEST_F(SchedulerTest, KilledAndResumedEqualsUninterrupted) {
  const Study study = small_study();
  const Runs runs = runs_of(study, 11);
  const SweepOptions real;
  const std::string expected = uninterrupted(study, runs, real);
  constexpr int kSaved = 5;
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    Store store(path(), Mode::write);
    SweepOptions options;
    options.threads = 1;
    int started = 0;
    options.train = [&](const RunSpec& spec, const SeriesPlan& plan, const StepCallback& on_progress,
                        std::optional<Checkpoint> resume) {
      if (started++ == kSaved)
        while (true) pause();
      return record_run(spec, plan, on_progress, std::move(resume));
    };
    options.on_progress = [&](const Progress& progress) {
      if (progress.done == kSaved) static_cast<void>(!write(pipe_ends[1], "x", 1));
    };
    run_all(study, runs, store, options);
    _exit(1);
  }
  char signal_byte = 0;
  ASSERT_EQ(read(pipe_ends[0], &signal_byte, 1), 1);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  close(pipe_ends[0]);
  close(pipe_ends[1]);

  {
    Store store(path(), Mode::write);  // the lock died with its holder
    EXPECT_EQ(store.runs().size(), static_cast<size_t>(kSaved));
    const SweepResult resumed = run_all(study, runs, store, real);
    EXPECT_EQ(resumed.progress.cached, kSaved);
    EXPECT_EQ(resumed.progress.done, 11 - kSaved);
  }
  EXPECT_EQ(digest_of("runs.atto"), expected);
  expect_same_rows("runs.atto", "uninterrupted");
}

}  // namespace
}  // namespace atto

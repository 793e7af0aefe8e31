// Checkpoints in the store and in a sweep: kept bit for bit, used once, gone when their run is finished.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "lab/store/row.h"
#include "lab/store/store_samples.h"
#include "lab/sweep/scheduler.h"

namespace atto {
namespace {

using TrainRun = Run;  // inside a test, Run is GoogleTest's
using Mode = Store::Mode;

class CheckpointStoreTest : public StoreFolder {};

TEST_F(CheckpointStoreTest, KeepsTheLastOneBitForBitUntilTheRunIsFinished) {
  Store store(path(), Mode::write);
  const std::string empty = store.content_digest();
  EXPECT_FALSE(store.checkpoint("run1"));
  store.save_checkpoint("run1", sample_checkpoint(64), 1);
  store.save_checkpoint("run2", Checkpoint(), 0);  // one with nothing in it
  store.save_checkpoint("run1", sample_checkpoint(128), 2.5);
  const Store reader(path(), Mode::read);
  const auto found = reader.checkpoint("run1");
  ASSERT_TRUE(found);
  EXPECT_TRUE(same_bits(found->checkpoint, sample_checkpoint(128)));
  EXPECT_EQ(found->seconds, 2.5);
  EXPECT_TRUE(same_bits(reader.checkpoint("run2")->checkpoint, Checkpoint()));
  EXPECT_EQ(reader.checkpoint_steps(), (std::map<std::string, int64_t>{{"run1", 128}, {"run2", 0}}));
  EXPECT_EQ(store.content_digest(), empty) << "a checkpoint is no result";
  EXPECT_FALSE(store.has("run1"));

  save_sample(store, 1);
  EXPECT_FALSE(store.checkpoint("run1"));
  EXPECT_EQ(store.checkpoint_steps().size(), 1u);
}

// Whatever part is the largest counts with the others: Adam keeps twice the weights, a long series more than both.
TEST_F(CheckpointStoreTest, AnyPartMayBeTheLargest) {
  Store store(path(), Mode::write);
  Checkpoint large[4] = {sample_checkpoint(64), sample_checkpoint(64), sample_checkpoint(64), sample_checkpoint(64)};
  large[0].snapshot.parameters.resize(10'000, 0.5f);
  large[1].snapshot.optimizer.resize(10'000, 0.5f);
  large[2].snapshot.extra.resize(10'000, 0.5);
  large[3].measured.resize(10'000, 0.5);
  for (const Checkpoint& one : large) {
    store.save_checkpoint("run1", one, 1);
    const auto found = store.checkpoint("run1");
    ASSERT_TRUE(found);
    EXPECT_TRUE(same_bits(found->checkpoint, one));
  }
}

TEST_F(CheckpointStoreTest, ADamagedOneIsNone) {
  {
    Store store(path(), Mode::write);
    for (const char* run : {"fine", "flipped", "cut"}) store.save_checkpoint(run, sample_checkpoint(64), 1);
  }
  {
    SQLite::Database database(path(), SQLite::OPEN_READWRITE);
    database.exec("UPDATE checkpoints SET measured = zeroblob(length(measured)) WHERE run_id = 'flipped'");
    database.exec("UPDATE checkpoints SET parameters = substr(parameters, 1, 7) WHERE run_id = 'cut'");
  }
  Store store(path(), Mode::write);
  EXPECT_TRUE(store.checkpoint("fine"));
  for (const char* run : {"flipped", "cut"}) {
    EXPECT_FALSE(store.checkpoint(run)) << run;
    store.save_checkpoint(run, sample_checkpoint(128), 1);
    EXPECT_TRUE(store.checkpoint(run)) << run;
  }
}

TEST_F(CheckpointStoreTest, TheRevisionIsLookedAtAndNotOnlyTheChecksum) {
  Store store(path(), Mode::write);
  for (const int64_t revision : {kEngineRevision - 1, kEngineRevision, kEngineRevision + 1}) {
    SQLite::Database database(path(), SQLite::OPEN_READWRITE);
    SQLite::Statement insert(database, "INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    const std::string run = "run1";
    const std::vector<float> none;
    RowWriter(insert)
        .text(run)
        .integer(revision)
        .integer(64)
        .integer(0)
        .real(1)
        .blob(none)
        .blob(none)
        .blob(none)
        .blob(none)
        .insert();
    EXPECT_EQ(store.checkpoint("run1").has_value(), revision == kEngineRevision);
    EXPECT_EQ(store.checkpoint_steps().size(), revision == kEngineRevision ? 1u : 0u);
  }
}

// A store as format 1 had it.
void make_format_1(const std::string& path) {
  { save_sample(*std::make_unique<Store>(path, Mode::write), 1); }
  SQLite::Database database(path, SQLite::OPEN_READWRITE);
  database.exec("DROP TABLE checkpoints; DROP TABLE questions; PRAGMA user_version = 1");
  database.exec("UPDATE meta SET value = '1' WHERE key = 'format'");
}

TEST_F(CheckpointStoreTest, AnOlderFormatIsReadAsItIsAndMigratedByAWriter) {
  make_format_1(path());
  const std::string before = bytes_of(path());
  {
    const Store reader(path(), Mode::read);
    EXPECT_TRUE(same_bits(reader.load("run1"), sample_recording(1)));
    EXPECT_TRUE(reader.checkpoint_steps().empty());
    EXPECT_FALSE(reader.checkpoint("run2"));
  }
  EXPECT_TRUE(bytes_of(path()) == before) << "a reader changes nothing";
  for (int time = 0; time < 2; ++time) {  // the second finds it migrated
    Store store(path(), Mode::write);
    EXPECT_TRUE(same_bits(store.load("run1"), sample_recording(1)));
    store.save_checkpoint("run2", sample_checkpoint(64), 1);
    EXPECT_TRUE(store.checkpoint("run2"));
  }
  SQLite::Database database(path(), SQLite::OPEN_READONLY);
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), kStoreFormat);
  EXPECT_EQ(database.execAndGet("SELECT value FROM meta WHERE key = 'format'").getString(),
            std::to_string(kStoreFormat));
}

// Killed right after the migration: the header in the file still says 1, the log beside it says 2.
TEST_F(CheckpointStoreTest, AMigrationThatIsStillInTheLogIsNotDoneTwice) {
  make_format_1(path());
  ASSERT_EQ(in_child([&] {
              Store store(path(), Mode::write);
              _exit(0);  // with the store open
              return 1;
            }),
            0);
  EXPECT_TRUE(Store(path(), Mode::read).has("run1"));
  Store store(path(), Mode::write);
  store.save_checkpoint("run2", sample_checkpoint(64), 1);
  EXPECT_TRUE(store.checkpoint("run2"));
}

class CheckpointSweepTest : public StoreFolder {
 protected:
  // Two cells of 700 steps each: an even number of reports, and a few steps after the last.
  Study study() const {
    Study study;
    study.name = "small";
    study.base.data.vocab = 4;
    study.base.training.batch = 16;
    study.base.training.steps = 700;
    study.observe = {{{"perplexity", "embedding"}, {10, 0, 0, {}}}};
    return study;
  }
  std::vector<TrainRun> runs_of(const Study& study) const {
    std::vector<TrainRun> runs;
    for (int64_t width : {2, 3}) {
      TrainRun run{static_cast<size_t>(width - 2), 0, study.base, ""};
      run.config.network.width = width;
      run.id = run_id(run.config, study.observe);
      runs.push_back(run);
    }
    return runs;
  }
  std::string uninterrupted() const {
    Store store(path("uninterrupted"), Mode::write);
    EXPECT_FALSE(run_all(study(), runs_of(study()), store, {}).interrupted);
    EXPECT_TRUE(store.checkpoint_steps().empty());
    return store.content_digest();
  }
};

// Trains and notes from which step on each run did.
struct Starts {
  std::mutex mutex;
  std::multiset<int64_t> steps;
  SweepOptions watch(SweepOptions options) {
    options.train = [this](const RunSpec& spec, const SeriesPlan& plan, const StepCallback& on_progress,
                           std::optional<Checkpoint> resume) {
      {
        const std::lock_guard lock(mutex);
        steps.insert(resume ? resume->snapshot.step : 0);
      }
      return record_run(spec, plan, on_progress, std::move(resume));
    };
    return options;
  }
};

TEST_F(CheckpointSweepTest, AStoppedSweepGoesOnWhereItWas) {
  const std::string expected = uninterrupted();
  for (const int threads : {1, 2}) {
    SCOPED_TRACE(threads);
    const std::string name = "sweep" + std::to_string(threads);
    std::atomic<bool> stop = false;
    SweepOptions options;
    options.threads = threads;
    options.stop = &stop;
    // Ctrl-C when the first run has done 320 steps.
    options.train = [&](const RunSpec& spec, const SeriesPlan& plan, const StepCallback& on_progress,
                        std::optional<Checkpoint> resume) {
      const auto with_signal = [&](const StepReport& report) {
        if (report.steps_done == 320) stop = true;
        return on_progress(report);
      };
      return record_run(spec, plan, with_signal, std::move(resume));
    };
    {
      Store store(path(name), Mode::write);
      EXPECT_TRUE(run_all(study(), runs_of(study()), store, options).interrupted);
      const auto steps = store.checkpoint_steps();
      ASSERT_FALSE(steps.empty());
      int64_t furthest = 0;
      for (const auto& [run, step] : steps) furthest = std::max(furthest, step);
      EXPECT_GE(furthest, 320);
      EXPECT_LE(steps.size(), static_cast<size_t>(threads));
    }
    Starts starts;
    Store store(path(name), Mode::write);
    const SweepResult result = run_all(study(), runs_of(study()), store, starts.watch({}));
    EXPECT_FALSE(result.interrupted);
    EXPECT_GE(result.progress.resumed, 1);
    EXPECT_GE(*starts.steps.rbegin(), 320);
    EXPECT_TRUE(store.checkpoint_steps().empty()) << "finished runs need none";
    EXPECT_EQ(store.content_digest(), expected);
  }
}

TEST_F(CheckpointSweepTest, WithoutCheckpointsNothingIsKept) {
  std::atomic<bool> stop = false;
  SweepOptions options;
  options.stop = &stop;
  options.checkpoint_every = 0;
  options.train = [&](const RunSpec& spec, const SeriesPlan& plan, const StepCallback& on_progress, const auto&) {
    stop = true;
    return record_run(spec, plan, on_progress);
  };
  Store store(path(), Mode::write);
  EXPECT_TRUE(run_all(study(), runs_of(study()), store, options).interrupted);
  EXPECT_TRUE(store.checkpoint_steps().empty());
}

// A checkpoint at every report, and a damaged one: the run starts again at step 0 and ends the same.
TEST_F(CheckpointSweepTest, ADamagedCheckpointCostsOnlyTime) {
  const std::vector<TrainRun> runs = runs_of(study());
  {
    Store store(path(), Mode::write);
    const auto stop = [&](const StepReport& report) {
      store.save_checkpoint(runs[0].id, report.checkpoint(), 100);
      return report.steps_done < 256;
    };
    record_run(RunSpec(runs[0].config), study().observe, stop);
  }
  SQLite::Database(path(), SQLite::OPEN_READWRITE)
      .exec("UPDATE checkpoints SET optimizer = zeroblob(length(optimizer))");
  Starts starts;
  Store store(path(), Mode::write);
  run_all(study(), runs, store, starts.watch({}));
  EXPECT_EQ(starts.steps, (std::multiset<int64_t>{0, 0}));
  EXPECT_EQ(store.content_digest(), uninterrupted());
}

// Its checksum is right, and it is of another network, of another plan, or of a step beyond the end.
TEST_F(CheckpointSweepTest, ACheckpointThatDoesNotFitCountsAsNone) {
  const std::vector<TrainRun> runs = runs_of(study());
  std::optional<Checkpoint> good;
  record_run(RunSpec(runs[0].config), study().observe, [&](const StepReport& report) {
    good = report.checkpoint();
    return false;
  });
  ASSERT_TRUE(good);
  int number = 0;
  for (const auto& spoil : std::vector<std::function<void(Checkpoint&)>>{
           [](Checkpoint& one) { one.snapshot.parameters.pop_back(); },
           [](Checkpoint& one) { one.snapshot.optimizer.push_back(0); },
           [](Checkpoint& one) { one.snapshot.extra.push_back(0); }, [](Checkpoint& one) { one.measured.pop_back(); },
           [](Checkpoint& one) { one.measured.push_back(0); }, [](Checkpoint& one) { one.snapshot.step = -1; },
           [](Checkpoint& one) { one.snapshot.step = int64_t{1} << 60; }}) {
    SCOPED_TRACE(++number);
    Checkpoint bad = *good;
    spoil(bad);
    EXPECT_THROW(record_run(RunSpec(runs[0].config), study().observe, {}, bad), CheckpointMisfit);
    Store store(path("spoilt" + std::to_string(number)), Mode::write);
    store.save_checkpoint(runs[0].id, bad, 1);
    EXPECT_FALSE(run_all(study(), runs, store, {}).interrupted);
    EXPECT_EQ(store.content_digest(), uninterrupted());
  }
}

TEST(StoredCheckpoints, AreNoLargerThanARow) {
  EXPECT_TRUE(fits_a_row(0, 0));
  EXPECT_TRUE(fits_a_row((kLargestBlob - 4096) / 4, 0));
  EXPECT_FALSE(fits_a_row((kLargestBlob - 4096) / 4 + 1, 0));
  EXPECT_TRUE(fits_a_row(0, (kLargestBlob - 4096) / 8));
  EXPECT_FALSE(fits_a_row(0, (kLargestBlob - 4096) / 8 + 1));
  EXPECT_FALSE(fits_a_row((kLargestBlob - 4096) / 8 + 1, (kLargestBlob - 4096) / 16)) << "both together";
}

TEST_F(CheckpointSweepTest, TheTimeOfAResumedRunIsThatOfBothSittings) {
  const std::vector<TrainRun> runs = runs_of(study());
  Store store(path(), Mode::write);
  const auto stop = [&](const StepReport& report) {
    store.save_checkpoint(runs[0].id, report.checkpoint(), 1000);
    return report.steps_done < 128;
  };
  record_run(RunSpec(runs[0].config), study().observe, stop);
  Starts starts;
  run_all(study(), runs, store, starts.watch({}));
  EXPECT_EQ(starts.steps, (std::multiset<int64_t>{0, 128}));
  for (const RunSummary& run : store.runs()) EXPECT_EQ(run.seconds > 1000, run.id == runs[0].id);
}

// Every report is a checkpoint. The child is killed once the first of them can be seen, wherever it is by then.
TEST_F(CheckpointSweepTest, KilledInTheMiddleOfARunItGoesOnFromTheCheckpoint) {
  Study longer = study();
  longer.base.training.steps = 2'000'000;  // for minutes; it is killed
  longer.observe = {{{"perplexity"}, {0, 50, 0, {}}}};
  const std::vector<TrainRun> runs{runs_of(longer)[0]};
  const pid_t child = fork();
  if (child == 0) {
    Store store(path(), Mode::write);
    SweepOptions options;
    options.checkpoint_every = 1e-9;
    run_all(longer, runs, store, options);
    _exit(1);
  }
  int64_t step = 0;
  while (step == 0) {
    std::this_thread::yield();
    if (!std::filesystem::exists(path()) || std::filesystem::file_size(path()) == 0) continue;
    try {
      const auto steps = Store(path(), Mode::read).checkpoint_steps();
      if (!steps.empty()) step = steps.at(runs[0].id);
    } catch (const Error&) {  // the child is still making the file
    }
  }
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));

  std::optional<Checkpoint> left;
  {
    Store store(path(), Mode::write);  // also takes over the log
    const auto found = store.checkpoint(runs[0].id);
    ASSERT_TRUE(found) << "a kill leaves the checkpoint whole";
    left = found->checkpoint;
  }
  EXPECT_GE(left->snapshot.step, step);
  // The same point of a run that was never killed.
  const auto compare = [&](const StepReport& report) {
    if (report.steps_done < left->snapshot.step) return true;
    EXPECT_TRUE(same_bits(report.checkpoint(), *left));
    return false;
  };
  EXPECT_FALSE(record_run(RunSpec(runs[0].config), longer.observe, compare).finished);
}

}  // namespace
}  // namespace atto

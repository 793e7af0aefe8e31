// Workers publish packs, go on where others stopped, and come to the rows of one machine.
#include "lab/cluster/worker.h"

#include <gtest/gtest.h>

#include <atomic>

#include "job_samples.h"
#include "lab/cluster/job_status.h"

namespace atto::worker_test {
namespace {

namespace fs = std::filesystem;
using Mode = Store::Mode;

class WorkerTest : public JobTest {
 protected:
  WorkerOptions options(int64_t task, const std::string& scratch = "scratch") const {
    WorkerOptions worker;
    worker.task = task;
    worker.scratch = path(scratch);
    worker.host = "node" + std::to_string(task);
    worker.sweep.threads = 2;
    return worker;
  }
  std::string digest_of_one_machine() const {
    Store store(path("alone.db"), Mode::write);
    run_all(study_, runs_, store, {});
    return store.content_digest();
  }
  std::string digest_of_job(const JobFolder& folder) const {
    Store store(path("merged.db"), Mode::write);
    for (int64_t pack = folder.job().packs(); pack >= 1; --pack)
      store.merge(Store(folder.shard(pack).string(), Mode::read));
    return store.content_digest();
  }
};

TEST_F(WorkerTest, TogetherTheyComeToTheRowsOfOneMachine) {
  const JobFolder folder = make(2, 5);
  EXPECT_EQ(work(folder, options(2)), WorkerEnd::done);
  EXPECT_EQ(folder.published(), (std::vector<bool>{false, true, false, true, false}));
  const std::vector<double>& costs = folder.job().costs;
  EXPECT_NEAR(read_record(folder, 2)->cost, costs[1] + costs[3], 1e-9 * (costs[1] + costs[3]));
  for (int other = 0; other < 30; ++other)  // what file systems and people leave there, in whatever order it is listed
    write_bytes(path("job/shards/" + std::to_string(other) + ".txt"), "");
  EXPECT_EQ(folder.published(), (std::vector<bool>{false, true, false, true, false}));
  EXPECT_EQ(work(folder, options(1)), WorkerEnd::done);
  EXPECT_EQ(digest_of_job(folder), digest_of_one_machine());
  EXPECT_TRUE(fs::is_empty(path("scratch"))) << "a pack that is published leaves nothing behind";
  EXPECT_EQ(Store(folder.shard(3).string(), Mode::read).label()->index, 3);
}

TEST_F(WorkerTest, WhatIsPublishedIsNotTrainedAgain) {
  const JobFolder folder = make(1, 3);
  ASSERT_EQ(work(folder, options(1)), WorkerEnd::done);
  const auto written = fs::last_write_time(folder.shard(2));
  WorkerOptions again = options(1);
  again.on_pack = [](int64_t, const Progress&) { FAIL(); };
  EXPECT_EQ(work(folder, again), WorkerEnd::done);
  EXPECT_EQ(fs::last_write_time(folder.shard(2)), written);
}

TEST_F(WorkerTest, GoesOnFromTheCheckpointsOfAnotherMachine) {
  const JobFolder folder = make(1, 2);
  std::atomic<bool> stop = false;
  std::atomic<int> begun = 0;
  WorkerOptions first = options(1, "first");
  first.sweep.stop = &stop;
  first.sweep.threads = 1;
  first.sweep.train = [&](const RunSpec& spec, const SeriesPlan& plan, const StepCallback& on_step,
                          std::optional<Checkpoint> resume) {
    const bool last = ++begun == 3;  // the third run is stopped half-way
    return record_run(
        spec, plan,
        [&](const StepReport& report) {
          if (last && report.steps_done >= 64) stop = true;
          return on_step(report);
        },
        std::move(resume));
  };
  EXPECT_EQ(work(folder, first), WorkerEnd::stopped);
  EXPECT_EQ(folder.published(), (std::vector<bool>{false, false}));
  ASSERT_TRUE(fs::exists(folder.partial(1)));
  EXPECT_EQ(Store(folder.partial(1).string(), Mode::read).checkpoint_steps().size(), 1u);

  WorkerOptions second = options(1, "second");
  std::vector<Progress> packs;
  second.on_pack = [&](int64_t, const Progress& progress) { packs.push_back(progress); };
  EXPECT_EQ(work(folder, second), WorkerEnd::done);
  ASSERT_EQ(packs.size(), 2u);
  EXPECT_EQ(packs[0].cached, 2);
  EXPECT_EQ(packs[0].resumed, 1);
  EXPECT_FALSE(fs::exists(folder.partial(1)));
  EXPECT_EQ(digest_of_job(folder), digest_of_one_machine());
  EXPECT_EQ(read_record(folder, 1)->attempt, 2);
}

TEST_F(WorkerTest, PublishesAPackInTrainingNowAndThen) {
  const JobFolder folder = make(1, 1);
  WorkerOptions worker = options(1);
  worker.publish_every = 0;  // at every report
  bool seen = false;
  worker.sweep.on_progress = [&](const Progress&) { seen = seen || fs::exists(folder.partial(1)); };
  int64_t slow = 0;  // as many steps as it takes for two reports
  worker.sweep.train = [&](const RunSpec& spec, const SeriesPlan& plan, const StepCallback& on_step,
                           std::optional<Checkpoint> resume) {
    RecordResult result = record_run(spec, plan, on_step, resume);
    while (!seen && ++slow < 100'000) result = record_run(spec, plan, on_step, resume);
    return result;
  };
  worker.sweep.threads = 1;
  EXPECT_EQ(work(folder, worker), WorkerEnd::done);
  EXPECT_TRUE(seen);
}

TEST_F(WorkerTest, TakesUpWhatAKilledOneLeftInItsScratch) {
  const JobFolder folder = make(1, 1);
  fs::create_directories(path("scratch"));
  {
    Store left(path("scratch/pack-1.db"), Mode::write);
    left.label({"tiny", folder.job().variant, folder.job().sweep, 1, 1, std::ssize(runs_)});
    run_all(study_, {runs_.begin(), runs_.begin() + 5}, left, {});
  }
  WorkerOptions worker = options(1);
  worker.on_pack = [](int64_t, const Progress& progress) { EXPECT_EQ(progress.cached, 5); };
  EXPECT_EQ(work(folder, worker), WorkerEnd::done);
  EXPECT_EQ(digest_of_job(folder), digest_of_one_machine());
}

TEST_F(WorkerTest, DamagedLeftoversCostOnlyTime) {
  const JobFolder folder = make(1, 1);
  fs::create_directories(path("scratch"));
  write_bytes(path("scratch/pack-1.db"), "not a store");
  write_bytes(folder.partial(1).string(), "cut short");
  EXPECT_EQ(work(folder, options(1)), WorkerEnd::done);
  EXPECT_EQ(digest_of_job(folder), digest_of_one_machine());
}

TEST_F(WorkerTest, SaysInItsRecordWhyItFailed) {
  const JobFolder folder = make(1, 1);
  write_bytes(path("file"), "");
  EXPECT_THROW(work(folder, options(1, "file/scratch")), Error);
  const auto record = read_record(folder, 1);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->state, TaskState::failed);
  EXPECT_NE(record->message.find("cannot make"), std::string::npos) << record->message;
  // A disk that fills up in the middle of training.
  WorkerOptions full = options(1);
  full.sweep.train = [](auto&&...) -> RecordResult { throw Error(ErrorKind::resources, "the disk is full"); };
  EXPECT_THROW(work(folder, full), Error);
  EXPECT_EQ(read_record(folder, 1)->message, "the disk is full");
  EXPECT_EQ(work(folder, options(1)), WorkerEnd::done) << "elsewhere it works";
  EXPECT_EQ(digest_of_job(folder), digest_of_one_machine());
}

TEST_F(WorkerTest, RefusesAJobThatIsNotItsOwn) {
  const JobFolder folder = make(2, 2);
  EXPECT_THROW(work(folder, options(0)), Error);
  EXPECT_THROW(work(folder, options(3)), Error);
  write_bytes(folder.study_file().string(), std::string(kJobStudy) + "[base]\n");
  EXPECT_THROW(work(folder, options(1)), Error);
  std::string other = kJobStudy;
  other.replace(other.find("steps = 200"), 11, "steps = 201");
  write_bytes(folder.study_file().string(), other);
  EXPECT_THROW(work(folder, options(1)), Error) << "other runs than those that were submitted";
  std::string text = bytes_of(path("job/job.json"));
  const std::string revision = "\"engine_revision\": " + std::to_string(kEngineRevision);
  ASSERT_NE(text.find(revision), std::string::npos);
  text.replace(text.find(revision), revision.size(), "\"engine_revision\": 1");
  write_bytes(path("job/job.json"), text);
  EXPECT_THROW(work(JobFolder(path("job")), options(1)), Error);
  EXPECT_EQ(folder.published(), (std::vector<bool>{false, false}));
}

}  // namespace
}  // namespace atto::worker_test

// What a job's folder and the queue say together.
#include "lab/cluster/job_status.h"

#include <gtest/gtest.h>

#include "job_samples.h"

namespace atto::job_status_test {
namespace {

class JobStatusTest : public JobTest {
 protected:
  static void say(const JobFolder& folder, int64_t task, TaskState state, const std::string& message = "") {
    TaskRecord record;
    record.state = state;
    record.job = "17";
    record.pack = task;
    record.pack_runs = 2;
    record.pack_share = 0.5;
    record.seconds = 10;
    record.cost = folder.job().costs[static_cast<size_t>(task - 1)] / 2;
    record.message = message;
    write_record(folder, task, record);
  }
  static std::vector<TaskStanding> standings(const JobStatus& status) {
    std::vector<TaskStanding> all;
    for (const TaskStatus& task : status.tasks) all.push_back(task.standing);
    return all;
  }
};

using enum TaskStanding;

TEST_F(JobStatusTest, TheQueueDecidesWhoIsGone) {
  const JobFolder folder = make(4, 4);
  write_bytes(folder.shard(1).string(), "");
  for (int64_t task : {2, 3}) say(folder, task, TaskState::running);
  say(folder, 4, TaskState::failed, "the disk is full");
  const Queue queue = std::map<int64_t, Queued>{{2, Queued::running}};
  const JobStatus status = read_status(folder, queue, seconds_since_1970());
  EXPECT_EQ(standings(status), (std::vector{done, running, gone, failed}));
  EXPECT_EQ(status.to_submit(), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(status.packs_done, 1);
  EXPECT_EQ(status.runs, 12);
  EXPECT_EQ(status.runs_done, 3 + 2 + 2 + 2);
  // A failed task that was submitted again waits.
  const Queue later = std::map<int64_t, Queued>{{2, Queued::running}, {3, Queued::waiting}, {4, Queued::waiting}};
  EXPECT_EQ(standings(read_status(folder, later, seconds_since_1970())),
            (std::vector{done, running, waiting, waiting}));
}

TEST_F(JobStatusTest, AWorkerStartedByHandRunsWithoutTheQueue) {
  const JobFolder folder = make(1, 1);
  TaskRecord record;
  write_record(folder, 1, record);
  const Queue nobody = std::map<int64_t, Queued>();
  EXPECT_EQ(standings(read_status(folder, nobody, seconds_since_1970())), (std::vector{running}));
  EXPECT_EQ(standings(read_status(folder, nobody, seconds_since_1970() + 3600)), (std::vector{gone}));
}

TEST_F(JobStatusTest, WhatNobodySubmittedIsPlannedAndNotGone) {
  const JobFolder folder = make(4, 4);
  const Queue never = std::map<int64_t, Queued>{
      {1, Queued::not_submitted}, {2, Queued::not_submitted}, {3, Queued::not_submitted}, {4, Queued::not_submitted}};
  const double now = seconds_since_1970();
  EXPECT_EQ(standings(read_status(folder, never, now)), (std::vector{planned, planned, planned, planned}));
  EXPECT_EQ(read_status(folder, never, now).to_submit(), (std::vector<int64_t>{1, 2, 3, 4})) << "it may be submitted";
  write_record(folder, 1, TaskRecord());
  say(folder, 2, TaskState::failed, "x");
  write_bytes(folder.shard(3).string(), "");
  EXPECT_EQ(standings(read_status(folder, never, now)), (std::vector{running, failed, done, planned}));
  EXPECT_EQ(standings(read_status(folder, never, now + 3600)), (std::vector{gone, failed, done, planned}));
}

TEST_F(JobStatusTest, WithoutAQueueTheRecordsSpeak) {
  const JobFolder folder = make(4, 4);
  say(folder, 1, TaskState::running);
  say(folder, 2, TaskState::requeued);
  say(folder, 3, TaskState::failed, "x");
  const double now = seconds_since_1970();
  EXPECT_EQ(standings(read_status(folder, std::nullopt, now)), (std::vector{running, waiting, failed, waiting}));
  EXPECT_EQ(standings(read_status(folder, std::nullopt, now + 3600)), (std::vector{gone, waiting, failed, waiting}));
}

TEST_F(JobStatusTest, EstimatesFromThePaceSoFar) {
  const JobFolder folder = make(2, 2);
  EXPECT_FALSE(read_status(folder, std::nullopt, 0).seconds_left);
  for (int64_t task : {1, 2}) say(folder, task, TaskState::running);
  const double now = seconds_since_1970();
  // Each has done half of its share in 10 s.
  EXPECT_NEAR(*read_status(folder, std::nullopt, now).seconds_left, 10, 2);
  const Queue one = std::map<int64_t, Queued>{{1, Queued::running}};
  EXPECT_NEAR(*read_status(folder, one, now).seconds_left, 20, 4) << "one alone takes twice as long";
  for (int64_t pack : {1, 2}) write_bytes(folder.shard(pack).string(), "");
  const JobStatus status = read_status(folder, std::nullopt, now);
  EXPECT_TRUE(status.done());
  EXPECT_EQ(status.seconds_left, 0);
}

TEST_F(JobStatusTest, ThePaceCountsEachTaskThatHasSpoken) {
  const JobFolder folder = make(2, 2);
  say(folder, 2, TaskState::running);
  EXPECT_NEAR(*read_status(folder, std::nullopt, seconds_since_1970()).seconds_left, 30, 6)
      << "half a share took 10 s, and three halves are left to one worker";
}

TEST_F(JobStatusTest, UnreadableRecordsAreNone) {
  const JobFolder folder = make(1, 1);
  for (const char* text : {"", "{}", "{\"state\": 4}", "["}) {
    write_bytes(folder.task(1).string(), text);
    EXPECT_FALSE(read_record(folder, 1)) << text;
  }
  write_bytes((folder.path() / "shards/00002.db").string(), "");
  write_bytes((folder.path() / "shards/1.db").string(), "");
  EXPECT_FALSE(read_status(folder, std::nullopt, 0).done()) << "other files are no packs";
}

}  // namespace
}  // namespace atto::job_status_test

// A job's folder: what is written is what is read, and what is no job is refused.
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "job_samples.h"
#include "lab/cluster/shared_file.h"

namespace atto::cluster_job_test {
namespace {

namespace fs = std::filesystem;

class ClusterJobTest : public JobTest {};

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(ClusterJobTest, ReadsWhatWasWritten) {
  StudyOptions options;
  options.set = {"data.vocab=3"};
  options.seeds = 5;
  ClusterJob job = plan_job(study_, options, runs_, 2, 4);
  for (const size_t cell : {2u, 0u, 1u})
    for (const int64_t seed : {1, 2, 0, 3}) job.places.push_back({cell, seed});
  job.scratch = "/local";
  job.threads = 3;
  JobFolder::make(path("job"), job, study_, cells_);
  const JobFolder folder(path("job"));
  EXPECT_EQ(folder.job().study, "tiny");
  EXPECT_EQ(folder.job().options.set, options.set);
  EXPECT_EQ(folder.job().options.seeds, options.seeds);
  EXPECT_EQ(folder.job().options.profile, "quick");
  EXPECT_EQ(folder.job().variant, "quick data.vocab=3 seeds=5");
  EXPECT_EQ(folder.job().runs, job.runs);
  EXPECT_EQ(folder.job().costs, job.costs);
  EXPECT_EQ(folder.job().places, job.places);
  EXPECT_EQ(folder.job().scratch, "/local");
  EXPECT_EQ(folder.job().threads, 3);
  EXPECT_EQ(bytes_of(folder.study_file()), kJobStudy);
}

TEST_F(ClusterJobTest, EveryPackBelongsToOneWorker) {
  const ClusterJob job = plan_job(study_, {}, runs_, 3, 8);
  EXPECT_EQ(job.packs(), 8);
  EXPECT_EQ(job.all_runs(), std::ssize(runs_));
  std::multiset<int64_t> packs;
  for (int64_t task = 1; task <= 3; ++task)
    for (const int64_t pack : job.packs_of(task)) packs.insert(pack);
  EXPECT_EQ(packs, (std::multiset<int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(ClusterJobTest, HasNoMoreWorkersOrPacksThanRuns) {
  const ClusterJob job = plan_job(study_, {}, runs_, 500, 1000);
  EXPECT_EQ(job.tasks, 12);
  EXPECT_EQ(job.packs(), 12);
}

TEST_F(ClusterJobTest, PacksTakeAsLongAsAskedFor) {
  EXPECT_EQ(packs_for(36'000, 300, 4, 5), 30);  // 9,000 s of a node, in packs of 300 s
  EXPECT_EQ(packs_for(36'000, 300, 4, 7), 35);  // as many for each
  EXPECT_EQ(packs_for(0, 300, 4, 7), 7);        // nothing is known
  EXPECT_LE(packs_for(1e12, 1, 1, 10), 100'010);
}

TEST_F(ClusterJobTest, FilesThatTheRunsNameTravelWithTheStudy) {
  fs::create_directories(path("deep/data"));
  write_bytes(path("deep/data/numbers.csv"), "1,0,1\n0,1,0\n1,1,1\n0,0,0\n");
  write_bytes(path("deep/own.toml"), R"(title = "Own data"
[data]
task = "table"
file = "data/numbers.csv"
context = 2
[training]
steps = 10
batch = 4
[[observe]]
what = ["loss"]
)");
  Study own;
  try {
    own = read_study(path("deep/own.toml"), {});
  } catch (const Error& error) {
    GTEST_FAIL() << error.what() << ": " << error.remedy();
  }
  const std::vector<Cell> cells = expand_cells(own);
  const JobFolder folder = JobFolder::make(path("own"), plan_job(own, {}, expand_runs(own, cells), 1, 1), own, cells);
  EXPECT_EQ(bytes_of((folder.path() / "study/data/numbers.csv").string()), bytes_of(path("deep/data/numbers.csv")));
  EXPECT_EQ(expand_runs(read_study(folder.study_file().string(), {}), cells).front().id,
            expand_runs(own, cells).front().id);
}

TEST_F(ClusterJobTest, RefusesWhatIsNoJob) {
  EXPECT_NE(refusal([&] { JobFolder folder(path("nowhere")); }).find("there is no folder"), std::string::npos);
  EXPECT_NE(refusal([&] { JobFolder folder(folder_); }).find("not the folder of a job"), std::string::npos);
  for (const char* text : {"", "{}", "[1]", "{\"study\": 3}"}) {
    fs::create_directories(path("bad"));
    write_bytes(path("bad/job.json"), text);
    EXPECT_NE(refusal([&] { JobFolder folder(path("bad")); }).find("does not describe a job"), std::string::npos)
        << text;
  }
  make(1, 2);
  EXPECT_NE(refusal([&] { make(1, 2); }).find("already"), std::string::npos);
}

TEST_F(ClusterJobTest, PublishedFilesAppearWholeAndLeaveNothingBeside) {
  publish_text(path("words"), "first");
  publish_text(path("words"), "second");
  EXPECT_EQ(bytes_of(path("words")), "second");
  publish_copy(path("words"), path("copy"));
  EXPECT_EQ(bytes_of(path("copy")), "second");
  EXPECT_NE(refusal([&] { publish_text(path("none/words"), "x"); }), "");
  EXPECT_NE(refusal([&] { publish_text("/dev/full/x", "x"); }), "");
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 3u) << "words, copy and tiny.toml";
}

}  // namespace
}  // namespace atto::cluster_job_test

// What nothing reads again is counted, dropped, and its space given back; everything else stays as it was.
#include <SQLiteCpp/SQLiteCpp.h>

#include "lab/store/store_samples.h"

namespace atto::prune_test {
namespace {

using Mode = Store::Mode;

// Sample 1: its text; steps and values of two series; two matrices.
constexpr int64_t kRunBytes = 12 + (3 * 8 + 3 * 8) + (2 * 8 + 16 * 4) + (8 * 4 + 4 * 4);
// Parameters, state of the optimizer, the rest of the state, and what was measured so far.
constexpr int64_t kCheckpointBytes = 3 * 4 + 1 * 4 + 2 * 8 + 3 * 8;

class PruneTest : public StoreFolder {
 protected:
  void change(const std::string& sql) const { SQLite::Database(path(), SQLite::OPEN_READWRITE).exec(sql); }
  int64_t count(const std::string& table) const {
    return SQLite::Database(path()).execAndGet("SELECT count(*) FROM " + table).getInt64();
  }
};

void expect_outdated(const Store::Outdated& found, int64_t runs, int64_t checkpoints, int64_t bytes) {
  EXPECT_EQ(found.runs, runs);
  EXPECT_EQ(found.checkpoints, checkpoints);
  EXPECT_EQ(found.bytes, bytes);
}

TEST_F(PruneTest, NothingOfAStoreOfThisEngineGoes) {
  Store store(path(), Mode::write);
  for (int64_t number = 1; number <= 3; ++number) save_sample(store, number);
  store.save_checkpoint("wanted", sample_checkpoint(64), 1);
  store.save_membership("study", "quick", {{"", "", "{}", 0, "wanted"}, {"", "", "{}", 1, "run1"}});
  const std::string digest = store.content_digest();
  expect_outdated(store.outdated(), 0, 0, 0);
  expect_outdated(store.prune(), 0, 0, 0);
  EXPECT_EQ(store.content_digest(), digest);
  EXPECT_TRUE(store.checkpoint("wanted"));
}

TEST_F(PruneTest, RunsOfOtherEnginesGoWithAllThatBelongsToThem) {
  {
    Store store(path(), Mode::write);
    for (const int64_t number : {1, 2, 3}) save_sample(store, number);
  }
  change("UPDATE runs SET engine_revision = engine_revision - 1 WHERE id = 'run1'");
  Store store(path(), Mode::write);
  expect_outdated(store.outdated(), 1, 0, kRunBytes);
  EXPECT_EQ(count("runs"), 3) << "counting drops nothing";
  expect_outdated(store.prune(), 1, 0, kRunBytes);
  expect_outdated(store.outdated(), 0, 0, 0);
  EXPECT_EQ(count("runs"), 2);
  EXPECT_EQ(count("timings"), 2);
  EXPECT_EQ(count("series"), 2 * 3);
  EXPECT_EQ(count("weights"), 2 * 2);
  for (const int64_t number : {2, 3})
    EXPECT_TRUE(same_bits(store.load(sample_id(number)), sample_recording(number))) << number;
  save_sample(store, 1);  // the statements that were closed are made again
  EXPECT_TRUE(same_bits(store.load("run1"), sample_recording(1)));
}

// An engine that is newer than this one is another one too.
TEST_F(PruneTest, CheckpointsGoThatNoRunWillStartFrom) {
  {
    Store store(path(), Mode::write);
    for (const char* id : {"wanted", "abandoned", "earlier", "later"})
      store.save_checkpoint(id, sample_checkpoint(8), 1);
    store.save_membership("study", "quick",
                          {{"", "", "{}", 0, "wanted"}, {"", "", "{}", 1, "earlier"}, {"", "", "{}", 2, "later"}});
  }
  change("UPDATE checkpoints SET engine_revision = engine_revision - 1 WHERE run_id = 'earlier'");
  change("UPDATE checkpoints SET engine_revision = engine_revision + 1 WHERE run_id = 'later'");
  Store store(path(), Mode::write);
  expect_outdated(store.outdated(), 0, 3, 3 * kCheckpointBytes);
  expect_outdated(store.prune(), 0, 3, 3 * kCheckpointBytes);
  expect_outdated(store.outdated(), 0, 0, 0);
  EXPECT_EQ(count("checkpoints"), 1);
  const auto kept = store.checkpoint("wanted");
  ASSERT_TRUE(kept);
  EXPECT_TRUE(same_bits(kept->checkpoint, sample_checkpoint(8)));
}

TEST_F(PruneTest, TheDiskHasItsSpaceBackBeforeTheStoreIsClosed) {
  Store store(path(), Mode::write);
  save_sample(store, 1);
  store.save_checkpoint("abandoned", {{8, 0, std::vector<float>(50'000, 1.f), {}, {}}, {}}, 1);
  const auto on_disk = [&] {
    const std::string log = path() + "-wal";
    return std::filesystem::file_size(path()) + (std::filesystem::exists(log) ? std::filesystem::file_size(log) : 0);
  };
  const auto before = on_disk();
  EXPECT_GE(before, 200'000u);
  EXPECT_EQ(store.prune().checkpoints, 1);
  EXPECT_LT(on_disk() + 190'000, before);
  EXPECT_TRUE(same_bits(store.load("run1"), sample_recording(1)));
}

}  // namespace
}  // namespace atto::prune_test

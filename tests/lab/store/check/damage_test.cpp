// Files that are no store, no store of ours, or no longer whole: an error and an untouched file, or the right data.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <random>

#include "lab/store/store.h"
#include "lab/store/store_samples.h"

namespace atto::damage_test {
namespace {

using Mode = Store::Mode;
constexpr int64_t kRuns = 12;

class StoreDamageTest : public StoreFolder {
 protected:
  void make_store() {
    Store store(path(), Mode::write);
    std::vector<Store::Membership> members;
    for (int64_t number = 0; number < kRuns; ++number) {
      save_sample(store, number);
      members.push_back({"", "", "{}", number, sample_id(number)});
    }
    store.save_membership("study", "quick", members);
    store.save_verdicts("study", "quick", R"([{"verdict": "supported"}])");
    store.save_checkpoint("unfinished", sample_checkpoint(64), 1);
    store.save_questions({{"study", "quick", "C1", 0, "0123456789abcdef", "{}", 0}});
  }
  void put(const std::string& bytes) {
    for (const char* beside : {"-wal", "-shm"}) std::filesystem::remove(path() + beside);
    write_bytes(path(), bytes);
  }
  // Everything that can be read is right. False: a part of it was refused, or the checkpoint taken for none.
  bool reads_right() {
    try {
      const Store store(path(), Mode::read);
      const auto runs = store.runs();
      EXPECT_EQ(runs.size(), static_cast<size_t>(kRuns));
      for (const RunSummary& run : runs) {
        EXPECT_EQ(run.id, sample_id(run.init_seed));
        EXPECT_EQ(run.seconds, 0.25);
        EXPECT_TRUE(same_bits(store.load(run.id), sample_recording(run.init_seed)));
        EXPECT_TRUE(same_bits(store.load(run.id, {"embedding"}).series[0], sample_recording(run.init_seed).series[1]));
      }
      const auto members = store.membership("study");
      EXPECT_EQ(members.size(), static_cast<size_t>(kRuns));
      for (const auto& member : members) EXPECT_EQ(member.run_id, sample_id(member.seed));
      EXPECT_EQ(store.questions("study").size(), 1u);
      const auto verdicts = store.verdicts();
      EXPECT_EQ(verdicts.size(), 1u);
      for (const auto& one : verdicts) EXPECT_EQ(one.json, R"([{"verdict": "supported"}])");
      const auto checkpoint = store.checkpoint("unfinished");
      if (!checkpoint) return false;
      EXPECT_TRUE(same_bits(checkpoint->checkpoint, sample_checkpoint(64)));
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      EXPECT_FALSE(error.remedy().empty());
      return false;
    }
  }
  // A writer refuses the file, or adds to it without harm to what was there.
  void writes_without_harm() {
    try {
      Store store(path(), Mode::write);
      save_sample(store, kRuns);
      EXPECT_TRUE(same_bits(store.load(sample_id(kRuns)), sample_recording(kRuns)));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
    }
  }
  // Both modes refuse the file, with a message that contains `what`, and leave it as it is.
  void expect_refused(const std::string& what) {
    const std::string before = bytes_of(path());
    for (const Mode mode : {Mode::read, Mode::write}) {
      const Error error = error_of([&] { Store(path(), mode); });
      EXPECT_EQ(error.kind(), ErrorKind::store);
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
      EXPECT_NE(error.remedy().find("--store"), std::string::npos) << error.remedy();
      EXPECT_TRUE(bytes_of(path()) == before);
    }
  }
};

TEST_F(StoreDamageTest, NotADatabase) {
  write_bytes(path(), "perplexity,step\n1.0,3\n" + std::string(5000, 'x'));
  expect_refused("not an Attoscope store");
  write_bytes(path(), "x");
  expect_refused("not an Attoscope store");
}

TEST_F(StoreDamageTest, DatabaseOfAnotherProgram) {
  SQLite::Database(path(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE runs (id TEXT)");
  expect_refused("not an Attoscope store");
}

TEST_F(StoreDamageTest, AnotherFormat) {
  make_store();
  SQLite::Database(path(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 7");
  expect_refused("format 7");
}

TEST_F(StoreDamageTest, EmptyFileBecomesAStore) {
  write_bytes(path(), "");
  EXPECT_EQ(error_of([&] { Store(path(), Mode::read); }).kind(), ErrorKind::missing);
  make_store();
  EXPECT_TRUE(reads_right());
}

// What a reader meets in a writer's first milliseconds: a file without a byte, then one without a table. Nobody is told
// to move it away.
TEST_F(StoreDamageTest, AStoreInTheMakingIsNotThereYet) {
  const auto expect_nothing_yet = [&] {
    const Error error = error_of([&] { Store(path(), Mode::read); });
    EXPECT_EQ(error.kind(), ErrorKind::missing) << error.what();
    EXPECT_NE(error.remedy().find("ask again"), std::string::npos) << error.remedy();
    EXPECT_EQ(error.remedy().find("move it away"), std::string::npos) << error.remedy();
  };
  write_bytes(path(), "");
  expect_nothing_yet();
  {
    SQLite::Database database(path(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec("PRAGMA application_id = " + std::to_string(0x4174746F));
    database.exec("PRAGMA user_version = 3; CREATE TABLE meta (key TEXT); DROP TABLE meta");
  }
  expect_nothing_yet();
  make_store();
  EXPECT_TRUE(reads_right());
}

// "Not trained yet" is said only of a table that is whole.
TEST_F(StoreDamageTest, ADamagedWayToARunIsNoMissingRun) {
  make_store();
  const std::string whole = bytes_of(path()), id = sample_id(7);
  int refused = 0;
  for (size_t at = whole.find(id); at != std::string::npos; at = whole.find(id, at + 1)) {
    SCOPED_TRACE(at);
    std::string bytes = whole;
    bytes[at + 3] ^= 2;  // run7 reads run5
    put(bytes);
    try {
      EXPECT_TRUE(Store(path(), Mode::read).has(id));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  put(whole);
  EXPECT_FALSE(Store(path(), Mode::read).has("absent"));
}

TEST_F(StoreDamageTest, ADamagedRevisionIsNoOtherRevision) {
  make_store();
  SQLite::Database(path(), SQLite::OPEN_READWRITE).exec("UPDATE runs SET engine_revision = 4 WHERE id = 'run3'");
  EXPECT_EQ(error_of([&] { static_cast<void>(Store(path(), Mode::read).has("run3")); }).kind(), ErrorKind::store);
}

TEST_F(StoreDamageTest, NotAFile) {
  std::filesystem::create_directory(path());
  for (const Mode mode : {Mode::read, Mode::write}) {
    const Error error = error_of([&] { Store(path(), mode); });
    EXPECT_EQ(error.kind(), ErrorKind::store);
    EXPECT_NE(std::string(error.what()).find("folder"), std::string::npos);
  }
  const Error device = error_of([] { Store("/dev/null", Mode::read); });
  EXPECT_EQ(device.kind(), ErrorKind::store);
  EXPECT_NE(std::string(device.what()).find("not a regular file"), std::string::npos);
}

TEST_F(StoreDamageTest, NowhereToWrite) {
  write_bytes(path("file"), "kept");
  const Error below_file = error_of([&] { Store(path("file/runs.atto"), Mode::write); });
  EXPECT_EQ(below_file.kind(), ErrorKind::store);
  EXPECT_NE(std::string(below_file.what()).find("is a file, not a folder"), std::string::npos) << below_file.what();
  EXPECT_EQ(bytes_of(path("file")), "kept");
  EXPECT_EQ(error_of([&] { Store(path("file/runs.atto"), Mode::read); }).kind(), ErrorKind::missing);
  EXPECT_EQ(error_of([] { Store("/proc/nowhere/runs.atto", Mode::write); }).kind(), ErrorKind::store);
  EXPECT_EQ(error_of([] { Store("/proc/runs.atto", Mode::write); }).kind(), ErrorKind::store);
}

TEST_F(StoreDamageTest, CutShortAnywhere) {
  make_store();
  const std::string whole = bytes_of(path());
  ASSERT_GT(whole.size(), 20'000u);
  for (size_t size = 1; size < whole.size(); size += size < 200 ? 17 : 1237) {
    SCOPED_TRACE(size);
    put(whole.substr(0, size));
    EXPECT_FALSE(reads_right());
    EXPECT_EQ(error_of([&] { Store(path(), Mode::write); }).kind(), ErrorKind::store);
    EXPECT_TRUE(bytes_of(path()) == whole.substr(0, size));
  }
  put(whole.substr(0, whole.size() - 4096));
  expect_refused("cut short");
}

TEST_F(StoreDamageTest, FlippedBytesAnywhere) {
  make_store();
  const std::string whole = bytes_of(path());
  std::mt19937 random(1);
  int refused = 0, tried = 0;
  for (size_t offset = 0; offset < whole.size(); offset += offset < 100 ? 1 : 1 + random() % 399) {
    SCOPED_TRACE(offset);
    std::string bytes = whole;
    bytes[offset] = static_cast<char>(bytes[offset] ^ static_cast<char>(1 + random() % 255));
    put(bytes);
    refused += !reads_right();
    if (++tried % 40 != 0) continue;  // writing waits for the disk
    put(bytes);
    writes_without_harm();
  }
  EXPECT_GT(refused, tried / 10);  // the flips did reach what matters; much of a small store is empty space
}

}  // namespace
}  // namespace atto::damage_test

// One bit flipped anywhere in a store, its log or its index: `atto check` finds it, or it changes nothing, and what is
// lost is trained again to the same bytes. `make soak` tries a thousand, the tests some of them.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>
#include <set>

#include "lab/store/check/check.h"
#include "lab/store/store_samples.h"

namespace atto::flips_test {
namespace {

using Mode = Store::Mode;
constexpr int64_t kRuns = 12, kInLog = 4;
constexpr const char* kVerdicts = R"([{"verdict": "supported"}])";
constexpr std::array kParts = {"", "-wal", "-shm"};

int flips_to_try() { return std::getenv("ATTO_SOAK") != nullptr ? 1000 : 40; }

// With enough in it that most bits of the file mean something.
Recording dense_recording(int64_t number) {
  Recording recording = sample_recording(number);
  Series& curve = recording.series.emplace_back(Series{"curve", {}, {}, {}});
  for (int64_t step = 0; step < 300; ++step) {
    curve.steps.push_back(step);
    curve.values.push_back(std::sin(static_cast<double>(number * step)));
  }
  return recording;
}

void save_dense(Store& store, int64_t number) {
  store.save({{sample_id(number), "{}", number, 2 * number, dense_recording(number), 0.25}});
}

class FlipsTest : public StoreFolder {
 protected:
  // Everything there can be in a store, a part of it still in the log.
  FlipsTest() {
    EXPECT_EQ(in_child([&] {
                Store(path(), Mode::write).save_questions({{"study", "quick", "C1", 0, "0123456789abcdef", "{}", 0}});
                {
                  Store store(path(), Mode::write);
                  for (int64_t number = 0; number < kRuns - kInLog; ++number) save_dense(store, number);
                }
                Store store(path(), Mode::write);
                for (int64_t number = kRuns - kInLog; number < kRuns; ++number) save_dense(store, number);
                complete(store);
                _exit(0);  // with the store open
                return 1;
              }),
              0);
    for (const char* part : kParts) whole_[part] = bytes_of(path() + part);
    digest_ = content();
  }
  // Puts back what is not there: what running the study again does.
  static void complete(Store& store) {
    std::vector<Store::Membership> members;
    for (int64_t number = 0; number < kRuns; ++number) {
      if (!store.has(sample_id(number))) save_dense(store, number);
      members.push_back({"", "", "{}", number, sample_id(number)});
    }
    store.save_membership("study", "quick", members);
    store.save_verdicts("study", "quick", kVerdicts);
    if (!store.checkpoint("unfinished")) store.save_checkpoint("unfinished", sample_checkpoint(64), 1);
    if (store.questions("study").empty())
      store.save_questions({{"study", "quick", "C1", 0, "0123456789abcdef", "{}", 0}});
  }
  // All that a reader can see, bit by bit; throws where it is refused.
  std::string content() {
    const Store store(path(), Mode::read);
    std::string all = store.content_digest();
    for (const RunSummary& run : store.runs()) {
      all += " " + run.id + " " + std::to_string(run.seconds);
      EXPECT_TRUE(same_bits(store.load(run.id), dense_recording(run.init_seed))) << run.id;
      EXPECT_TRUE(store.has(run.id));
    }
    for (const auto& one : store.membership("study")) all += " " + one.run_id + "/" + std::to_string(one.seed);
    for (const auto& one : store.verdicts()) all += " " + one.json;
    for (const auto& one : store.questions("study")) all += " " + one.hash;
    const auto checkpoint = store.checkpoint("unfinished");
    all += checkpoint && same_bits(checkpoint->checkpoint, sample_checkpoint(64)) ? " resumable" : " from the start";
    return all;
  }
  void put(const std::string& flipped_part, const std::string& bytes) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    for (const char* part : kParts)
      if (!whole_[part].empty()) write_bytes(path() + part, flipped_part == part ? bytes : whole_[part]);
  }

  std::map<std::string, std::string> whole_;  // by part
  std::string digest_;
};

// With a log, as a killed writer leaves it, and without one.
class EveryFlipTest : public FlipsTest, public testing::WithParamInterface<bool> {};

TEST_P(EveryFlipTest, IsFoundHarmlessOrTrainedAgain) {
  const bool with_log = GetParam();
  if (!with_log)  // the last reader has moved the log into the store
    for (const char* part : kParts)
      whole_[part] = std::filesystem::exists(path() + part) ? bytes_of(path() + part) : "";
  size_t size = 0;
  for (const auto& [part, bytes] : whole_) size += bytes.size();
  std::mt19937 random(22);
  std::map<std::string, int> found, harmless;
  const int tries = flips_to_try();
  for (int i = 0; i < tries; ++i) {
    size_t offset = random() % size;
    std::string part;
    for (const auto& [name, bytes] : whole_) {
      part = name;
      if (offset < bytes.size()) break;
      offset -= bytes.size();
    }
    std::string bytes = whole_[part];
    const unsigned bit = random() % 8;
    bytes[offset] = static_cast<char>(bytes[offset] ^ static_cast<char>(1u << bit));
    SCOPED_TRACE("bit " + std::to_string(bit) + " of byte " + std::to_string(offset) + " of store" + part);
    put(part, bytes);
    const Checkup checkup = check_store(path());
    for (const char* one : {"", "-wal"})
      EXPECT_TRUE(bytes_of(path() + one) == (part == one ? bytes : whole_[one])) << "a check changes nothing" << one;
    // A reader refuses it or sees all of it.
    try {
      const std::string seen = content(), without_checkpoint = digest_.substr(0, digest_.size() - 9) + "from the start";
      EXPECT_TRUE(seen == digest_ || (!checkup.whole() && seen == without_checkpoint)) << "a silent flip: " << seen;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      EXPECT_FALSE(checkup.whole()) << "the check did not find: " << error.what();
    }
    ++(checkup.whole() ? harmless : found)[part];
    if (checkup.whole()) continue;
    put(part, bytes);
    const Checkup repaired = repair_store(path());
    ASSERT_FALSE(repaired.aside.empty());
    EXPECT_TRUE(bytes_of(repaired.aside) == (part.empty() ? bytes : whole_[""])) << "the file as it was";
    EXPECT_TRUE(check_store(path()).whole());
    {
      Store store(path(), Mode::write);
      for (const RunSummary& run : store.runs())
        EXPECT_TRUE(same_bits(store.load(run.id), dense_recording(run.init_seed))) << "kept: " << run.id;
      complete(store);
    }
    EXPECT_EQ(content().substr(0, 32), digest_.substr(0, 32)) << "not the same bytes after it was trained again";
  }
  for (const char* part : kParts)
    std::cout << "store" << part << ": " << found[part] << " found, " << harmless[part] << " harmless\n";
  EXPECT_GT(found[with_log ? "-wal" : ""], 0);
  EXPECT_EQ(found["-shm"], 0) << "SQLite makes this one anew";
}

INSTANTIATE_TEST_SUITE_P(Flips, EveryFlipTest, testing::Bool());

TEST_F(FlipsTest, AWholeStoreIsLeftAlone) {
  put("", whole_[""]);
  const Checkup checkup = repair_store(path());
  EXPECT_TRUE(checkup.whole());
  EXPECT_EQ(checkup.aside, "");
  EXPECT_EQ(checkup.runs, kRuns);
  EXPECT_EQ(checkup.rows, 2 + kRuns * 8 + kRuns + 3) << "meta; runs, timings, series, weights; members; the others";
  EXPECT_TRUE(bytes_of(path()) == whole_[""]);
}

// One damaged row costs its run, which is named with the study it belongs to.
TEST_F(FlipsTest, WhatIsLostIsNamed) {
  { Store(path(), Mode::write); }  // moves the log into the store
  SQLite::Database(path(), SQLite::OPEN_READWRITE)
      .exec("UPDATE series SET data = zeroblob(24) WHERE run_id = 'run5' AND position = 0");
  const Checkup checkup = repair_store(path());
  EXPECT_EQ(checkup.runs, kRuns - 1);
  EXPECT_EQ(checkup.lost_runs, std::vector<std::string>{"run5"});
  ASSERT_EQ(checkup.lacking.size(), 1u);
  EXPECT_EQ(checkup.lacking[0].study, "study");
  EXPECT_EQ(checkup.lacking[0].profile, "quick");
  EXPECT_EQ(checkup.lacking[0].asked, kRuns);
  EXPECT_EQ(checkup.lacking[0].missing, 1);
  EXPECT_FALSE(Store(path(), Mode::read).has("run5"));
}

// What lies before and behind a page that SQLite cannot read is found all the same.
TEST_F(FlipsTest, ALostPageCostsOnlyTheRunsOnIt) {
  { Store(path(), Mode::write); }
  std::string bytes = bytes_of(path());
  const auto number_at = [&](size_t at, size_t size) {
    size_t number = 0;
    for (size_t i = at; i < at + size; ++i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
    return number;
  };
  // The second page below the root of the table (https://www.sqlite.org/fileformat2.html): two bytes lead to its entry.
  constexpr size_t kPage = 4096, kFirstEntry = 12;
  const int64_t root = SQLite::Database(path(), SQLite::OPEN_READONLY)
                           .execAndGet("SELECT rootpage FROM sqlite_master WHERE name = 'series'")
                           .getInt64();
  const size_t at = static_cast<size_t>(root - 1) * kPage;
  ASSERT_EQ(bytes[at], 5) << "a page of pages";
  const size_t second = number_at(at + number_at(at + kFirstEntry + 2, 2), 4);
  bytes[(second - 1) * kPage] = 0;  // no kind of page
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
  write_bytes(path(), bytes);
  const Checkup checkup = repair_store(path());
  EXPECT_FALSE(checkup.lost_runs.empty());
  EXPECT_EQ(checkup.runs + std::ssize(checkup.lost_runs), kRuns);
  const Store store(path(), Mode::read);
  for (const int64_t number : {int64_t{0}, kRuns - 1}) {
    ASSERT_TRUE(store.has(sample_id(number)));
    EXPECT_TRUE(same_bits(store.load(sample_id(number)), dense_recording(number)));
  }
}

// Every byte of the header, which no checksum covers.
TEST_F(FlipsTest, ADamagedHeaderCostsNoRun) {
  { Store(path(), Mode::write); }
  const std::string whole = bytes_of(path());
  for (size_t offset = 0; offset < 100; offset += offset < 16 ? 5 : 3) {
    SCOPED_TRACE(offset);
    std::string bytes = whole;
    bytes[offset] = static_cast<char>(bytes[offset] ^ 4);
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    write_bytes(path(), bytes);
    repair_store(path());
    EXPECT_EQ(content(), digest_);
  }
}

// Somebody packs a store with pages of their own choice: nothing is wrong with it. Two bits of its header can state
// another size that there is, and cost no run either.
TEST_F(FlipsTest, PagesMayHaveAnySize) {
  { Store(path(), Mode::write); }
  std::string closed = bytes_of(path());
  for (const int size : {512, 1024, 4096, 65'536}) {
    SCOPED_TRACE(size);
    {
      SQLite::Database database(path(), SQLite::OPEN_READWRITE);
      database.exec("PRAGMA journal_mode = DELETE; PRAGMA page_size = " + std::to_string(size) + "; VACUUM");
    }
    const std::string packed = bytes_of(path());
    EXPECT_EQ(packed.size() % static_cast<size_t>(size), 0u);
    const Checkup checkup = check_store(path());
    EXPECT_TRUE(checkup.whole()) << checkup.damages[0].what;
    EXPECT_EQ(checkup.runs, kRuns);
    EXPECT_TRUE(repair_store(path()).whole());
    EXPECT_TRUE(bytes_of(path()) == packed) << "left alone";
    EXPECT_EQ(content(), digest_);
  }
  closed[16] = 8;  // 2048 in place of 4096
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
  write_bytes(path(), closed);
  EXPECT_FALSE(repair_store(path()).whole());
  EXPECT_EQ(content(), digest_);
}

TEST_F(FlipsTest, WhatIsNoStoreIsNotRepaired) {
  for (const std::string& bytes : {std::string("perplexity,step\n1.0,3\n"), std::string(5000, '\0')}) {
    put("", bytes);
    EXPECT_EQ(error_of([&] { repair_store(path()); }).kind(), ErrorKind::store);
    EXPECT_TRUE(bytes_of(path()) == bytes);
  }
  EXPECT_EQ(error_of([&] { check_store(path("absent")); }).kind(), ErrorKind::missing);
  // A store of a later program says its format twice.
  put("", whole_[""]);
  SQLite::Database(path(), SQLite::OPEN_READWRITE)
      .exec("PRAGMA user_version = 9; UPDATE meta SET value = '9' WHERE key = 'format'");
  EXPECT_NE(std::string(error_of([&] { repair_store(path()); }).what()).find("format 9"), std::string::npos);
}

}  // namespace
}  // namespace atto::flips_test

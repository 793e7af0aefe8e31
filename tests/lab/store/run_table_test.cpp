// The list of runs and the answer "not there", both of which need every row of `runs` and every entry of its index.
#include "lab/store/run_table.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "lab/store/disk/page_cache.h"
#include "lab/store/store_samples.h"

namespace atto::run_table_test {
namespace {

using Mode = Store::Mode;

FinishedRun run_of(const std::string& id, double seconds) {
  Recording recording;
  recording.steps_done = 10;
  return {id, "{}", 1, 2, std::move(recording), seconds};
}

TEST(KeyTallyTest, IsThatOfTheSetWhateverItsOrder) {
  KeyTally one, other, swapped, fewer, twice;
  one.add("a", 1), one.add("b", 2), one.add("c", 3);
  other.add("c", 3), other.add("a", 1), other.add("b", 2);
  swapped.add("a", 2), swapped.add("b", 1), swapped.add("c", 3);
  fewer.add("a", 1), fewer.add("b", 2);
  twice.add("a", 1), twice.add("b", 2), twice.add("b", 2);
  EXPECT_EQ(one, other);
  EXPECT_NE(one, swapped);
  EXPECT_NE(one, fewer);
  EXPECT_NE(one, twice);
}

class RunTableTest : public StoreFolder {
 protected:
  void forge(const std::string& sql) { SQLite::Database(path(), SQLite::OPEN_READWRITE).exec(sql); }
  void expect_refused() {
    EXPECT_EQ(error_of([&] { static_cast<void>(Store(path(), Mode::read).has("absent")); }).kind(), ErrorKind::store);
    EXPECT_EQ(error_of([&] { static_cast<void>(Store(path(), Mode::read).runs()); }).kind(), ErrorKind::store);
  }
};

// A run that is filed between the look at the table and the look at its index is no damage.
TEST_F(RunTableTest, AReaderThatMissesARunWhileOthersAreFiledFindsNoDamage) {
  Store store(path(), Mode::write);
  store.save({run_of("first", 0)});
  std::atomic<bool> over = false;
  std::thread writer([&] {
    for (int i = 0; i < 300; ++i) store.save({run_of("run" + std::to_string(i), 1)});
    over = true;
  });
  do {
    EXPECT_NO_THROW(EXPECT_FALSE(Store(path(), Mode::read).has("absent")));
  } while (!over);
  writer.join();
}

TEST_F(RunTableTest, ListsByIdWhateverTheOrderInTheFile) {
  std::vector<std::string> ids{"aaaaaaaac", "b", "aaaaaaaa", "0", "aaaaaaaab", "zz", "aa"};
  {
    Store store(path(), Mode::write);
    for (size_t i = 0; i < ids.size(); ++i) store.save({run_of(ids[i], static_cast<double>(i))});
  }
  // The timing of one run now stands behind all others, as no writer leaves it.
  forge(
      "CREATE TEMP TABLE kept AS SELECT * FROM timings WHERE run_id = 'b'; DELETE FROM timings WHERE run_id = 'b'; "
      "INSERT INTO timings SELECT * FROM kept");
  const std::vector<RunSummary> runs = Store(path(), Mode::read).runs();
  std::vector<std::string> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(runs.size(), ids.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(runs[i].id, sorted[i]);
    const auto filed = std::find(ids.begin(), ids.end(), runs[i].id) - ids.begin();
    EXPECT_EQ(runs[i].seconds, static_cast<double>(filed)) << runs[i].id;
  }
  forge("DELETE FROM timings WHERE run_id = 'zz'");
  EXPECT_EQ(error_of([&] { static_cast<void>(Store(path(), Mode::read).runs()); }).kind(), ErrorKind::store);
}

// An entry of the index is a head (its length, text of four letters, a number of one byte), the id and the row.
TEST_F(RunTableTest, AnIndexThatLeadsToOtherRowsIsFound) {
  {
    Store store(path(), Mode::write);
    for (const char* const id : {"run1", "run2", "run3", "run4"}) store.save({run_of(id, 1)});
  }
  const std::string whole = bytes_of(path()), head{"\x03\x15\x01", 3};
  // `timings` has the same keys and rows; its index comes later in the file.
  const auto entry = [&](const std::string& id, char row) { return head + id + row; };
  const auto put_first = [&](std::vector<std::pair<std::string, std::string>> changes) {
    std::string bytes = whole;
    for (const auto& [from, to] : changes) {
      const size_t at = whole.find(from);
      ASSERT_NE(at, std::string::npos);
      bytes.replace(at, from.size(), to);
    }
    write_bytes(path(), bytes);
  };
  EXPECT_FALSE(Store(path(), Mode::read).has("absent"));
  EXPECT_EQ(Store(path(), Mode::read).runs().size(), 4u);
  put_first({{entry("run2", 2), entry("run2", 3)}, {entry("run3", 3), entry("run3", 2)}});
  expect_refused();  // as many entries, in order, and each leads to some row
  put_first({{entry("run2", 2), entry("run3", 2)}, {entry("run3", 3), entry("run2", 3)}});
  expect_refused();  // out of order
  put_first({{entry("run3", 3), std::string("\x03\x14\x01", 3) + "run3" + '\3'}});
  expect_refused();  // bytes, among which a search for a text finds nothing
}

TEST_F(RunTableTest, KeepsNoMorePagesThanTheMachineHasRoomFor) {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  const auto kibibytes = [&] { return -database.execAndGet("PRAGMA cache_size").getInt64(); };
  write_bytes(path(), "small");
  keep_read_pages(database, path());
  EXPECT_EQ(kibibytes(), 2 << 10);
  const int64_t huge = int64_t{1} << 43;  // bytes, with nothing in them
  std::error_code too_large;
  std::filesystem::resize_file(path(), static_cast<uintmax_t>(huge), too_large);
  if (too_large) GTEST_SKIP() << "no file of 8 TB here";
  keep_read_pages(database, path());
  EXPECT_GE(kibibytes(), 32 << 10);
  EXPECT_LT(kibibytes(), huge / 4 / 1024);
  const int64_t alone = kibibytes();
  keep_read_pages(database, path(), 4);
  EXPECT_LE(kibibytes(), std::max<int64_t>(alone / 3, 8 << 10)) << "one of four files";
  keep_read_pages(database, path(), 1'000'000);
  EXPECT_EQ(kibibytes(), 2 << 10);
}

}  // namespace
}  // namespace atto::run_table_test

// Stores from others: every checksum is right, and nothing else is to be believed.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include "lab/store/check/check.h"
#include "lab/store/row.h"
#include "lab/store/store_samples.h"

namespace atto::forged_store_test {
namespace {

using Mode = Store::Mode;
constexpr int64_t kRuns = 3;

class ForgedStoreTest : public StoreFolder {
 protected:
  ForgedStoreTest() {
    Store store(path(), Mode::write);
    for (int64_t number = 0; number < kRuns; ++number) save_sample(store, number);
  }
  void forge(const std::string& sql) { SQLite::Database(path(), SQLite::OPEN_READWRITE).exec(sql); }
  // A run with a row of its own, as anybody can write it who has read docs/store-format.md.
  void forge_run(const std::string& id, int64_t series_count, int64_t weights_count) {
    SQLite::Database database(path(), SQLite::OPEN_READWRITE);
    SQLite::Statement run(database, "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    const std::string config = "{}";  // lives until the row is inserted
    RowWriter row(run);
    row.text(id).integer(kEngineRevision).text(config).integer(1).integer(1).integer(100).integer(std::nullopt);
    row.integer(0).real(std::nullopt).integer(series_count).integer(weights_count).insert();
    SQLite::Statement timing(database, "INSERT INTO timings VALUES (?, ?, ?)");
    RowWriter(timing).text(id).real(1).insert();
  }
  void forge_series(const std::string& run, int64_t position, const std::string& address, const std::string& shape,
                    const std::vector<int64_t>& steps, const std::vector<float>& data) {
    SQLite::Database database(path(), SQLite::OPEN_READWRITE);
    SQLite::Statement insert(database, "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    const std::string type = "<f4";
    RowWriter row(insert);
    row.text(run).integer(position).text(address).text(shape).text(type).blob(steps).blob(data).insert();
  }
  // Loading it is refused, with the remedy; `atto check` knows of it.
  void expect_run_refused(const std::string& id) {
    const Error error = error_of([&] { Store(path(), Mode::read).load(id); });
    EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
    EXPECT_NE(error.remedy().find("atto check --repair"), std::string::npos) << error.remedy();
    EXPECT_FALSE(check_store(path()).whole());
  }
  // Neither a reader nor a writer opens it, the file stays as it is, and a repair keeps every run.
  void expect_store_refused(const std::string& what) {
    const std::string before = bytes_of(path());
    for (const Mode mode : {Mode::read, Mode::write}) {
      const Error error = error_of([&] { Store(path(), mode); });
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
      EXPECT_NE(error.remedy().find("atto check --repair"), std::string::npos) << error.remedy();
    }
    EXPECT_TRUE(bytes_of(path()) == before);
    EXPECT_FALSE(repair_store(path()).whole());
    Store store(path(), Mode::write);
    ASSERT_EQ(store.runs().size(), static_cast<size_t>(runs_));
    for (int64_t number = 0; number < runs_; ++number)
      EXPECT_TRUE(same_bits(store.load(sample_id(number)), sample_recording(number)));
    save_sample(store, runs_++);
    EXPECT_EQ(store.runs().size(), static_cast<size_t>(runs_));
  }

  int64_t runs_ = kRuns;
};

TEST_F(ForgedStoreTest, CountsAreNotBelieved) {
  forge_run("many", 1'000'000'000'000'000, 0);
  expect_run_refused("many");
  forge_run("heavy", 0, 1'000'000'000'000'000);
  expect_run_refused("heavy");
  forge_run("less", -1, -1);
  expect_run_refused("less");
}

TEST_F(ForgedStoreTest, PositionsAreNotBelieved) {
  forge_run("twice", 2, 0);
  forge_series("twice", 0, "one", "[1]", {0}, {1});
  forge_series("twice", 0, "two", "[1]", {0}, {1});
  expect_run_refused("twice");
  forge_run("beyond", 1, 0);
  forge_series("beyond", int64_t{1} << 60, "one", "[1]", {0}, {1});
  expect_run_refused("beyond");
}

TEST_F(ForgedStoreTest, ShapesAreNotBelieved) {
  int number = 0;
  for (const char* shape : {"[4294967296,4294967296,0]", "[1000000000000]", "[3]", "[1,1,1,1,1,1,1,1,1]", "[1,1"}) {
    const std::string id = "shape" + std::to_string(number++);
    forge_run(id, 1, 0);
    forge_series(id, 0, "one", shape, {}, {});
    if (std::string(shape) == "[3]") EXPECT_NO_THROW(Store(path(), Mode::read).load(id)) << "never measured";
    else expect_run_refused(id);
  }
}

TEST_F(ForgedStoreTest, IdsThatLeadElsewhereAreNoIds) {
  for (const char* id : {"../../escaped", "abcd/../..", "", "ABCD", "a b"}) {
    forge_run(id, 0, 0);
    EXPECT_EQ(error_of([&] { Store(path(), Mode::read).runs(); }).kind(), ErrorKind::store) << id;
    EXPECT_FALSE(check_store(path()).whole()) << id;
    EXPECT_FALSE(repair_store(path()).whole()) << id;
    EXPECT_EQ(Store(path(), Mode::read).runs().size(), static_cast<size_t>(kRuns)) << id;
  }
}

TEST_F(ForgedStoreTest, TriggersDoNotRun) {
  forge("CREATE TRIGGER welcome AFTER INSERT ON runs BEGIN DELETE FROM runs; END");
  expect_store_refused("the trigger 'welcome'");
}

TEST_F(ForgedStoreTest, ViewsDoNotRun) {
  forge(
      "DROP TABLE verdicts; CREATE VIEW verdicts AS WITH RECURSIVE endless (study) AS "
      "(SELECT 'a' UNION ALL SELECT study || 'a' FROM endless) SELECT study, 'quick' AS profile, '[]' AS json, "
      "0 AS checksum FROM endless");
  expect_store_refused("the view 'verdicts'");
}

TEST_F(ForgedStoreTest, TablesAreAsThisProgramMakesThem) {
  forge("CREATE INDEX mine ON runs (config)");
  expect_store_refused("the index 'mine'");
  forge("CREATE TABLE more (a TEXT)");
  expect_store_refused("the table 'more'");
  forge(
      "DROP TABLE verdicts; CREATE TABLE verdicts (study TEXT NOT NULL, profile TEXT NOT NULL, json TEXT NOT NULL "
      "CHECK (length(json) < 9), checksum INTEGER NOT NULL, PRIMARY KEY (study, profile))");
  expect_store_refused("'verdicts' is not as this program makes it");
  forge("DROP TABLE members");
  expect_store_refused("lacks the table 'members'");
}

}  // namespace
}  // namespace atto::forged_store_test

// Stores brought together hold every run of both, bit for bit, in whatever order; what does not fit is refused.
#include <SQLiteCpp/SQLiteCpp.h>
#include <signal.h>

#include <thread>

#include "lab/store/store_samples.h"

namespace atto::merge_test {
namespace {

using Mode = Store::Mode;
using Merge = StoreFolder;

// Samples [first, last) in a store of their own.
std::string make_store(const std::string& path, int64_t first, int64_t last) {
  std::vector<FinishedRun> runs;
  for (int64_t i = first; i < last; ++i) runs.push_back(sample_run(i));
  Store(path, Mode::write).save(runs);
  return path;
}

// Sample 1, but for the last bits of a value.
void make_other_bytes(const std::string& path) {
  Recording recording = sample_recording(1);
  recording.series.front().values.front() += 1e-15;
  Store(path, Mode::write).save({{sample_id(1), "{\"number\":1}", 1, 2, recording, 0.25}});
}

std::vector<Store> open_all(const std::vector<std::string>& paths) {
  std::vector<Store> stores;
  for (const std::string& path : paths) stores.emplace_back(path, Mode::read);
  return stores;
}

std::string digest_of(const std::string& path) { return Store(path, Mode::read).content_digest(); }

void change(const std::string& path, const std::string& sql) {
  SQLite::Database(path, SQLite::OPEN_READWRITE).exec(sql);
}

// A table's index as it was before the last run came in, as when a page of it is lost on its way to the disk: what is
// left is sound by itself.
void lose_entry_of_index(const std::string& path, const std::string& more, const std::string& table) {
  const std::string index = "sqlite_autoindex_" + table + "_1";
  std::string sql, root;
  {
    SQLite::Database database(path, SQLite::OPEN_READWRITE);
    sql = database.execAndGet("SELECT sql FROM sqlite_schema WHERE name = '" + table + "'").getString();
    root = database.execAndGet("SELECT rootpage FROM sqlite_schema WHERE name = '" + index + "'").getString();
    database.exec("PRAGMA writable_schema = ON");
    database.exec("DELETE FROM sqlite_schema WHERE name = '" + index + "'");
    SQLite::Statement plain(database, "UPDATE sqlite_schema SET sql = ? WHERE name = ?");
    std::string without = sql;
    for (const std::string key : {" PRIMARY KEY", ", UNIQUE (run_id, address)", ",\n  UNIQUE (run_id, name)"})
      if (const size_t at = without.find(key); at != std::string::npos) without.erase(at, key.size());
    plain.bind(1, without);
    plain.bind(2, table);
    plain.exec();
  }
  {
    SQLite::Database database(path, SQLite::OPEN_READWRITE);
    database.exec("ATTACH '" + more + "' AS more");
    for (const std::string name : {"runs", "series", "weights", "timings"})
      database.exec("INSERT INTO main." + name + " SELECT * FROM more." + name);
  }
  SQLite::Database database(path, SQLite::OPEN_READWRITE);
  database.exec("PRAGMA writable_schema = ON");
  SQLite::Statement as_before(database, "UPDATE sqlite_schema SET sql = ? WHERE name = ?");
  as_before.bind(1, sql);
  as_before.bind(2, table);
  as_before.exec();
  database.exec("INSERT INTO sqlite_schema VALUES ('index', '" + index + "', '" + table + "', " + root + ", NULL)");
}

TEST_F(Merge, BringsInWhatIsMissing) {
  make_store(path("a"), 0, 5);
  make_store(path("b"), 3, 9);
  Store into(path("into"), Mode::write);
  MergeCount count = into.merge(Store(path("a"), Mode::read));
  EXPECT_EQ(count.added, 5);
  EXPECT_EQ(count.known, 0);
  count = into.merge(Store(path("b"), Mode::read));
  EXPECT_EQ(count.added, 4);
  EXPECT_EQ(count.known, 2);
  EXPECT_TRUE(count.whole);
  for (int64_t i = 0; i < 9; ++i) EXPECT_TRUE(same_bits(into.load(sample_id(i)), sample_recording(i))) << i;
  EXPECT_EQ(into.runs().at(4).seconds, 0.25);
}

TEST_F(Merge, GivesTheSameStoreInAnyOrderAndAgain) {
  make_store(path("all"), 0, 9);
  for (const auto& [name, first, last] : {std::tuple("a", 0, 4), std::tuple("b", 2, 7), std::tuple("c", 7, 9)})
    make_store(path(name), first, last);
  for (const std::vector<std::string>& order :
       {std::vector<std::string>{"a", "b", "c"}, {"c", "b", "a"}, {"b", "b", "c", "a", "b"}}) {
    const std::string into = path("into" + order.front() + std::to_string(order.size()));
    for (const std::string& name : order) Store(into, Mode::write).merge(Store(path(name), Mode::read));
    EXPECT_EQ(digest_of(into), digest_of(path("all")));
  }
}

TEST_F(Merge, TakesSeveralAtOnceInTheOrderOfTheirIds) {
  make_store(path("all"), 0, 2500);
  make_store(path("a"), 0, 900);
  make_store(path("b"), 800, 2500);
  make_store(path("c"), 0, 0);
  Store into(path("into"), Mode::write);
  std::vector<int64_t> done;
  const MergeCount count = into.merge(open_all({path("a"), path("c"), path("b")}), [&](int64_t runs) {
    done.push_back(runs);
    return true;
  });
  EXPECT_EQ(count.added, 2500);
  EXPECT_EQ(count.known, 100);
  EXPECT_EQ(done, (std::vector<int64_t>{1000, 2000, 2600}));
  EXPECT_EQ(into.content_digest(), digest_of(path("all")));
  SQLite::Database database(path("into"));
  SQLite::Statement ids(database, "SELECT id FROM runs ORDER BY rowid");
  for (std::string last; ids.executeStep(); last = ids.getColumn(0).getString())
    ASSERT_LT(last, ids.getColumn(0).getString());
}

TEST_F(Merge, LooksAtAllSourcesBeforeItTakesAny) {
  make_store(path("a"), 0, 3);
  make_store(path("b"), 3, 6);
  lose_entry_of_index(path("b"), path("a"), "runs");
  Store into(path("into"), Mode::write);
  const Error error = error_of([&] { into.merge(open_all({path("a"), path("b"), path("a")})); });
  EXPECT_TRUE(std::string(error.what()).starts_with(path("b"))) << error.what();
  EXPECT_FALSE(into.has_runs());
}

TEST_F(Merge, NamesBothSourcesOfARunWithOtherBytes) {
  make_store(path("a"), 0, 3);
  make_other_bytes(path("b"));
  Store into(path("into"), Mode::write);
  const Error error = error_of([&] { into.merge(open_all({path("a"), path("b")})); });
  EXPECT_EQ(error.kind(), ErrorKind::store);
  EXPECT_NE(std::string(error.what()).find(path("b") + ": run " + sample_id(1)), std::string::npos) << error.what();
  EXPECT_NE(std::string(error.what()).find("other bytes than in " + path("a")), std::string::npos) << error.what();
  EXPECT_FALSE(into.has_runs());
}

TEST_F(Merge, LeavesTheSourcesAsTheyAre) {
  make_store(path("a"), 0, 5);
  const std::string before = bytes_of(path("a"));
  Store(path("into"), Mode::write).merge(Store(path("a"), Mode::read));
  EXPECT_EQ(bytes_of(path("a")), before);
  EXPECT_FALSE(std::filesystem::exists(path("a") + "-wal"));
}

TEST_F(Merge, ReadsTheLogOfAKilledWorkerAndLeavesItThere) {
  in_child([&] {
    Store store(path("a"), Mode::write);
    for (int64_t i = 0; i < 3; ++i) save_sample(store, i);
    return raise(SIGKILL);
  });
  const std::string file = bytes_of(path("a")), log = bytes_of(path("a") + "-wal");
  ASSERT_FALSE(log.empty());
  EXPECT_EQ(Store(path("into"), Mode::write).merge(Store(path("a"), Mode::read)).added, 3);
  EXPECT_EQ(bytes_of(path("a")), file);
  EXPECT_EQ(bytes_of(path("a") + "-wal"), log);
}

TEST_F(Merge, RefusesARunWithOtherBytes) {
  make_store(path("a"), 0, 3);
  make_other_bytes(path("b"));
  Store into(path("into"), Mode::write);
  into.merge(Store(path("a"), Mode::read));
  const std::string before = into.content_digest();
  const Error error = error_of([&] { into.merge(Store(path("b"), Mode::read)); });
  EXPECT_EQ(error.kind(), ErrorKind::store);
  EXPECT_NE(std::string(error.what()).find(sample_id(1)), std::string::npos) << error.what();
  EXPECT_EQ(into.content_digest(), before);
}

TEST_F(Merge, RefusesRunsOfAnotherEngineRevision) {
  make_store(path("a"), 0, 1);
  change(path("a"), "UPDATE runs SET engine_revision = 1");
  const Error error = error_of([&] { Store(path("into"), Mode::write).merge(Store(path("a"), Mode::read)); });
  EXPECT_NE(std::string(error.what()).find("engine revision 1"), std::string::npos) << error.what();
}

TEST_F(Merge, TakesTheRunOfThisRevisionForAnOlderOne) {
  make_store(path("old"), 0, 1);
  change(path("old"), "UPDATE runs SET engine_revision = 1");
  make_store(path("a"), 0, 1);
  Store into(path("old"), Mode::write);
  EXPECT_EQ(into.merge(Store(path("a"), Mode::read)).added, 1);
  EXPECT_TRUE(same_bits(into.load(sample_id(0)), sample_recording(0)));
}

TEST_F(Merge, RefusesADamagedSource) {
  for (const char* damage : {"UPDATE series SET data = x'00' WHERE address = 'perplexity'",
                             "UPDATE weights SET name = 'W_K' WHERE name = 'W_Q'", "UPDATE runs SET init_seed = 77",
                             "UPDATE timings SET seconds = 7", "DELETE FROM timings",
                             "DELETE FROM series WHERE address = 'never'", "DELETE FROM weights WHERE name = 'W_E'"}) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    make_store(path("a"), 0, 2);
    change(path("a"), damage);
    Store into(path("into"), Mode::write);
    EXPECT_EQ(error_of([&] { into.merge(Store(path("a"), Mode::read)); }).kind(), ErrorKind::store) << damage;
    EXPECT_FALSE(into.has_runs()) << damage;
  }
}

TEST_F(Merge, RefusesASourceWhoseIndexLacksARow) {
  for (const char* table : {"runs", "series", "weights", "timings"}) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    make_store(path("a"), 0, 4);
    make_store(path("b"), 4, 5);
    lose_entry_of_index(path("a"), path("b"), table);
    ASSERT_EQ(SQLite::Database(path("a")).execAndGet("PRAGMA quick_check").getString(), "ok") << table;
    Store into(path("into"), Mode::write);
    const Error error = error_of([&] { into.merge(Store(path("a"), Mode::read)); });
    EXPECT_NE(std::string(error.what()).find("has other rows than the table"), std::string::npos) << error.what();
    EXPECT_FALSE(into.has_runs()) << table;
  }
}

TEST_F(Merge, RefusesTheSameFile) {
  make_store(path("a"), 0, 1);
  Store into(path("a"), Mode::write);
  EXPECT_EQ(error_of([&] { into.merge(Store(path("a"), Mode::read)); }).kind(), ErrorKind::usage);
}

TEST_F(Merge, TakesTheFurthestCheckpointOfWhatIsNotFinished) {
  {
    Store a(path("a"), Mode::write), b(path("b"), Mode::write);
    a.save_checkpoint("half", sample_checkpoint(640), 1);
    b.save_checkpoint("half", sample_checkpoint(1280), 2);
    a.save_checkpoint(sample_id(3), sample_checkpoint(64), 1);
    save_sample(b, 3);
  }
  for (const auto& [first, second] : {std::pair("a", "b"), std::pair("b", "a")}) {
    Store into(path(std::string("into") + first), Mode::write);
    into.merge(Store(path(first), Mode::read));
    into.merge(Store(path(second), Mode::read));
    const auto half = into.checkpoint("half");
    ASSERT_TRUE(half);
    EXPECT_TRUE(same_bits(half->checkpoint, sample_checkpoint(1280)));
    EXPECT_FALSE(into.checkpoint(sample_id(3)));
  }
}

TEST_F(Merge, KeepsTheQuestionsOfBothAndTheLongerListOfRuns) {
  {
    Store a(path("a"), Mode::write), b(path("b"), Mode::write);
    a.save_questions({{"study", "quick", "C1", 0, "h1", "one", 0}});
    b.save_questions({{"study", "quick", "C1", 0, "h1", "one", 0}, {"study", "quick", "C1", 0, "h2", "two", 5}});
    a.save_membership("study", "quick", {{"", "", "{}", 0, sample_id(0)}});
    b.save_membership("study", "quick", {{"", "", "{}", 0, sample_id(0)}, {"", "", "{}", 1, sample_id(1)}});
    b.save_verdicts("study", "quick", "[]");
  }
  std::vector<std::string> digests;
  for (const auto& [first, second] : {std::pair("a", "b"), std::pair("b", "a")}) {
    Store into(path(std::string("into") + first), Mode::write);
    for (const char* name : {first, second, first}) into.merge(Store(path(name), Mode::read));
    const auto asked = into.questions("study");
    ASSERT_EQ(asked.size(), 2u);
    EXPECT_EQ(asked[1].hash, "h2");
    EXPECT_EQ(asked[1].runs_before, 5);
    EXPECT_EQ(into.membership("study").size(), 2u);
    EXPECT_TRUE(into.verdicts().empty());
    digests.push_back(into.content_digest());
  }
  EXPECT_EQ(digests[0], digests[1]);
}

// Whole batches come in, so whatever a kill leaves is right, and the next merge makes up for the rest.
TEST_F(Merge, ContinuesAfterAKill) {
  make_store(path("a"), 0, 2500);
  const int code = in_child([&] {
    Store into(path("into"), Mode::write);
    into.merge(Store(path("a"), Mode::read), [](int64_t done) { return done < 2000 ? true : raise(SIGKILL) == 0; });
    return 0;
  });
  EXPECT_EQ(code, -SIGKILL);
  Store into(path("into"), Mode::write);
  const MergeCount count = into.merge(Store(path("a"), Mode::read));
  EXPECT_EQ(count.known, 2000);
  EXPECT_EQ(count.added, 500);
  EXPECT_EQ(into.content_digest(), digest_of(path("a")));
}

// What is wrong in its second batch is found while the first one is entered, and its fault alone.
TEST_F(Merge, KeepsWhatCameBeforeADamagedRun) {
  make_store(path("a"), 0, 1500);
  const std::string last = SQLite::Database(path("a")).execAndGet("SELECT max(id) FROM runs").getString();
  change(path("a"), "UPDATE runs SET init_seed = 77 WHERE id = '" + last + "'");
  Store into(path("into"), Mode::write);
  const Error error = error_of([&] { into.merge(Store(path("a"), Mode::read)); });
  EXPECT_EQ(error.kind(), ErrorKind::store);
  EXPECT_TRUE(std::string(error.what()).starts_with(path("a"))) << error.what();
  EXPECT_EQ(into.runs().size(), 1000U);
}

TEST_F(Merge, HoldsAFewLargeRunsAtATime) {
  constexpr int64_t kRows = 2'500'000;  // of floats: 10 MB
  std::vector<FinishedRun> runs;
  for (int64_t i = 0; i < 3; ++i) {
    runs.push_back(sample_run(i));
    runs.back().recording.weights.push_back({"W_large", kRows, 1, std::vector<float>(kRows, static_cast<float>(i))});
  }
  Store(path("a"), Mode::write).save(runs);
  Store into(path("into"), Mode::write);
  std::vector<int64_t> done;
  into.merge(Store(path("a"), Mode::read), [&](int64_t count) {
    done.push_back(count);
    return true;
  });
  EXPECT_EQ(done, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(into.content_digest(), digest_of(path("a")));
}

TEST_F(Merge, StopsWhenAsked) {
  make_store(path("a"), 0, 1500);
  Store into(path("into"), Mode::write);
  const MergeCount count = into.merge(Store(path("a"), Mode::read), [](int64_t) { return false; });
  EXPECT_FALSE(count.whole);
  EXPECT_EQ(count.added, 1000);
}

TEST_F(Merge, AStoreKnowsOfWhichSweepItIsAShard) {
  const ShardLabel label{"study", "quick", "abc", 3, 200, 7};
  {
    Store store(path("a"), Mode::write);
    EXPECT_FALSE(store.label());
    store.label(label);
    store.label(label);
    EXPECT_EQ(store.label(), label);
    save_sample(store, 1);
  }
  Store store(path("a"), Mode::write);
  EXPECT_EQ(store.label(), label);
  ShardLabel other = label;
  other.index = 4;
  EXPECT_EQ(error_of([&] { store.label(other); }).kind(), ErrorKind::store);
  Store own(path("own"), Mode::write);
  save_sample(own, 1);
  own.label(label);  // somebody's store of many things does not become a shard
  EXPECT_FALSE(own.label());
}

}  // namespace
}  // namespace atto::merge_test

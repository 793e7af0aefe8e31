// Stores of earlier programs (tests/stores/README.md): each opens, and what it holds is neither lost nor misread.
#include "lab/store/old_stores.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include "lab/store/row.h"
#include "lab/store/store_samples.h"
#include "lab/sweep/scheduler.h"

namespace atto {
namespace {

namespace fs = std::filesystem;
using Mode = Store::Mode;

void expect_lists(const Store& store, const Json& expected) {
  const auto runs = store.runs();
  ASSERT_EQ(runs.size(), expected.at("runs").size());
  for (size_t i = 0; i < runs.size(); ++i) {
    const Json& row = expected.at("runs")[i];
    EXPECT_EQ(runs[i].id, row.at("id"));
    EXPECT_EQ(runs[i].engine_revision, row.at("engine_revision"));
    EXPECT_EQ(runs[i].config, row.at("config"));
    EXPECT_EQ(runs[i].init_seed, row.at("init_seed"));
    EXPECT_EQ(runs[i].data_seed, row.at("data_seed"));
    EXPECT_EQ(runs[i].steps_done, row.at("steps_done"));
    EXPECT_EQ(runs[i].diverged_at, maybe<int64_t>(row.at("diverged_at")));
    EXPECT_EQ(runs[i].seconds, row.at("seconds"));
  }
  Json verdicts = Json::array(), members = Json::array();
  for (const auto& one : store.verdicts())
    verdicts.push_back({{"study", one.study}, {"profile", one.profile}, {"json", one.json}});
  EXPECT_EQ(verdicts, expected.at("verdicts"));
  for (const char* study : {"tiny", "unfinished"}) {
    int64_t position = 0;
    for (const auto& one : store.membership(study))
      members.push_back({{"study", one.study},
                         {"profile", one.profile},
                         {"position", position++},
                         {"cell", one.cell},
                         {"seed", one.seed},
                         {"run_id", one.run_id}});
  }
  EXPECT_EQ(members, expected.at("members"));
  Json questions = Json::array();
  for (const char* study : {"tiny", "unfinished"})
    for (const auto& one : store.questions(study))
      questions.push_back({{"study", one.study},
                           {"profile", one.profile},
                           {"claim", one.claim},
                           {"position", one.position},
                           {"hash", one.hash},
                           {"text", one.text},
                           {"runs_before", one.runs_before}});
  EXPECT_EQ(questions, expected.contains("questions") ? expected.at("questions") : Json::array());
}

// Runs and checkpoints of this engine, every bit of them.
void expect_rows(const Store& store, const Json& expected) {
  for (const Json& row : expected.at("runs")) {
    const std::string id = row.at("id");
    const Recording recording = recording_of(row);
    EXPECT_TRUE(store.has(id));
    EXPECT_TRUE(same_bits(store.load(id), recording)) << id;
    for (const Series& series : recording.series)
      EXPECT_TRUE(same_bits(store.load(id, {series.address}).series.at(0), series)) << id << " " << series.address;
  }
  std::map<std::string, int64_t> steps;
  for (const Json& row : expected.at("checkpoints")) {
    const std::string id = row.at("run_id");
    const auto found = store.checkpoint(id);
    ASSERT_TRUE(found);
    EXPECT_TRUE(same_bits(found->checkpoint, checkpoint_of(row)));
    EXPECT_EQ(found->seconds, row.at("seconds"));
    steps[id] = row.at("step");
  }
  EXPECT_EQ(store.checkpoint_steps(), steps);
}

// What another engine computed is listed, but never taken for this engine's.
void expect_refusals(const Store& store, const Json& expected) {
  for (const Json& row : expected.at("runs")) {
    EXPECT_FALSE(store.has(row.at("id")));
    const Error error = error_of([&] { store.load(row.at("id")); });
    EXPECT_EQ(error.kind(), ErrorKind::missing);
    const std::string revision = "engine revision " + row.at("engine_revision").dump();
    EXPECT_NE(std::string(error.what()).find(revision), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
  for (const Json& member : expected.at("members")) EXPECT_FALSE(store.checkpoint(member.at("run_id")));
  EXPECT_TRUE(store.checkpoint_steps().empty());
}

void expect_all(const Store& store, const Json& expected) {
  expect_lists(store, expected);
  engine_of(expected) == kEngineRevision ? expect_rows(store, expected) : expect_refusals(store, expected);
}

int64_t count(const std::string& path, const std::string& what) {
  return SQLite::Database(path, SQLite::OPEN_READONLY).execAndGet("SELECT count(*) FROM " + what).getInt64();
}

class OldStoresTest : public StoreFolder {
 protected:
  // Calls `work` with the expected rows of each store and the path of a copy.
  template <typename Work>
  void with_each(Work&& work) const {
    for (const std::string& name : old_store_names()) {
      SCOPED_TRACE(name);
      fs::copy_file(old_store_file(name), path(name));
      work(old_store_rows(name), path(name));
    }
  }
};

TEST_F(OldStoresTest, OneOfEveryFormatAndEngineRevisionIsHere) {
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(kOldStores))
    if (entry.path().extension() == ".db") found.insert(entry.path().stem().string());
  EXPECT_EQ(found, old_store_names()) << "tests/stores/README.md says how to make one";
  with_each([](const Json& expected, const std::string& path) {
    EXPECT_EQ(fs::path(path).filename(), old_store_name(expected.at("format"), engine_of(expected)));
    SQLite::Database database(path, SQLite::OPEN_READONLY);
    EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), expected.at("format"));
    EXPECT_EQ(expected.at("runs").size(), 4u);
    EXPECT_EQ(expected.at("checkpoints").size(), expected.at("format") == 1 ? 0u : 1u);
  });
}

TEST_F(OldStoresTest, AReaderFindsEverythingAndChangesNothing) {
  with_each([](const Json& expected, const std::string& path) {
    const std::string before = bytes_of(path);
    expect_all(Store(path, Mode::read), expected);
    EXPECT_TRUE(bytes_of(path) == before);
  });
}

TEST_F(OldStoresTest, AWriterBringsThemUpToDateAndLosesNothing) {
  with_each([](const Json& expected, const std::string& path) {
    const std::string digest = Store(path, Mode::read).content_digest();
    for (int time = 0; time < 2; ++time) {  // the second writer finds it up to date
      const Store writer(path, Mode::write);
      expect_all(writer, expected);
      EXPECT_EQ(writer.content_digest(), digest);
    }
    expect_all(Store(path, Mode::read), expected);
    SQLite::Database database(path, SQLite::OPEN_READONLY);
    EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), kStoreFormat);
    EXPECT_EQ(count(path, "checkpoints"), static_cast<int64_t>(expected.at("checkpoints").size()));
    EXPECT_EQ(count(path, "questions"),
              expected.contains("questions") ? static_cast<int64_t>(expected.at("questions").size()) : 0);
  });
}

// Gives the rows of a table to this engine. The checksum covers every column before it.
void relabel(const std::string& path, const std::string& table) {
  SQLite::Database database(path, SQLite::OPEN_READWRITE);
  SQLite::Statement row(database, "SELECT rowid, * FROM " + table);
  std::map<int64_t, int64_t> checksums;
  while (row.executeStep()) {
    RowHash hash;
    for (int i = 1; i + 1 < row.getColumnCount(); ++i) {
      const SQLite::Column column = row.getColumn(i);
      if (column.isInteger()) {
        const bool is_revision = std::string(column.getName()) == "engine_revision";
        const int64_t value = is_revision ? kEngineRevision : column.getInt64();
        hash.add('i', &value, sizeof value);
      } else if (column.isFloat()) {
        const double value = column.getDouble();
        hash.add('f', &value, sizeof value);
      } else if (column.isNull()) {
        hash.add('n', nullptr, 0);
      } else {
        hash.add(column.isText() ? 't' : 'b', column.getBlob(), static_cast<size_t>(column.getBytes()));
      }
    }
    checksums[row.getColumn(0).getInt64()] = hash.value();
  }
  for (const auto& [id, checksum] : checksums) {
    SQLite::Statement update(database, "UPDATE " + table + " SET engine_revision = ?, checksum = ? WHERE rowid = ?");
    update.bind(1, kEngineRevision);
    update.bind(2, checksum);
    update.bind(3, id);
    update.exec();
  }
}

// No program reads the series of another engine, but the rows are as that engine's own program would read them.
TEST_F(OldStoresTest, TheirSeriesWeightsAndCheckpointsAreReadBitForBit) {
  with_each([](const Json& expected, const std::string& path) {
    relabel(path, "runs");
    if (!expected.at("checkpoints").empty()) relabel(path, "checkpoints");
    for (const Mode mode : {Mode::read, Mode::write}) expect_rows(Store(path, mode), expected);
  });
}

TEST_F(OldStoresTest, ARunComputedAnewTakesTheOldOnesPlace) {
  with_each([](const Json& expected, const std::string& path) {
    const std::string old = expected.at("runs")[1].at("id"), unfinished = expected.at("members").back().at("run_id");
    {
      Store store(path, Mode::write);
      for (const std::string& id : {old, unfinished}) store.save({{id, "{}", 1, 1, sample_recording(1), 1}});
      for (const std::string& id : {old, unfinished}) EXPECT_TRUE(same_bits(store.load(id), sample_recording(1)));
      EXPECT_EQ(store.runs().size(), 5u);
    }
    EXPECT_EQ(count(path, "checkpoints"), 0);
    const auto parts = static_cast<int64_t>(sample_recording(1).series.size());
    EXPECT_EQ(count(path, "series WHERE run_id = '" + old + "'"), parts);
  });
}

// The store of this engine is one that another build wrote: the same studies must find their runs there, the same bits
// in them, and a checkpoint that leads to the same end.
class StoreOfThisEngineTest : public StoreFolder {
 protected:
  StoreOfThisEngineTest() { fs::copy_file(old_store_file(name_), path()); }
  Study study(const std::string& name) const { return read_study(kOldStores / (name + ".toml"), {}); }

  const std::string name_ = old_store_name(kStoreFormat, kEngineRevision);
  const Json expected_ = old_store_rows(name_);
};

TEST_F(StoreOfThisEngineTest, ItsStudyGivesTheSameRunsWithTheSameBits) {
  const Study tiny = study("tiny");
  const auto runs = expand_runs(tiny, expand_cells(tiny));
  Store store(path("anew"), Mode::write);
  run_all(tiny, runs, store, {});
  EXPECT_EQ(store.runs().size(), expected_.at("runs").size());
  expect_rows(store, {{"runs", expected_.at("runs")}, {"checkpoints", Json::array()}});
  for (const RunSummary& run : store.runs()) EXPECT_EQ(run.id, run_id(run.config));
  Store old(path(), Mode::write);
  EXPECT_EQ(run_all(tiny, runs, old, {}).progress.cached, static_cast<int64_t>(runs.size()));
}

TEST_F(StoreOfThisEngineTest, ItsCheckpointLeadsToTheSameEnd) {
  const Study unfinished = study("unfinished");
  const auto runs = expand_runs(unfinished, expand_cells(unfinished));
  ASSERT_EQ(runs.size(), 1u);
  Store resumed(path(), Mode::write), whole(path("whole"), Mode::write);
  EXPECT_EQ(run_all(unfinished, runs, resumed, {}).progress.resumed, 1);
  EXPECT_EQ(run_all(unfinished, runs, whole, {}).progress.resumed, 0);
  EXPECT_TRUE(same_bits(resumed.load(runs[0].id), whole.load(runs[0].id)));
}

}  // namespace
}  // namespace atto

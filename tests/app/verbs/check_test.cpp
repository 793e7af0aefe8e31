// atto check and atto prune, as people use them.
#include <SQLiteCpp/SQLiteCpp.h>

#include "app/program.h"
#include "lab/store/row.h"
#include "lab/store/store.h"

namespace atto::test {
namespace {

namespace fs = std::filesystem;

class CheckTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    ASSERT_EQ(atto({"run", "tiny", "--seeds", "2", "--json"}).code, 0);
  }
  void change(const std::string& sql) const {
    SQLite::Database((folder_ / "results/atto.db").string(), SQLite::OPEN_READWRITE).exec(sql);
  }
};

TEST_F(CheckTest, AWholeStoreIsWhole) {
  const Outcome outcome = atto({"check"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("results/atto.db: 4 runs in "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find(", all of it whole\n"), std::string::npos) << outcome.out;
  const Json json = atto_json({"check", "--json"});
  EXPECT_EQ(json.at("whole"), true);
  EXPECT_EQ(json.at("runs"), 4);
  EXPECT_TRUE(json.at("aside").is_null());
}

TEST_F(CheckTest, ADamagedRunIsTrainedAgainToTheSameBytes) {
  const Json before = atto_json({"run", "tiny", "--seeds", "2", "--json"});
  change("UPDATE weights SET data = zeroblob(length(data)) WHERE rowid = 1");
  const Outcome found = atto({"check"});
  EXPECT_EQ(found.code, 5) << found.out << found.err;
  EXPECT_NE(found.out.find("1 row of 'weights' does not match its checksum"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("the runs they belong to are trained again"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("tiny (quick seeds=2): 1 of 4 runs"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("check --repair"), std::string::npos) << found.out;
  const Json repaired = atto_json({"check", "--repair", "--json"});
  EXPECT_EQ(repaired.at("whole"), false) << "what was found";
  EXPECT_EQ(repaired.at("lost_runs").size(), 1u);
  EXPECT_TRUE(fs::exists(repaired.at("aside").get<std::string>()));
  EXPECT_EQ(atto({"check"}).code, 0);
  const Outcome again = atto({"run", "tiny", "--seeds", "2", "--json"});
  EXPECT_NE(again.err.find("trained 1 run in"), std::string::npos) << again.err;
  EXPECT_EQ(Json::parse(again.out), before);
  EXPECT_EQ(atto_json({"check", "--json"}).at("runs"), 4);
}

TEST_F(CheckTest, EachCommandTrainsTheRunsOfItsVariant) {
  write("mine/small.toml", read("studies/tiny.toml"));
  ASSERT_EQ(atto({"run", "tiny", "--set", "training.steps=40", "--until", "decided", "--most", "9", "--json"}).code, 0);
  ASSERT_EQ(atto({"run", "mine/small.toml", "--seeds", "1", "--json"}).code, 0);
  ASSERT_EQ(atto({"explore", "map", "--aim", "contour", "--quantity", "plateau.present", "--json"}).code, 0);
  change("UPDATE weights SET data = zeroblob(length(data))");
  const std::string said = atto({"check", "--repair"}).out;
  const auto says = [&](const std::string& command) { return said.find(command + "\n") != std::string::npos; };
  EXPECT_TRUE(says(" run tiny --seeds 2")) << said;
  EXPECT_TRUE(says(" run tiny --set training.steps=40 --until decided --most 9")) << said;
  EXPECT_TRUE(says(" run FILE.toml --seeds 1   (FILE.toml: the file of study 'small')")) << said;
  const std::string explored = " explore map --aim contour --quantity plateau.present --refine 1   (";
  EXPECT_NE(said.find(explored), std::string::npos) << said;
}

TEST_F(CheckTest, WhatIsNoStoreIsLeftAlone) {
  EXPECT_EQ(atto({"check", "--store", "absent.db"}).code, 4);
  write("notes.db", "mine");
  EXPECT_EQ(atto({"check", "--repair", "--store", "notes.db"}).code, 5);
  EXPECT_EQ(read("notes.db"), "mine");
}

TEST_F(CheckTest, PruneDropsWhatNothingReads) {
  EXPECT_NE(atto({"prune"}).out.find("nothing to drop"), std::string::npos);
  const std::string path = (folder_ / "results/atto.db").string();
  {
    Store store(path, Store::Mode::write);
    store.save_checkpoint("abandoned", {{64, 0, std::vector<float>(50'000, 1.f), {}, {}}, {}}, 1);
    store.save_checkpoint("wanted", {{64, 0, {1.f}, {}, {}}, {}}, 1);
    store.save_membership("other", "quick", {{"", "", "{}", 0, "wanted"}});
    SQLite::Database database(path, SQLite::OPEN_READWRITE);
    SQLite::Statement insert(database, "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    const std::string id = "0ld", config = "{}";
    RowWriter row(insert);
    row.text(id).integer(kEngineRevision - 1).text(config).integer(1).integer(1).integer(1).integer(std::nullopt);
    row.integer(0).real(std::nullopt).integer(0).integer(0).insert();
    SQLite::Statement timing(database, "INSERT INTO timings VALUES (?, ?, ?)");
    RowWriter(timing).text(id).real(1).insert();
  }
  const auto size = fs::file_size(path);
  const Outcome asked = atto({"prune"});  // nobody is there to answer
  EXPECT_EQ(asked.code, 2) << asked.err;
  EXPECT_NE(asked.out.find("1 run of another engine revision and 1 abandoned checkpoint, "), std::string::npos)
      << asked.out;
  EXPECT_EQ(atto_json({"show", "--json"}).at("outdated_runs"), 1) << "nothing was dropped";
  for (const char* answer : {"n", "", "Y?"}) {
    const Outcome kept = atto_answered({"prune"}, answer);
    EXPECT_EQ(kept.code, 0) << kept.out;
    EXPECT_NE(kept.out.find("Drop them? [y/N] "), std::string::npos) << kept.out;
    EXPECT_NE(kept.out.find("kept"), std::string::npos) << kept.out;
    EXPECT_EQ(atto_json({"show", "--json"}).at("outdated_runs"), 1) << answer;
  }
  const fs::path copy = folder_ / "answered.db";
  fs::copy_file(path, copy);
  EXPECT_NE(atto_answered({"prune", "--store", copy.string()}, "y").out.find("dropped"), std::string::npos);
  EXPECT_EQ(atto_json({"show", "--json", "--store", copy.string()}).at("outdated_runs"), 0);
  const Json dropped = atto_json({"prune", "--yes", "--json"});
  EXPECT_EQ(dropped.at("runs"), 1);
  EXPECT_EQ(dropped.at("checkpoints"), 1);
  EXPECT_EQ(dropped.at("bytes"), 200'002);
  EXPECT_EQ(dropped.at("dropped"), true);
  EXPECT_LT(fs::file_size(path) + 190'000, size) << "the space is given back";
  const Json left = atto_json({"show", "--json"});
  EXPECT_EQ(left.at("outdated_runs"), 0);
  EXPECT_EQ(left.at("runs"), 4);
  EXPECT_EQ(Store(path, Store::Mode::read).checkpoint_steps(), (std::map<std::string, int64_t>{{"wanted", 64}}));
  EXPECT_EQ(atto({"check"}).code, 0);
}

}  // namespace
}  // namespace atto::test

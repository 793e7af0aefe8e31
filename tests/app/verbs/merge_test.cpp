// run --shard and merge, as people type them.
#include <fstream>

#include "app/program.h"
#include "lab/store/store.h"

namespace atto::test::merge_verb_test {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class MergeVerb : public ProgramTest {
 protected:
  Outcome train_shard(const std::string& shard, const std::string& store) {
    return atto({"run", "tiny", "--shard", shard, "--store", store});
  }
};

TEST_F(MergeVerb, ShardsGiveTheStoreOfOneMachine) {
  const Json alone = atto_json({"run", "tiny", "--store", "alone.db", "--json"});
  for (const char* index : {"1", "2", "3"})
    ASSERT_EQ(train_shard(std::string(index) + "/3", std::string(index) + ".db").code, 0);
  const Json merged = atto_json({"merge", "all.db", "3.db", "1.db", "2.db", "--json"});
  EXPECT_EQ(merged.at("added"), 16);
  EXPECT_EQ(merged.at("sweeps").at(0).at("here"), Json({1, 2, 3}));
  const Json again = atto_json({"merge", "all.db", "1.db", "1.db", "--json"});
  EXPECT_EQ(again.at("added"), 0);
  // Judging trains nothing, and says the same.
  const Outcome judged = atto({"run", "tiny", "--store", "all.db"});
  EXPECT_TRUE(contains(judged.err, "trained 0 runs, 16 were in the store")) << judged.err;
  EXPECT_EQ(atto_json({"run", "tiny", "--store", "all.db", "--json"}), alone);
}

TEST_F(MergeVerb, SaysWhichShardsAreMissing) {
  ASSERT_EQ(train_shard("2/4", "2.db").code, 0);
  const Outcome merged = atto({"merge", "all.db", "2.db"});
  EXPECT_EQ(merged.code, 0);
  EXPECT_TRUE(contains(merged.out, "1 of 4 shards; not among them: 1, 3, 4")) << merged.out;
}

TEST_F(MergeVerb, WritesIntoNoStoreButTheFirst) {
  ASSERT_EQ(train_shard("2/4", "2.db").code, 0);
  const Outcome refused = atto({"merge", "all.db", "2.db", "--store", "other.db"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "writes into the first store that it names, all.db")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "name other.db first")) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "all.db"));
  EXPECT_EQ(atto({"merge", "all.db", "2.db", "--store", "./all.db"}).code, 0) << "it says the same";
}

// What a store says when it is opened reaches people, whatever verb opens it.
TEST_F(MergeVerb, SaysThatALogIsDamaged) {
  ASSERT_EQ(train_shard("1/4", "1.db").code, 0);
  {
    Store store((folder_ / "open.db").string(), Store::Mode::write);
    for (const char* study : {"one", "two", "three"}) store.save_verdicts(study, "quick", "[]");
    // Its log is there as long as it is open.
    for (const char* part : {"", "-wal"})
      std::filesystem::copy_file((folder_ / "open.db").string() + part, (folder_ / "all.db").string() + part);
  }
  std::fstream log(folder_ / "all.db-wal", std::ios::binary | std::ios::in | std::ios::out);
  log.seekp(200);
  log.put('?');
  log.close();
  const Outcome merged = atto({"merge", "all.db", "1.db"});
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_TRUE(contains(merged.err, "note: the log")) << merged.err;
  EXPECT_TRUE(contains(merged.err, "all.db-wal.damaged-1")) << merged.err;
}

TEST_F(MergeVerb, RefusesWhatIsNoShare) {
  for (const char* shard : {"5/4", "0/4", "1", "x", "", "3/", "1.5/2", "1/200000"}) {
    const Outcome refused = train_shard(shard, "none.db");
    EXPECT_EQ(refused.code, 2) << shard;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "none.db"));
  }
  ASSERT_EQ(train_shard("1/4", "1.db").code, 0);
  EXPECT_EQ(train_shard("2/4", "1.db").code, 5) << "each shard has a store of its own";
}

TEST_F(MergeVerb, RefusesShardsOfDifferentSweeps) {
  ASSERT_EQ(train_shard("1/2", "quick.db").code, 0);
  ASSERT_EQ(atto({"run", "tiny", "--profile", "full", "--shard", "2/2", "--store", "full.db"}).code, 0);
  ASSERT_EQ(train_shard("2/3", "thirds.db").code, 0);
  for (const char* other : {"full.db", "thirds.db"}) {
    const Outcome refused = atto({"merge", "all.db", "quick.db", other});
    EXPECT_EQ(refused.code, 2) << refused.err;
    EXPECT_TRUE(contains(refused.err, "by themselves")) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "all.db"));
  }
}

TEST_F(MergeVerb, RefusesSourcesThatAreNoStores) {
  ASSERT_EQ(train_shard("1/2", "1.db").code, 0);
  write("text.db", "not a store");
  EXPECT_EQ(atto({"merge", "all.db", "text.db"}).code, 5);
  EXPECT_EQ(atto({"merge", "all.db", "nothing.db"}).code, 4);
  EXPECT_EQ(atto({"merge", "1.db", "1.db"}).code, 2);
  EXPECT_EQ(atto({"merge", "1.db", "./1.db"}).code, 2);
  EXPECT_EQ(atto({"merge", "1.db"}).code, 2);
  write("short.db", read("1.db").substr(0, 5000));
  EXPECT_EQ(atto({"merge", "all.db", "short.db"}).code, 5);
}

}  // namespace
}  // namespace atto::test::merge_verb_test

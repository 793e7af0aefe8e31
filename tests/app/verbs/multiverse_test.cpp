// multiverse, as people type it.
#include <csignal>

#include "app/program.h"
#include "lab/store/store.h"

namespace atto::test::multiverse_verb_test {
namespace {

namespace fs = std::filesystem;

class MultiverseVerb : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write("studies/open.toml", read("studies/tiny.toml") + R"([multiverse]
claims = ["T-holds"]
seeds = 6
[multiverse.choices]
training.batch = [16, 32]
)");
  }
};

// 2 recipes, 2 cells and 6 seeds.
TEST_F(MultiverseVerb, RefusesAFileThatItCannotWriteBeforeItTrains) {
  const Outcome refused = atto({"multiverse", "open", "--output", "studies"});
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_NE(refused.err.find("--output studies is a folder"), std::string::npos) << refused.err;
  EXPECT_EQ(atto({"multiverse", "open", "--output", "/proc/nowhere/open.json"}).code, 6);
  EXPECT_FALSE(fs::exists(folder_ / "results")) << "nothing is trained";
  const Json judged = atto_json({"multiverse", "open", "--output", "studies/multiverse/open.json", "--json"});
  EXPECT_EQ(Json::parse(read("studies/multiverse/open.json")), judged);
}

// Recipes number their cells alike. Their runs were once trained as those of the first recipe.
TEST_F(MultiverseVerb, TrainsEachRecipeAsItStands) {
  ASSERT_EQ(atto({"multiverse", "open", "--threads", "1"}).code, 0);
  for (const std::string batch : {"training.batch=16", "training.batch=32"})
    ASSERT_EQ(atto({"run", "open", "--set", batch, "--seeds", "6", "--store", "alone.db"}).code, 0);
  const Store recipes((folder_ / "results/atto.db").string(), Store::Mode::read);
  const Store alone((folder_ / "alone.db").string(), Store::Mode::read);
  ASSERT_EQ(alone.runs().size(), 24u);
  for (const RunSummary& run : alone.runs()) {
    ASSERT_TRUE(recipes.has(run.id));
    const Recording expected = alone.load(run.id), found = recipes.load(run.id);
    ASSERT_EQ(found.series.size(), expected.series.size());
    for (size_t i = 0; i < expected.series.size(); ++i) EXPECT_EQ(found.series[i].values, expected.series[i].values);
  }
}

TEST_F(MultiverseVerb, RefusesOptionsThatWouldDoNothing) {
  for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{
           {"--seeds", "4"}, {"--until", "decided"}, {"--most", "9"}, {"--set", "training.batch=8"}}) {
    const Outcome refused = atto({"multiverse", "open", option[0], option[1]});
    EXPECT_EQ(refused.code, 2) << option[0];
    EXPECT_NE(refused.err.find(" has no effect on a multiverse: "), std::string::npos) << refused.err;
  }
  EXPECT_FALSE(fs::exists(folder_ / "results")) << "nothing is trained";
  EXPECT_EQ(atto({"multiverse", "--help"}).out.find("--seeds"), std::string::npos);
  const Json plan = atto_json({"multiverse", "open", "--set", "training.rate=0.02", "--dry-run", "--json"});
  EXPECT_EQ(plan.at("runs"), 24);
}

// Of 24 runs 12 would last for hours; the thread that is left goes through the others, which are over at once.
TEST_F(MultiverseVerb, StoppedItCountsTheRunsOfItsRecipes) {
  std::string text = read("studies/open.toml");
  text.replace(text.find("network.width = [2, 3]"), 22, "training.steps = [50, 1000000000000]");
  text.replace(text.find("where = { network.width = 2 }"), 29, "");
  write("studies/endless.toml", text);
  const Outcome stopped = atto_until({"multiverse", "endless", "--threads", "13"}, "/24 runs", {SIGINT});
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_NE(stopped.err.find(" of 24 runs are kept in "), std::string::npos) << stopped.err;
  EXPECT_EQ(stopped.err.find("stopped: 0 of "), std::string::npos) << stopped.err;
}

}  // namespace
}  // namespace atto::test::multiverse_verb_test

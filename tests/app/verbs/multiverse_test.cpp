// multiverse, as people type it.
#include <csignal>

#include "app/program.h"

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

// multiverse, as people type it.
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

}  // namespace
}  // namespace atto::test::multiverse_verb_test

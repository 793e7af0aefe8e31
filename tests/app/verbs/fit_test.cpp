// A power law from a real sweep to the screen, as people see it.
#include <filesystem>
#include <fstream>

#include "app/program.h"
#include "places.h"

namespace atto::test {
namespace {

class FitTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    std::filesystem::path example = in_source("docs/examples/learning-time.toml");
    std::ifstream file(example);
    write("studies/learning-time.toml", std::string(std::istreambuf_iterator<char>(file), {}));
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

// One seed a cell is enough for a law: its cells are what it is fitted to.
TEST_F(FitTest, ASweepOfSingleRunsIsFittedAndJudged) {
  const Json cells = atto_json({"run", "learning-time", "--seeds", "1", "--json"});
  ASSERT_EQ(cells.size(), 15u);
  ASSERT_EQ(cells[0].at("fits").size(), 1u);
  const Json& fit = cells[0].at("fits")[0];
  EXPECT_EQ(fit.at("name"), "law");
  EXPECT_EQ(fit.at("runs"), 15);
  EXPECT_EQ(fit.at("censored"), 0);
  const Json& pace = fit.at("exponents").at("pace");
  EXPECT_GT(pace.at("estimate"), 0.7);  // Adam: time ∝ 1/rate, roughly
  EXPECT_LT(pace.at("estimate"), 1.1);
  EXPECT_LT(pace.at("low"), pace.at("estimate"));
  EXPECT_GT(pace.at("high"), pace.at("estimate"));
  EXPECT_GT(fit.at("r2").at("estimate"), 0.95);
  EXPECT_EQ(fit.at("preferred"), "power law");

  const Json claims = atto_json({"reproduce", "learning-time", "--seeds", "1", "--json"});
  ASSERT_EQ(claims.size(), 2u);
  EXPECT_EQ(claims[0].at("statistic"), "fit");
  EXPECT_EQ(claims[0].at("verdict"), "supported");
  EXPECT_EQ(claims[0].at("estimate"), pace.at("estimate"));
  EXPECT_EQ(claims[0].at("seeds"), 15);
  EXPECT_EQ(claims[0].at("fit"), fit);
  EXPECT_EQ(atto_json({"show", "learning-time", "--seeds", "1", "--json"}).at("fits")[0], fit);
}

TEST_F(FitTest, TheLawIsWrittenOut) {
  const std::string ran = atto({"run", "learning-time", "--seeds", "1"}).out;
  const std::string shown = atto({"show", "learning-time", "--seeds", "1"}).out;
  for (const std::string& text : {ran, shown})
    for (const char* part : {"law · learnt.step ≈ 0.", " · vocabulary^0.", " · pace^0.", "pace = 1 / training.rate",
                             "15 cells, 15 runs", "power law preferred", "exponent of pace", "R²"})
      EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
  EXPECT_TRUE(contains(shown, "measured (up) against the law's (across)")) << shown;
}

// Runs that end too soon are counted, and the remedy is named.
TEST_F(FitTest, CensoredAndMissingTimesAreTold) {
  const Outcome outcome = atto({"run", "learning-time", "--seeds", "1", "--set", "training.steps=250"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, " censored;")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "lengthen training.steps; the law expects up to")) << outcome.out;
  const Outcome none = atto({"run", "learning-time", "--seeds", "1", "--set", "training.steps=10"});
  ASSERT_EQ(none.code, 0) << none.err;
  EXPECT_TRUE(contains(none.out, "learnt.step: no law")) << none.out;
  EXPECT_TRUE(contains(none.out, "0 supported, 0 refuted, 2 inconclusive")) << none.out;
}

TEST_F(FitTest, SignsOfACellStandUnderTheCells) {
  const std::string text = atto({"run", "map"}).out;
  EXPECT_TRUE(contains(text, "! no plateau")) << text;
  EXPECT_TRUE(contains(text, "→ observe the entropy of attention")) << text;
  bool found = false;
  for (const Json& cell : atto_json({"run", "map", "--json"}))
    for (const Json& sign : cell.at("diagnosis")) found = found || sign.at("name") == "no plateau";
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace atto::test

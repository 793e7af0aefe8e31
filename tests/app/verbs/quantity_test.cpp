// Quantities of a study, as people see them.
#include "app/program.h"

namespace atto::test {
namespace {

class QuantityTest : public ProgramTest {
 protected:
  void write_study(const std::string& excess) const {
    write("studies/derived.toml", R"toml(title = "Quantities"
source = "a test"
[data]
vocab = 4
[training]
batch = 32
steps = 50
[sweep.grid]
network.width = [2, 3]
[seeds]
count = 6
[[observe]]
what = ["loss"]
every = 10
[[observe]]
what = ["layer.0.query", "layer.0.key"]
linear = 5
[[quantity]]
name = "excess"
is = ")toml" + excess + R"toml("
[[quantity]]
name = "spectrum"
is = "singular_values(layer.0.query' * layer.0.key)"
[[phenomenon]]
name = "start"
detector = "value"
series = "excess"
at = "first"
[[claim]]
id = "Q-final"
statement = "What is left at the end."
quantity = "excess"
relative_to = "start.value"
statistic = "median"
region = [0, 2]
[[figure]]
name = "bundle"
kind = "curves"
title = "Spectrum of the scores"
observables = ["spectrum", "excess"]
[[figure]]
name = "widths"
kind = "summary"
title = "Excess"
quantity = "excess"
against = "network.width"
)toml");
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(QuantityTest, IsJudgedDrawnShownAndExported) {
  write_study("loss - best_loss");
  const Json claims = atto_json({"reproduce", "derived", "--json"});
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_EQ(claims[0].at("quantity"), "excess");
  EXPECT_EQ(claims[0].at("seeds"), 12);
  EXPECT_EQ(claims[0].at("missing"), 0);
  EXPECT_GT(claims[0].at("estimate"), 0);

  const Json shown = atto_json({"show", "derived", "--observable", "excess", "--json"});
  ASSERT_EQ(shown.at("curves").size(), 2u);
  const Json loss = atto_json({"show", "derived", "--observable", "loss", "--json"}).at("curves")[0];
  EXPECT_EQ(shown.at("curves")[0].at("median"), loss.at("median")) << "copying can be learnt wholly";

  const Json figure = atto_json({"figure", "derived/bundle", "--spec"});
  EXPECT_TRUE(contains(figure.dump(), "spectrum[2]")) << "an entry for each of three singular values";

  ASSERT_EQ(atto({"export", "derived", "--output", "out"}).code, 0);
  const std::string csv = read("out/derived.csv");
  EXPECT_TRUE(contains(csv, ",excess,0,")) << csv.substr(0, 300);
  EXPECT_EQ(atto({"export", "derived", "--format", "npz", "--observable", "spectrum", "--output", "out"}).code, 0);
  EXPECT_EQ(atto({"report", "derived", "--output", "report.html"}).code, 0);
}

TEST_F(QuantityTest, AnotherExpressionIsJudgedWithoutTraining) {
  write_study("loss - best_loss");
  const Json first = atto_json({"reproduce", "derived", "--json"});
  write_study("(loss - best_loss)^2");
  const Outcome again = atto({"reproduce", "derived", "--json"});
  EXPECT_TRUE(contains(again.err, "derived: trained 0 runs, 12 were in the store")) << again.err;
  const Json second = Json::parse(again.out);
  EXPECT_NE(first[0].at("estimate"), second[0].at("estimate"));
}

TEST_F(QuantityTest, ASlipIsReportedWithItsPlaceBeforeAnythingIsTrained) {
  write_study("loss + layer.0.query * layer.0.key[0] + layer.0.key");
  const Outcome shapes = atto({"run", "derived"});
  EXPECT_EQ(shapes.code, 3);
  EXPECT_TRUE(contains(shapes.err, "derived.toml:20:")) << shapes.err;
  EXPECT_TRUE(contains(shapes.err, "'+' has [2] next to [2][2]")) << shapes.err;
  write_study("loss - layer.0.query");
  const Outcome series = atto({"run", "derived"});
  EXPECT_TRUE(contains(series.err, "the detector 'value' reads 'excess', which is [2][2]")) << series.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "runs.atto"));
}

TEST_F(QuantityTest, HelpListsTheFunctions) {
  const std::string text = atto({"help", "expressions"}).out;
  for (const char* part : {"singular_values(m)", "mod(a, b)", "best_loss", "transpose"})
    EXPECT_TRUE(contains(text, part)) << part;
  EXPECT_EQ(atto_json({"help", "expressions", "--json"})[0].at("function"), "sqrt(a)");
}

}  // namespace
}  // namespace atto::test

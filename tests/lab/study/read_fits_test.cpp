// [[fit]] tables: what they may say, and what is said about wrong ones.
#include <gtest/gtest.h>

#include "base/error.h"
#include "lab/study/study.h"

namespace atto::read_fits_test {
namespace {

const std::string kStudy = R"([training]
steps = 300

[[observe]]
what = ["perplexity"]

[sweep.grid]
data.vocab = [4, 8, 16]
data.context = [2, 4]
network.positions = ["none", "learned"]

[seeds]
count = 1

[[phenomenon]]
name = "learnt"
detector = "emergence"

[[fit]]
name = "law"
quantity = "learnt.step"
where = { network.positions = "none" }
expected = { length = 1 }
[fit.terms]
length = "data.context"
mix = "sqrt(data.vocab) * training.rate / 2"

[[claim]]
id = "proportional"
statement = "the time is proportional to the length"
quantity = "law.exponent.length"
statistic = "fit"
region = [0.9, 1.1]
)";

Study parse(const std::string& text, const StudyOptions& options = {}) { return parse_study(text, "a.toml", options); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string message_of(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return error.what();
  }
  return "no error";
}

std::string message_with(const std::string& from, const std::string& to) {
  return message_of(replaced(kStudy, from, to));
}

TEST(StudyFit, IsReadWithItsParts) {
  const Study study = parse(kStudy);
  ASSERT_EQ(study.fits.size(), 1u);
  const Fit& fit = study.fits[0];
  EXPECT_EQ(fit.name, "law");
  EXPECT_EQ(fit.quantity, "learnt.step");
  ASSERT_EQ(fit.terms.size(), 2u);
  EXPECT_EQ(fit.terms[0].name, "length");  // in the order of the file
  EXPECT_EQ(fit.terms[1].name, "mix");
  RunConfig config;
  config.data.vocab = 16;
  config.training.rate = 0.5;
  EXPECT_DOUBLE_EQ(term_value(fit.terms[1], config), 1);
  EXPECT_EQ(fit.expected, (std::vector<std::pair<std::string, double>>{{"length", 1.0}}));
  EXPECT_EQ(fit_quantities(fit),
            (std::vector<std::string>{"law.constant", "law.r2", "law.exponent.length", "law.exponent.mix"}));
  EXPECT_EQ(study.claims[0].statistic, Statistic::fit);
  EXPECT_EQ(study.claims[0].where, fit.where);
}

TEST(StudyFit, ALoneExpressionIsCalledX) {
  std::string text =
      replaced(kStudy, "expected = { length = 1 }\n[fit.terms]\nlength = \"data.context\"\nmix = ", "terms = ");
  text = replaced(text, "law.exponent.length", "law.exponent.x");
  EXPECT_EQ(parse(text).fits[0].terms.at(0).name, "x");
}

TEST(StudyFit, WrongTermsAreShownWhereTheyStand) {
  EXPECT_EQ(message_with("\"data.context\"", "\"data.contxt\""),
            "a.toml:25:11: unknown key 'data.contxt'; did you mean 'data.context'?");
  EXPECT_EQ(message_with("\"data.context\"", "\"2 * context\""),
            "a.toml:25:15: unknown key 'context'; did you mean 'data.context'?");
  EXPECT_EQ(message_with("\"data.context\"", "\"2 * data.task\""),
            "a.toml:25:15: term 'length': data.task is not a number");
  EXPECT_EQ(message_with("sqrt(data", "sqr(data"),
            "a.toml:26:8: term 'mix': unknown function 'sqr'; did you mean 'sqrt'?");
  EXPECT_EQ(message_with("\"data.context\"", "\"data.context *\""),
            "a.toml:25:25: term 'length': cannot read the expression 'data.context *': it ends too early");
  EXPECT_TRUE(
      message_with("\"data.context\"", "4").starts_with("a.toml:25:10: the term 'length' must be an expression"));
  EXPECT_TRUE(
      message_with("\"data.context\"", "\"seeds.init\"").starts_with("a.toml:25:11: 'seeds.init' cannot be set"));
  EXPECT_TRUE(message_with("length = \"data.context\"", "\"a.b\" = \"data.context\"")
                  .starts_with("a.toml:25:1: a term's name has no dots"));
}

TEST(StudyFit, TermsMustVaryAndBePositive) {
  EXPECT_EQ(message_with("\"data.context\"", "\"network.width\""),
            "a.toml:25:10: term 'length' is 2 in every cell of the fit 'law', so it has no exponent");
  EXPECT_EQ(message_with("\"data.context\"", "\"data.context - 2\""),
            "a.toml:25:10: term 'length' is 0 in cell data.vocab=4, data.context=2, network.positions=none");
  EXPECT_TRUE(message_with("\"data.context\"", "\"1 / (data.context - 2)\"").find("is inf in cell") !=
              std::string::npos);
}

TEST(StudyFit, NeedsItsPartsAndCells) {
  EXPECT_EQ(message_with("name = \"law\"\n", ""), "a.toml:19:1: [[fit]] lacks 'name'");
  EXPECT_EQ(message_with("name = \"law\"", "name = \"learnt\""),
            "a.toml:20:8: [[fit]]: another fit or phenomenon is called 'learnt'");
  EXPECT_TRUE(message_with("\"learnt.step\"", "\"learnt.stp\"")
                  .find("21:12: [[fit]]: no phenomenon of this study has the "
                        "quantity 'learnt.stp'; did you mean") != std::string::npos);
  EXPECT_EQ(message_with("expected = { length = 1 }", "expected = { lenght = 1 }"),
            "a.toml:23:14: the fit 'law' has no term 'lenght'; did you mean 'length'?");
  EXPECT_EQ(message_with("expected = { length = 1 }", "expcted = { length = 1 }").substr(0, 40),
            "a.toml:23:1: unknown key 'expcted' in [[");
  EXPECT_EQ(message_with("{ network.positions = \"none\" }", "{ network.positions = \"sinusoidal\" }"),
            "a.toml:22:9: the fit 'law' speaks of cells that the sweep does not have: network.positions=sinusoidal");
  EXPECT_EQ(message_with("data.vocab = [4, 8, 16]\ndata.context = [2, 4]", "data.vocab = [4, 8]\ndata.context = [2]"),
            "a.toml:25:10: term 'length' is 2 in every cell of the fit 'law', so it has no exponent");
  const std::string three =
      replaced(kStudy, "[sweep.grid]\ndata.vocab = [4, 8, 16]\ndata.context = [2, 4]\n",
               "[[sweep.zip]]\ndata.vocab = [4, 8, 16]\ndata.context = [2, 4, 4]\n[sweep.grid]\n");
  EXPECT_TRUE(message_of(three).find("the fit 'law' has 3 parameters and only 3 cells") != std::string::npos)
      << message_of(three);
}

TEST(StudyFit, ClaimsAboutItSayWhatHasMeaning) {
  EXPECT_TRUE(message_with("law.exponent.length", "law.exponent.lenght").find("did you mean 'law.exponent.length'?") !=
              std::string::npos);
  EXPECT_EQ(message_with("statistic = \"fit\"", "statistic = \"median\""),
            "a.toml:32:13: [[claim]]: 'law.exponent.length' is a number of a fit, of which there is no median");
  EXPECT_EQ(
      message_with("law.exponent.length", "learnt.step"),
      "a.toml:32:13: [[claim]]: statistic = \"fit\" is for the numbers of a [[fit]], and 'learnt.step' is found in "
      "each run");
  const auto with = [](const std::string& line) { return message_of(kStudy + line + "\n"); };
  EXPECT_EQ(with("where = { data.vocab = 4 }"), "a.toml:34:9: [[claim]]: the cells are chosen by the fit 'law'");
  for (const char* line : {"against = { data.vocab = 4 }", "compare = \"ratio\"", "tune = \"training.rate\"",
                           "relative_to = \"data.vocab\""})
    EXPECT_TRUE(with(line).find("has no meaning for a number of a fit") != std::string::npos) << with(line);
}

TEST(StudyFit, GoesWithItsCellsUnderSettings) {
  StudyOptions options;
  options.set = {"network.positions=learned"};
  EXPECT_TRUE(parse(kStudy, options).fits.empty());
  EXPECT_TRUE(parse(kStudy, options).claims.empty());
  options.set = {"data.context=4"};  // a term no longer varies: the fit stays, and will say so
  EXPECT_EQ(parse(kStudy, options).fits.size(), 1u);
}

}  // namespace
}  // namespace atto::read_fits_test

// Answers by an expression of the tokens, and given frequencies of tokens.
#include <cmath>
#include <numeric>

#include "data/data_sets.h"
#include "data/listed.h"
#include "data/tasks/drawn.h"

namespace atto::formula_test {
namespace {

DataConfig formula(const std::string& text, int64_t vocab = 7, int64_t context = 3) {
  DataConfig config;
  config.task = "formula";
  config.formula = text;
  config.vocab = vocab;
  config.context = context;
  return config;
}

template <class Answer>
void expect_answers(const DataConfig& config, const Answer& answer) {
  SCOPED_TRACE(config.formula);
  for (uint64_t step = 0; step < 10; ++step) {
    const Drawn drawn(config, 1, step, 0, 80, 80);
    for (int lane = 0; lane < 80; ++lane) {
      const std::vector<int32_t> x = drawn.sequence(lane);
      ASSERT_EQ(drawn.answers(lane), std::vector<int32_t>{static_cast<int32_t>(answer(x))});
    }
  }
}

TEST(FormulaTask, AnswersByTheExpression) {
  using Tokens = std::vector<int32_t>;
  const auto sum = [](const Tokens& x) { return std::accumulate(x.begin(), x.end(), 0); };
  expect_answers(formula("mod(x0 + x1, V)"), [](const Tokens& x) { return (x[0] + x[1]) % 7; });
  expect_answers(formula("mod(sum(x), 2)", 7, 6), [&](const Tokens& x) { return sum(x) % 2; });
  expect_answers(formula("sum(x) > C / 2", 2, 5), [&](const Tokens& x) { return sum(x) > 2 ? 1 : 0; });
  expect_answers(formula("max(x)"), [](const Tokens& x) { return *std::max_element(x.begin(), x.end()); });
  expect_answers(formula("sum(x < x0)"),
                 [](const Tokens& x) { return std::count_if(x.begin(), x.end(), [&](int t) { return t < x[0]; }); });
  expect_answers(formula("x0 > x2 ? 1 : 0"), [](const Tokens& x) { return x[0] > x[2] ? 1 : 0; });
  expect_answers(formula("3", 7, 1), [](const Tokens&) { return 3; });
  expect_answers(formula("C"), [](const Tokens&) { return 3; });
}

// Few answers are looked up, many computed; both are the same.
TEST(FormulaTask, AnswersAlikeFromATableAndWithout) {
  expect_answers(formula("mod(x0 + x1 + x2, V)", 30, 4),
                 [](const std::vector<int32_t>& x) { return (x[0] + x[1] + x[2]) % 30; });
  EXPECT_GT(describe_task(formula("mod(x0 + x1 + x2, V)", 30, 4)).bytes, 0u);
  expect_answers(formula("mod(x0 + x1 + x2 + x3, V)", 100, 4),
                 [](const std::vector<int32_t>& x) { return (x[0] + x[1] + x[2] + x[3]) % 100; });
  EXPECT_EQ(describe_task(formula("mod(x0 + x1 + x2 + x3, V)", 100, 4)).bytes, 0u);
}

TEST(FormulaTask, IsIndependentOfTilingAndTarget) {
  for (const std::string text : {"mod(x0 + x1, V)", "mod(sum(x), V)"}) {
    expect_independence_of_tiling(formula(text, 50, 5));
    expect_the_same_on_every_target(formula(text, 50, 5), {});
  }
}

TEST(FormulaTask, CanBeListedAndSplit) {
  DataConfig config = formula("mod(x0 + x1, V)", 7, 2);
  const auto all = listed(*make_task(config), true);
  EXPECT_EQ(all.size(), 49u);
  for (const auto& [sequence, probability] : all) {
    EXPECT_EQ(sequence.second[0], (sequence.first[0] + sequence.first[1]) % 7);
    EXPECT_NEAR(probability, 1.0 / 49, 1e-9);
  }
  config.split = 0.5;
  const DataSets sets = make_sets(config, *make_task(config), true, false, 3);
  EXPECT_EQ(sets.train->size() + sets.test->size(), 49);
  EXPECT_EQ(*make_task(config)->best_loss(), 0);
}

TEST(FormulaTask, RefusesWhatIsNoToken) {
  const std::string remedy =
      "an answer is a token, a whole number from 0 to data.vocab - 1 = 6; mod(.., V), floor(..) or a condition brings "
      "others there";
  expect_refusal(formula("x0 + x1"), "data.formula = \"x0 + x1\" gives 7 for the tokens 1 6 0", remedy);
  expect_refusal(formula("x0 / 2"), "data.formula = \"x0 / 2\" gives 0.5 for the tokens 1 0 0", remedy);
  expect_refusal(formula("x0 - 1"), "data.formula = \"x0 - 1\" gives -1 for the tokens 0 0 0", remedy);
  expect_refusal(formula("mod(1 / x1, V)"), "data.formula = \"mod(1 / x1, V)\" gives no number for the tokens 0 0 0",
                 remedy);
  // Every position is tried, also where some are named next to all of them.
  expect_refusal(formula("sum(x) - x1 - x2 + 1"),
                 "data.formula = \"sum(x) - x1 - x2 + 1\" gives 7 for the tokens 6 0 0", remedy);
  // Too many to try all: a fault in one of three sequences is found among the many that are tried.
  EXPECT_THROW(describe_task(formula("sum(x) > 40 ? V : 0", 10, 8)), Error);
}

TEST(FormulaTask, RefusesWhatIsNoFormula) {
  const auto refusal = [](const DataConfig& config) -> std::string {
    try {
      describe_task(config);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config);
      EXPECT_NE(error.remedy(), "") << error.what();
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(formula("")), "data.formula says nothing");
  EXPECT_NE(refusal(formula("x3")).find("x3"), std::string::npos) << "a context of three has x0, x1 and x2";
  EXPECT_NE(refusal(formula("mod(x0 + y, V)")).find("'y'"), std::string::npos);
  EXPECT_NE(refusal(formula("mod(x0")).find("data.formula: "), std::string::npos);
  EXPECT_EQ(refusal(formula("x")), "data.formula: its value is no number but a vector or a matrix");
  std::string longest = "x0";
  while (longest.size() < 20000) longest += " + 0";
  EXPECT_NE(refusal(formula(longest)).find("data.formula: "), std::string::npos);
  DataConfig every = formula("x0");
  every.targets = Targets::every;
  EXPECT_EQ(refusal(every), "data.targets = \"every\", but a formula has one answer, at the last position");
  DataConfig copy;
  copy.formula = "x0";
  expect_refusal(copy, "data.formula is set, but the task 'copy' does not use it",
                 "leave it out, or take the task formula");
}

TEST(GivenFrequencies, AreThoseOfTheDraws) {
  for (const std::string task : {"copy", "nearest", "unigram", "formula"}) {
    SCOPED_TRACE(task);
    DataConfig config;
    config.task = task;
    config.vocab = 4;
    config.context = 3;
    if (task == "formula") config.formula = "4 / x1 == 0 ? V : x0";  // what token 1 = 0 would give is never asked
    config.frequencies = {0, 0.5, 0.2, 0.3};
    EXPECT_EQ(make_task(config)->frequencies(), config.frequencies);
    std::vector<int> seen(4);
    for (uint64_t step = 0; step < 50; ++step) {
      const Drawn drawn(config, 4, step, 0, 128, 128);
      for (int lane = 0; lane < 128; ++lane)
        for (const int32_t token : drawn.sequence(lane)) ++seen[static_cast<size_t>(token)];
    }
    EXPECT_EQ(seen[0], 0);
    EXPECT_LT(chi_square(seen, config.frequencies), 13.8);  // 99.9 % of 2 degrees of freedom
    const auto all = listed(*make_task(config), true);
    EXPECT_EQ(all.size(), task == "unigram" ? 81u : 27u) << "only what can be drawn";
    double total = 0;
    for (const auto& [sequence, probability] : all) total += probability;
    EXPECT_NEAR(total, 1, 1e-6);
  }
  DataConfig multisets;
  multisets.vocab = 4;
  multisets.context = 4;
  multisets.frequencies = {0, 0.5, 0.2, 0.3};
  expect_multisets_to_stand_for_orders(*make_task(multisets));
}

TEST(GivenFrequencies, AreRefusedWhereTheyDoNotFit) {
  DataConfig config;
  config.vocab = 3;
  config.frequencies = {0.5, 0.5};
  expect_refusal(config, "data.frequencies has 2 probabilities, but data.vocab is 3", "give one for each token");
  config.frequencies = {0.5, 0.5, 0.5};
  expect_refusal(config, "the probabilities of data.frequencies sum to 1.5, not to 1", "divide each by their sum");
  config.frequencies = {0.5, 0.25, 0.25};
  config.exponent = 1;
  expect_refusal(config, "data.frequencies and data.exponent both say how often tokens are drawn",
                 "leave one of them out");
  DataConfig bigram;
  bigram.task = "bigram";
  bigram.frequencies = {0.5, 0.5};
  expect_refusal(bigram, "data.frequencies is set, but the task 'bigram' does not use it",
                 "leave it out, or take the task copy, nearest, unigram or formula");
}

}  // namespace
}  // namespace atto::formula_test

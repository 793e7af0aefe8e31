#include "base/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace atto {
namespace {

double value(const std::string& text, const std::map<std::string, double>& names = {}) {
  return Expression(text).evaluate([&](const std::string& name) { return names.at(name); });
}

// "position: message" of a text that is refused.
std::string complaint(const std::string& text) {
  try {
    Expression expression(text);
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_FALSE(error.remedy().empty());
    return std::to_string(error.position()) + ": " + error.what();
  }
  return "no complaint";
}

TEST(Expression, ComputesOverNamesWithDots) {
  EXPECT_DOUBLE_EQ(value("data.context / data.repeat", {{"data.context", 512}, {"data.repeat", 4}}), 128);
  const std::map<std::string, double> run = {{"data.dimension", 64}, {"data.context", 512}, {"data.cross", 0.25}};
  EXPECT_DOUBLE_EQ(
      value("sqrt(data.dimension) * data.context / sqrt(data.cross^2 * data.dimension + (1 - data.cross)^2)", run),
      8 * 512 / std::sqrt(0.0625 * 64 + 0.5625));
  EXPECT_DOUBLE_EQ(value("-a^2", {{"a", 3}}), -9);
  EXPECT_DOUBLE_EQ(value("1e3 * .5 + ln(_e)"), 501);
}

TEST(Expression, NamesItsNamesInTheOrderOfTheText) {
  const Expression expression("b.c + a + b + b.c");
  ASSERT_EQ(expression.names().size(), 3u);
  EXPECT_EQ(expression.names()[0].name, "b.c");
  EXPECT_EQ(expression.names()[0].position, 0u);
  EXPECT_EQ(expression.names()[1].name, "a");
  EXPECT_EQ(expression.names()[1].position, 6u);
  EXPECT_EQ(expression.names()[2].name, "b");
  EXPECT_EQ(expression.names()[2].position, 10u) << "not the b of b.c";
}

TEST(Expression, KeepsInfinitiesForTheCallerToJudge) {
  EXPECT_TRUE(std::isinf(value("1 / a", {{"a", 0}})));
  EXPECT_TRUE(std::isnan(value("ln(a)", {{"a", -1}})));
}

TEST(Expression, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(complaint("sqt(a)"), "0: unknown function 'sqt'; did you mean 'sqrt'?");
  EXPECT_EQ(complaint("2 * sqt(a)"), "4: unknown function 'sqt'; did you mean 'sqrt'?");
  EXPECT_EQ(complaint("a b"), "2: cannot read the expression 'a b': 'b' does not fit at character 3");
  EXPECT_EQ(complaint("a +"), "3: cannot read the expression 'a +': it ends too early");
  EXPECT_EQ(complaint("(a"), "2: cannot read the expression '(a': a parenthesis is not closed");
  EXPECT_EQ(complaint("a, b"), "1: the expression 'a, b' makes 2 numbers");
  EXPECT_EQ(complaint("  "), "0: the expression is empty");
  EXPECT_EQ(complaint("a = 2"), "2: cannot read the expression 'a = 2': '=' does not fit at character 3");
  for (const char* text : {"", "2**3", "\"x\"", "é", "sqrt()", "sqrt(1,2)", "3a", "((", ")", "a ? 1", "()", ","})
    EXPECT_NE(complaint(text), "no complaint") << text;
}

TEST(Expression, RefusesWhatIsTooLongOrTooDeep) {
  const auto repeated = [](const std::string& part, size_t times) {
    std::string text;
    for (size_t i = 0; i < times; ++i) text += part;
    return text;
  };
  const std::string most = repeated("a+", kLongestExpression / 2 - 1) + "aa";
  ASSERT_EQ(most.size(), kLongestExpression);
  EXPECT_EQ(complaint(most), "no complaint");
  EXPECT_EQ(complaint(most + "a"), "0: the expression has 1001 characters; at most 1000 are read");
  EXPECT_EQ(complaint(repeated("a+", 10'000) + "a"), "0: the expression has 20001 characters; at most 1000 are read");
  const auto nested = [&](size_t depth) { return repeated("(", depth) + "a" + repeated(")", depth); };
  EXPECT_EQ(complaint(nested(kDeepestExpression)), "no complaint");
  EXPECT_EQ(complaint(nested(kDeepestExpression + 1)), "50: the expression nests more than 50 parentheses");
  EXPECT_EQ(complaint(repeated("(a)+", 100) + "a"), "no complaint") << "next to each other, not inside";
}

}  // namespace
}  // namespace atto

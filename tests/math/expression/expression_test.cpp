#include "math/expression/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace atto {
namespace {

double value(const std::string& text, const std::map<std::string, double>& names = {}) {
  return Expression(text).number([&](const std::string& name) { return names.at(name); });
}

// "position: message" of a text that is refused.
std::string complaint(const std::string& text) {
  try {
    number_expression(text);
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
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

TEST(Expression, BindsAsArithmeticDoes) {
  for (const auto& [text, number] : std::initializer_list<std::pair<const char*, double>>{
           {"1 + 2 * 3", 7},
           {"(1 + 2) * 3", 9},
           {"2 - 3 - 4", -5},
           {"8 / 4 / 2", 1},
           {"2^3^2", 512},
           {"-2^2", -4},
           {"2^-1", 0.5},
           {"2^-1 * 3", 1.5},
           {"-2 * -3", 6},
           {"+3 - +2", 1},
           {"1 + 2 < 4", 1},
           {"2 * 3 == 6 && 1 > 2", 0},
           {"1 || 0 && 0", 1},
           {"!0 + 1", 2},
           {"!(1 < 2)", 0},
           {"2 >= 2", 1},
           {"3 != 3", 0},
           {"1 ? 2 : 0 ? 3 : 4", 2},
           {"0 ? 2 : 0 ? 3 : 4", 4},
           {"1 < 2 ? 10 + 1 : 5", 11},
           {"2 + (0 ? 1 : 3) * 2", 8},
           {"3 .* 4", 12},
           {"3.*4", 12},
           {"7.e-1", 0.7},
       })
    EXPECT_EQ(value(text), number) << text;
  EXPECT_EQ(value("a.*b + a.b", {{"a", 2}, {"b", 5}, {"a.b", 100}}), 110) << "a dot belongs to a name that goes on";
}

TEST(Expression, HasTheUsualFunctions) {
  for (const auto& [text, number] : std::initializer_list<std::pair<const char*, double>>{
           {"log(100)", std::log(100)},
           {"ln(100)", std::log(100)},
           {"log2(8)", 3},
           {"log10(1000)", 3},
           {"exp(1)", std::exp(1)},
           {"erfc(0) + erfc(1) + erfc(-1)", 3},
           {"erfc(1 / sqrt(2)) / 2", 0.15865525393145705},
           {"abs(-3)", 3},
           {"sign(-3) + sign(0) + sign(0.5)", 0},
           {"floor(-1.5)", -2},
           {"ceil(1.2)", 2},
           {"round(2.5) + round(-2.5) + round(1.4)", 1},
           {"min(3, 1, 2)", 1},
           {"max(3, 1, 2)", 3},
           {"max(5)", 5},
           {"sum(1, 2, 3)", 6},
           {"mean(1, 2, 6)", 3},
           {"count(0, 2, 3)", 2},
           {"parity(1, 1, 1)", 1},
           {"majority(3, 1, 3, 1, 0)", 1},
           {"majority(3, 1, 3)", 3},
           {"sin(_pi / 2) + cos(_pi)", 0},
           {"atan2(1, 1) * 4", std::acos(-1)},
           {"mod(7, 3)", 1},
           {"mod(-1, 5)", 4},
           {"mod(7, -3)", -2},
           {"mod(6, 3)", 0},
           {"mod(5.5, 2)", 1.5},
       })
    EXPECT_DOUBLE_EQ(value(text), number) << text;
}

TEST(Expression, TakesRemaindersExactlyOrNotAtAll) {
  EXPECT_EQ(value("mod(9007199254740991, 97)"), static_cast<double>(9007199254740991 % 97));
  EXPECT_TRUE(std::isnan(value("mod(1e17, 97)"))) << "the last digits of such a number are not known";
  EXPECT_TRUE(std::isnan(value("mod(1, 0)")));
  for (int i = 1; i < 200; ++i) {
    const double rest = value("mod(a / 10, 0.1)", {{"a", i}});
    EXPECT_GE(rest, 0) << i;
    EXPECT_LT(rest, 0.1) << i;
  }
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
  EXPECT_TRUE(expression.reads("b.c"));
  EXPECT_FALSE(expression.reads("c"));
  EXPECT_NO_THROW(expression.check_names({"a", "b", "b.c", "d"}));
  try {
    Expression("x0 + x4").check_names({"x0", "x1", "V"});
    ADD_FAILURE() << "x4 is not known";
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.position(), 5u);
    EXPECT_STREQ(error.what(), "unknown name 'x4'; did you mean 'x0'?");
    EXPECT_EQ(error.remedy(), "its names can be x0, x1, V");
  }
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
  EXPECT_EQ(complaint("a, b"), "1: cannot read the expression 'a, b': ',' does not fit at character 2");
  EXPECT_EQ(complaint("  "), "0: the expression is empty");
  EXPECT_EQ(complaint("a = 2"), "2: cannot read the expression 'a = 2': '=' does not fit at character 3");
  EXPECT_EQ(complaint("é"), "0: cannot read the expression 'é': 'é' does not fit at character 1");
  EXPECT_EQ(complaint("a < b < c"), "6: '<' follows another comparison; write (a < b) && (b < c)");
  EXPECT_EQ(complaint("a + sqrt(1, 2)"), "4: sqrt takes 1 argument, found 2");
  EXPECT_EQ(complaint("max()"), "0: max takes at least 1 argument, found 0");
  EXPECT_EQ(complaint("1e999"), "0: '1e999' is beyond what a number can hold");
  EXPECT_EQ(complaint("a[0.5]"), "2: an index is a whole number, found '0.5'");
  EXPECT_EQ(complaint("a'"), "1: only a matrix can be transposed, found one number");
  EXPECT_EQ(complaint("a[0]"), "1: an index of 1 number stands behind one number");
  EXPECT_EQ(complaint("trace(a)"), "0: trace needs a square matrix, found one number");
  for (const char* text :
       {"",         "2**3", "\"x\"", "sqrt()", "3a",   "((",      ")", "a ? 1", "()",    ",",        "a[",  "a[]",
        "a[1:2:3]", "a?",   "a:b",   "&a",     "a..b", "max(1,)", "#", "1 2",   "a.(b)", "\xff\xfe", "[1]", "'a"})
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
  for (const char* part : {"-", "!", "a^", "a?1:"})
    EXPECT_EQ(complaint(repeated(part, 900 / std::string(part).size()) + "a"), "no complaint") << part;
}

// Whatever stands in a text, it is read or refused at a place inside it.
TEST(Expression, SurvivesAnyText) {
  const std::vector<std::string> parts{"a", "b.0.c", "1",     "2.5e3", "+",  "-",    "*",  ".*", "/",  "^",  "'",
                                       "(", ")",     "[",     "]",     ",",  ":",    "?",  "<",  "==", "&&", "||",
                                       "!", "max(",  "sqrt(", " ",     "_e", "\xc3", "\"", ".",  "$",  "1e", "norm"};
  uint32_t state = 1;
  int read = 0;
  for (int text_number = 0; text_number < 20'000; ++text_number) {
    std::string text;
    for (int length = 1 + text_number % 12; length > 0; --length) {
      state = state * 1664525 + 1013904223;
      text += parts[(state >> 8) % parts.size()];
    }
    try {
      const Expression expression(text);
      ++read;
      expression.evaluate([](const std::string&) { return Tensor{{2, 2}, {1, 2, 3, 4}}; });
    } catch (const ExpressionError& error) {
      EXPECT_LE(error.position(), text.size()) << text;
    }
  }
  EXPECT_GT(read, 300) << "not everything is refused";
}

}  // namespace
}  // namespace atto

// Numbers become the same text and the same numbers again, with and without the C++ library's help.
#include "base/number_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace atto {
namespace {

void expect_same(double number) {
  EXPECT_EQ(portable::shortest_text(number), shortest_text(number));
  const std::string text = shortest_text(number);
  double read = -1, expected = -1;
  const auto [end, fault] = portable::read_number(text.data(), text.data() + text.size(), read);
  const auto [known_end, known_fault] = read_number(text.data(), text.data() + text.size(), expected);
  EXPECT_EQ(end, known_end) << text;
  EXPECT_EQ(fault, known_fault) << text;
  if (!std::isnan(number)) {
    EXPECT_EQ(read, number) << text;
  }
}

TEST(NumberText, IsTheShortest) {
  EXPECT_EQ(shortest_text(0.001), "0.001");
  EXPECT_EQ(shortest_text(1e30), "1e+30");
  for (const double number : {0.0,
                              -0.0,
                              1.0,
                              0.1,
                              1.0 / 3,
                              1e-5,
                              1e-4,
                              123456789.0,
                              1e15,
                              1e16,
                              1e17,
                              1e20,
                              1e22,
                              1e23,
                              9007199254740993.0,
                              5e-324,
                              2.2250738585072014e-308,
                              1.7976931348623157e308,
                              1e100,
                              0.30000000000000004,
                              100000.0,
                              1e5,
                              1234567e10})
    for (const double signed_number : {number, -number}) expect_same(signed_number);
  expect_same(std::numeric_limits<double>::infinity());
  expect_same(-std::numeric_limits<double>::infinity());
  EXPECT_EQ(portable::shortest_text(std::nan("")), "nan");
}

RC_GTEST_PROP(NumberText, IsTheShortestOfAnyBits, (uint64_t bits)) {
  const double number = std::bit_cast<double>(bits);
  if (!std::isnan(number)) expect_same(number);
  expect_same(std::ldexp(static_cast<double>(bits >> 40), static_cast<int>(bits % 80) - 40));
}

TEST(NumberText, ReadsWhatTheLibraryReads) {
  for (const std::string text : {"",       "-",      "+1",    " 1",         "1 ",   "1.",       ".5",    ".",  "1e",
                                 "1e+",    "1e5",    "1E-5x", "0x10",       "inf",  "INFINITY", "-nan",  "in", "1e400",
                                 "-1e400", "1e-400", "0e400", "0.000e-999", "12,5", "1..2",     "1e5e5", "--1"}) {
    double read = 7, expected = 7;
    const auto [end, fault] = portable::read_number(text.data(), text.data() + text.size(), read);
    const auto [known_end, known_fault] = read_number(text.data(), text.data() + text.size(), expected);
    EXPECT_EQ(fault, known_fault) << text;
    EXPECT_EQ(end, known_end) << text;
    if (!std::isnan(expected)) {
      EXPECT_EQ(read, expected) << text;
    }
  }
}

}  // namespace
}  // namespace atto

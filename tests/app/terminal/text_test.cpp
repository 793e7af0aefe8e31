#include "app/terminal/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace atto {
namespace {

TEST(Text, WidthCountsColumnsNotBytes) {
  EXPECT_EQ(text_width("abc"), 3u);
  EXPECT_EQ(text_width("d × C → ∞"), 9u);
  EXPECT_EQ(text_width("e\u0301"), 1u) << "a combining accent takes no column";
  EXPECT_EQ(text_width("注意"), 4u);
  EXPECT_EQ(text_width("\xff\xc3"), 2u) << "broken UTF-8 counts byte by byte";
}

TEST(Text, CutKeepsWholeCharacters) {
  EXPECT_EQ(cut("plateau", 7), "plateau");
  EXPECT_EQ(cut("plateau", 5), "plat…");
  EXPECT_EQ(cut("a注意b", 4), "a注…");
  EXPECT_EQ(cut("a注意b", 3), "a…") << "half a wide character does not fit";
  EXPECT_EQ(cut("plateau", 0), "");
}

TEST(Text, PadAlignsByColumns) {
  EXPECT_EQ(pad("×", 3), "×  ");
  EXPECT_EQ(pad("×", 3, Align::right), "  ×");
  EXPECT_EQ(pad("long", 2), "long");
}

RC_GTEST_PROP(Text, WrapFitsAndLosesNoWord, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'e'))));
  const auto width = *rc::gen::inRange<size_t>(2, 30);
  std::string text, all;
  for (const std::string& word : words) {
    text += word + " ";
    all += word;
  }
  std::string joined;
  for (const std::string& line : wrap(text, width)) {
    RC_ASSERT(text_width(line) <= width);
    joined += line;
  }
  std::erase(joined, ' ');
  RC_ASSERT(joined == all);
}

TEST(Text, NumbersAreShort) {
  EXPECT_EQ(number_text(5.0), "5");
  EXPECT_EQ(number_text(5.00312), "5.003");
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(123456), "123456");
  EXPECT_EQ(number_text(1.5e9), "1.5e+09");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "∞");
  EXPECT_EQ(number_text(std::numeric_limits<double>::quiet_NaN()), "-");
  EXPECT_EQ(number_range(4, 6), "[4, 6]");
  EXPECT_EQ(number_range(0.5, std::numeric_limits<double>::infinity()), "≥ 0.5");
  EXPECT_EQ(number_range(-std::numeric_limits<double>::infinity(), 2), "≤ 2");
}

TEST(Text, CountsSizesAndDurations) {
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(-1234567), "-1,234,567");
  EXPECT_EQ(count_text(1, "run"), "1 run");
  EXPECT_EQ(count_text(2000, "run"), "2,000 runs");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(12'345'678), "12.3 MB");
  EXPECT_EQ(bytes_text(999'999), "1.0 MB");
  EXPECT_EQ(duration_text(0.84), "0.8 s");
  EXPECT_EQ(duration_text(59.7), "1 min 00 s");
  EXPECT_EQ(duration_text(125), "2 min 05 s");
  EXPECT_EQ(duration_text(12000), "3 h 20 min");
}

TEST(Text, ListsNameTheFirstAndCountTheRest) {
  EXPECT_EQ(list_text({}), "");
  EXPECT_EQ(list_text({"a", "b"}), "a, b");
  EXPECT_EQ(list_text(std::vector<std::string>(12, "a")), "a, a, a, a, a, a, a, a, a, a and 2 more");
}

TEST(Text, ShellWordsAreQuotedWhenNeeded) {
  EXPECT_EQ(shell_word("network.width=3"), "network.width=3");
  EXPECT_EQ(shell_word("my study"), "'my study'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace atto

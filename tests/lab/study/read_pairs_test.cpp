// Claims about two quantities: what they may say, and what is said about wrong ones.
#include <gtest/gtest.h>

#include "base/error.h"
#include "lab/study/study.h"

namespace atto::read_pairs_test {
namespace {

const std::string kHead = R"([training]
steps = 300

[[observe]]
what = ["perplexity", "loss", "embedding"]

[seeds]
count = 8

[[phenomenon]]
name = "learnt"
detector = "emergence"

[[phenomenon]]
name = "top"
detector = "peak"

[[claim]]
id = "pair"
statement = "the two go together"
quantity = "learnt.step"
)";

Study parse_pair(const std::string& lines) { return parse_study(kHead + lines, "a.toml", {}); }

std::string pair_error(const std::string& lines) {
  try {
    parse_pair(lines);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return error.what();
  }
  return "no error";
}

void expect_says(const std::string& lines, const std::string& words) {
  EXPECT_NE(pair_error(lines).find(words), std::string::npos) << pair_error(lines);
}

TEST(ReadPairs, TakeASecondQuantity) {
  const Study correlation = parse_pair("statistic = \"correlation\"\nwith = \"top.step\"\nregion = [0.3, 1]\n");
  EXPECT_EQ(correlation.claims[0].statistic, Statistic::correlation);
  EXPECT_EQ(correlation.claims[0].with, "top.step");
  const Study near = parse_pair("statistic = \"coincidence\"\nwith = \"top.step\"\nwithin = 0.25\nregion = [0.1, 1]\n");
  EXPECT_EQ(near.claims[0].statistic, Statistic::coincidence);
  EXPECT_EQ(near.claims[0].within, 0.25);
  const Study usual = parse_pair("statistic = \"coincidence\"\nwith = \"top.step\"\nregion = [0.1, 1]\n");
  EXPECT_EQ(usual.claims[0].within, 0.1);
}

TEST(ReadPairs, RefuseWhatHasNoMeaning) {
  const std::string pair = "statistic = \"correlation\"\nwith = \"top.step\"\n";
  expect_says("statistic = \"correlation\"\nregion = [0, 1]\n", "with");
  expect_says("statistic = \"correlation\"\nwith = \"top.stop\"\nregion = [0, 1]\n", "did you mean 'top.step'?");
  expect_says("statistic = \"correlation\"\nwith = \"learnt.step\"\nregion = [0, 1]\n", "always goes with itself");
  expect_says(pair + "within = 0.1\nregion = [0, 1]\n", "within has no meaning for a correlation");
  expect_says(pair + "relative_to = \"data.vocab\"\nregion = [0, 1]\n", "relative_to has no meaning");
  expect_says(pair + "against = { \"data.vocab\" = 4 }\nregion = [0, 1]\n", "against has no meaning");
  expect_says(pair + "tune = \"training.rate\"\nregion = [0, 1]\n", "tune has no meaning");
  expect_says(pair + "region = [2, 3]\n", "a correlation lies between -1 and 1");
  expect_says("statistic = \"median\"\nwith = \"top.step\"\nregion = [0, 1]\n", "with has no meaning for a median");
  expect_says("statistic = \"coincidence\"\nwith = \"top.step\"\nwithin = -1\nregion = [0, 1]\n", "within");
}

// The last value of a series does as well, if it is one number.
TEST(ReadPairs, TakeTheLastValueOfASeries) {
  EXPECT_EQ(parse_pair("statistic = \"correlation\"\nwith = \"loss\"\nregion = [0, 1]\n").claims[0].with, "loss");
  expect_says("statistic = \"correlation\"\nwith = \"embedding\"\nregion = [0, 1]\n", "embedding");
}

TEST(ReadPairs, NameFileAndLine) {
  EXPECT_TRUE(pair_error("statistic = \"median\"\nwith = \"top.step\"\nregion = [0, 1]\n").starts_with("a.toml:23:"))
      << pair_error("statistic = \"median\"\nwith = \"top.step\"\nregion = [0, 1]\n");
}

}  // namespace
}  // namespace atto::read_pairs_test

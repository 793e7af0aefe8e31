// Groups, conditions, regions and seeds until decided: what a study may say, and what is said about wrong ones.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "lab/study/study.h"

namespace atto::read_claim_parts_test {
namespace {

const std::string kStudy = R"([training]
steps = 300

[[observe]]
what = ["perplexity"]

[sweep.grid]
data.vocab = [4, 10]
network.width = [2, 3]

SEEDS

[[phenomenon]]
name = "learnt"
detector = "emergence"

[[claim]]
id = "one"
statement = "it is so"
quantity = "learnt.step"
)";

Study parse_claim(const std::string& lines, const std::string& seeds = "[seeds]\ncount = 8",
                  StudyOptions options = {}) {
  std::string text = kStudy;
  text.replace(text.find("SEEDS"), 5, seeds);
  return parse_study(text + lines, "a.toml", options);
}

std::string error_of(const std::string& lines, const std::string& seeds = "[seeds]\ncount = 8",
                     const StudyOptions& options = {}) {
  try {
    parse_claim(lines, seeds, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    return error.what();
  }
  return "no error";
}

bool says(const std::string& message, const std::string& words) {
  EXPECT_NE(message.find(words), std::string::npos) << message;
  return message.starts_with("a.toml:");
}

TEST(ReadClaimParts, OpenRegions) {
  const Claim above = parse_claim("statistic = \"median\"\nabove = 0\n").claims[0];
  EXPECT_EQ(above.low, 0);
  EXPECT_TRUE(above.low_open);
  EXPECT_EQ(above.high, INFINITY);
  EXPECT_FALSE(above.region().contains(0));
  EXPECT_TRUE(above.region().contains(1e-9));
  const Claim between = parse_claim("statistic = \"median\"\nabove = 0\nbelow = 1\nmargin = 0.1\n").claims[0];
  EXPECT_TRUE(between.high_open);
  EXPECT_EQ(between.margin, 0.1);
  EXPECT_TRUE(says(error_of("statistic = \"median\"\nabove = 0\nregion = [0, 1]\n"), "either a region or"));
}

TEST(ReadClaimParts, ConditionsAndSteps) {
  const Claim claim = parse_claim("statistic = \"median\"\ngiven = \"learnt.emerged\"\nregion = [0, 1]\n").claims[0];
  EXPECT_EQ(claim.given, "learnt.emerged");
  EXPECT_EQ(parse_claim("statistic = \"rate\"\nby = 200\nregion = [0.5, 1]\n").claims[0].by, 200);
  EXPECT_TRUE(says(error_of("statistic = \"median\"\ngiven = \"learnt.step\"\nregion = [0, 1]\n"),
                   "no quantity that answers yes or no"));
  EXPECT_TRUE(says(error_of("statistic = \"median\"\nby = 200\nregion = [0, 1]\n"), "by has no meaning for a median"));
  EXPECT_NE(error_of("statistic = \"rate\"\nby = -1\nregion = [0, 1]\n").find("by must be a step"), std::string::npos);
}

// Any number but 0 would count as a yes: a perplexity of 50 in every run.
TEST(ReadClaimParts, ARateAsksForYesOrNo) {
  const std::string tables = R"toml([seeds]
count = 8
[[quantity]]
name = "relative"
is = "perplexity / data.vocab"
[[quantity]]
name = "stays"
is = "relative > 0.45 && !(perplexity < 1)"
[[phenomenon]]
detector = "plateau"
[[phenomenon]]
name = "early"
detector = "value"
series = "stays"
[[phenomenon]]
name = "final"
detector = "value"
series = "relative"
)toml";
  const auto error_of_rate = [&](const std::string& quantity) {
    return error_of(
        "statistic = \"median\"\nregion = [0, 1]\n[[claim]]\nid = \"rate\"\nstatement = \"so it is\"\n"
        "quantity = \"" +
            quantity + "\"\nstatistic = \"rate\"\nregion = [0.5, 1]\n",
        tables);
  };
  for (const char* yes : {"plateau.present", "plateau.count", "stays", "early.value"})
    EXPECT_EQ(error_of_rate(yes), "no error") << yes;
  for (const char* number : {"plateau.level", "perplexity", "relative", "final.value"})
    EXPECT_TRUE(says(error_of_rate(number), "is a number, and a rate is the share of the runs that say yes")) << number;
  EXPECT_NE(error_of_rate("platau.present").find("did you mean 'plateau.present'"), std::string::npos);
}

TEST(ReadClaimParts, ComparisonsNeedPartners) {
  const std::string head = "statistic = \"median\"\nabove = 0\n";
  EXPECT_EQ(error_of(head + "where = { data.vocab = 4 }\nagainst = { data.vocab = 10 }\n"), "no error");
  EXPECT_TRUE(says(error_of(head + "where = { data.vocab = 4 }\nagainst = { data.vocab = 10, network.width = 2 }\n"),
                   "cells and `against`"));
  const std::string uneven = "[seeds]\ncount = 8\n[[seeds.exceptions]]\nwhere = { data.vocab = 10 }\ncount = 12";
  const std::string groups = "where = { data.vocab = 4 }\nagainst = { data.vocab = 10 }\n";
  EXPECT_EQ(error_of(head + groups, uneven), "no error") << "compared as wholes";
  EXPECT_TRUE(says(error_of(head + groups + "paired = true\n", uneven), "compares seed by seed"));
  EXPECT_EQ(error_of(head + groups + "than = { where = { data.vocab = 4 }, against = { data.vocab = 10 } }\n"),
            "no error");
  EXPECT_TRUE(says(error_of(head + groups +
                            "than = { where = { data.vocab = 4 }, against = { data.vocab = 10 } }\npaired = false\n"),
                   "`than` compares seed by seed"));
  EXPECT_NE(
      error_of(head + "than = { where = { data.vocab = 4 }, against = { data.vocab = 10 } }\n").find("is missing"),
      std::string::npos);
}

TEST(ReadClaimParts, SeedsUntilDecided) {
  const std::string claim = "statistic = \"median\"\nregion = [0, 1]\n";
  const Study study = parse_claim(claim, "[seeds]\ncount = 8\nuntil = \"decided\"\nmost = 30");
  EXPECT_EQ(study.seeds.until, Until::decided);
  EXPECT_EQ(look_count(study.seeds), 5);
  std::vector<int64_t> seeds;
  for (int look = 0; look < look_count(study.seeds); ++look) seeds.push_back(seeds_at_look(study.seeds, 8, look));
  EXPECT_EQ(seeds, (std::vector<int64_t>{8, 12, 18, 27, 30}));
  EXPECT_EQ(seeds_at_look(parse_claim(claim).seeds, 8, 3), 8) << "a fixed number does not grow";
  EXPECT_TRUE(says(error_of(claim, "[seeds]\ncount = 8\nuntil = \"decided\"\nmost = 6"), "less than the 8 seeds"));
  EXPECT_TRUE(says(error_of(claim, "[seeds]\ncount = 8\nmost = 60"), "most has no meaning"));
  EXPECT_TRUE(says(error_of(claim, "[seeds]\ncount = 300\nuntil = \"decided\""), "most = 256 (its default) is less"));
  const std::string exception = "\n[[seeds.exceptions]]\nwhere = { data.vocab = 10 }\ncount = 40";
  EXPECT_TRUE(says(error_of(claim, "[seeds]\ncount = 8\nuntil = \"decided\"\nmost = 30" + exception),
                   "count = 40 of an exception is more than most = 30"));
  EXPECT_EQ(error_of(claim, "[seeds]\ncount = 8" + exception), "no error");
  EXPECT_TRUE(says(error_of(claim + "tune = \"network.width\"\n", "[seeds]\ncount = 8\nuntil = \"decided\""),
                   "must not grow with the looks"));
  StudyOptions options;
  options.until = Until::decided;
  options.most = 64;
  EXPECT_EQ(parse_claim(claim, "[seeds]\ncount = 8", options).seeds.most, 64);
  options.most = 20;
  EXPECT_NE(error_of(claim, "[seeds]\ncount = 8" + exception, options).find("below the 40 of the cells data.vocab=10"),
            std::string::npos);
  options.most = 4;
  EXPECT_NE(error_of(claim, "[seeds]\ncount = 8", options).find("below the first look"), std::string::npos);
  options.until.reset();
  StudyOptions fixed;
  fixed.seeds = 5;
  const Study five = parse_claim(claim, "[seeds]\ncount = 8\nuntil = \"decided\"", fixed);
  EXPECT_EQ(five.seeds.until, Until::count) << "--seeds asks for so many and no more";
  EXPECT_EQ(look_count(five.seeds), 1);
  EXPECT_NE(error_of(claim, "[seeds]\ncount = 8", options).find("--most has no meaning"), std::string::npos);
}

TEST(ReadClaimParts, TheRefusalOfATunedKeySaysWhatMayBeLookedAt) {
  const std::string claim = "statistic = \"median\"\nregion = [0, 1]\ntune = \"network.width\"\n";
  StudyOptions looks;
  looks.until = Until::decided;
  for (const auto& [seeds, options] :
       {std::pair<std::string, StudyOptions>{"[seeds]\ncount = 8\nuntil = \"decided\"", {}},
        std::pair<std::string, StudyOptions>{"[seeds]\ncount = 8", looks}}) {
    try {
      parse_claim(claim, seeds, options);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(error.remedy().find("rates and medians have intervals that hold at every look"), std::string::npos);
      EXPECT_NE(error.remedy().find("fits are judged at the planned looks"), std::string::npos);
    }
  }
}

TEST(ReadClaimParts, Multiverse) {
  const std::string claim = "statistic = \"median\"\nregion = [0, 1]\n";
  const Study study = parse_claim(claim +
                                  "[multiverse]\nclaims = [\"one\"]\nseeds = 6\n[multiverse.choices]\n"
                                  "training.batch = [16, 32]\ntraining.rate = [0.01, 0.1]\n");
  ASSERT_TRUE(study.multiverse);
  EXPECT_EQ(study.multiverse->choices.size(), 2u);
  EXPECT_EQ(study.multiverse->seeds, 6);
  EXPECT_NE(error_of(claim + "[multiverse]\nclaims = [\"two\"]\n[multiverse.choices]\ntraining.batch = [16, 32]\n")
                .find("has no claim 'two'"),
            std::string::npos);
  std::string many = claim + "[multiverse]\nclaims = [\"one\"]\n[multiverse.choices]\n";
  for (const std::string key : {"training.batch", "training.steps", "network.heads"}) {
    many += key + " = [1";
    for (int i = 2; i <= 100; ++i) many += ", " + std::to_string(i);
    many += "]\n";
  }
  EXPECT_TRUE(says(error_of(many), "more than 5000 recipes"));
}

}  // namespace
}  // namespace atto::read_claim_parts_test

// One run's answer, and how answers rank.
#include "phenomena/outcomes/outcome.h"

#include <gtest/gtest.h>

namespace atto {
namespace {

const Outcome kMissing{std::nullopt}, kDiverged{std::nullopt, false, true}, kCensored{7, true};

TEST(Outcomes, ExistWhereTheRunHasANumber) {
  EXPECT_TRUE(Outcome{0}.exists());
  EXPECT_TRUE(kCensored.exists());
  EXPECT_FALSE(kMissing.exists());
  EXPECT_FALSE(Outcome{NAN}.exists());
}

TEST(Outcomes, RankCensoredOnesBehindAllOthers) {
  const Outcomes some{{9}, kCensored, kMissing, kDiverged, {NAN}};
  EXPECT_EQ(ranked_values(some), (std::vector<double>{9, INFINITY}));
  EXPECT_EQ(lower_bounds(some), (std::vector<double>{9, 7}));
}

TEST(Outcomes, HaveAShareOnlyWhenTheyAnswerYesOrNo) {
  EXPECT_EQ(yes_share({{1}, {0}, kMissing, kDiverged}), 0.25);
  EXPECT_EQ(yes_share({{1}, {0, true}}), 0.5);
  EXPECT_FALSE(yes_share({{1}, {2}}));
  EXPECT_FALSE(yes_share({kMissing}));
  EXPECT_FALSE(yes_share({}));
}

}  // namespace
}  // namespace atto

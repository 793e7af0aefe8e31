#include "math/correlation.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace atto {
namespace {

using List = std::vector<double>;

TEST(Ranks, EqualValuesShareTheirMean) {
  EXPECT_EQ(ranks(List{30, 10, 20}), (List{3, 1, 2}));
  EXPECT_EQ(ranks(List{5, 1, 5, 5, 0}), (List{4, 2, 4, 4, 1}));
  EXPECT_EQ(ranks(List{7, 7, 7, 7}), (List{2.5, 2.5, 2.5, 2.5}));
  EXPECT_EQ(ranks(List{}), List{});
}

TEST(Pearson, KnownValues) {
  EXPECT_DOUBLE_EQ(pearson(List{1, 2, 3}, List{10, 20, 30}), 1);
  EXPECT_DOUBLE_EQ(pearson(List{1, 2, 3}, List{3, 2, 1}), -1);
  EXPECT_NEAR(pearson(List{1, 2, 3, 4}, List{1, 3, 2, 4}), 0.8, 1e-15);
  EXPECT_NEAR(pearson(List{-1, 0, 1}, List{1, 0, 1}), 0, 1e-15);
}

TEST(Pearson, OfAConstantOrTooLittleIsNotANumber) {
  EXPECT_TRUE(std::isnan(pearson(List{0.1, 0.1, 0.1}, List{1, 2, 3})));
  EXPECT_TRUE(std::isnan(pearson(List{1, 2, 3}, List{0.3, 0.3, 0.3})));
  EXPECT_TRUE(std::isnan(pearson(List{1}, List{1})));
  EXPECT_TRUE(std::isnan(pearson(List{}, List{})));
  EXPECT_THROW(pearson(List{1, 2}, List{1}), Error);
}

// Without ties rho = 1 - 6 Σd²/(n(n²-1)).
TEST(Spearman, AgreesWithTheFormulaForDistinctValues) {
  const List x = {86, 97, 99, 100, 101, 103, 106, 110, 112, 113}, y = {2, 20, 28, 27, 50, 29, 7, 17, 6, 12};
  EXPECT_NEAR(spearman(x, y), -29.0 / 165, 1e-12);  // Σd² = 194, n = 10
}

TEST(Spearman, WithTies) {
  // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: cov 4.5, squares 4.5 and 5.
  EXPECT_NEAR(spearman(List{1, 2, 2, 3}, List{1, 2, 3, 4}), 4.5 / std::sqrt(4.5 * 5), 1e-12);
}

TEST(Kendall, CountsPairsInOrder) {
  EXPECT_DOUBLE_EQ(kendall(List{1, 2, 3, 4}, List{1, 3, 2, 4}), 4.0 / 6);
  EXPECT_DOUBLE_EQ(kendall(List{1, 2, 3}, List{3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(kendall(List{1, 1, 2}, List{1, 2, 3}), 2.0 / 3) << "a tie counts as neither";
  EXPECT_TRUE(std::isnan(kendall(List{1}, List{1})));
  EXPECT_THROW(kendall(List{1, 2}, List{1}), Error);
}

// Bonett and Wright's interval of 0.6 in 28 pairs: artanh 0.6 ± 1.96 √((1 + 0.18)/25). Where tau is
// rho, the unbiased form is rho as well, and nothing else widens it.
TEST(MeanCorrelation, OfOneGroupIsTheUsualInterval) {
  const RankCorrelation one{0.6, 0.6, 28};
  const Interval found = mean_correlation(std::vector{one});
  const double half = 1.959963984540054 * std::sqrt(1.18 / 25);
  EXPECT_DOUBLE_EQ(found.estimate, 0.6);
  EXPECT_NEAR(found.low, std::tanh(std::atanh(0.6) - half), 1e-12);
  EXPECT_NEAR(found.high, std::tanh(std::atanh(0.6) + half), 1e-12);
}

TEST(MeanCorrelation, WeighsGroupsByThreeLessThanTheirPairs) {
  const std::vector<RankCorrelation> groups = {{0.2, 0.15, 13}, {0.6, 0.45, 33}, {1, 1, 3}, {NAN, 0, 40}};
  EXPECT_DOUBLE_EQ(mean_correlation(groups).estimate, (10 * 0.2 + 30 * 0.6) / 40) << "two are left out";
  const Interval none = mean_correlation(std::vector<RankCorrelation>{{1, 1, 3}});
  EXPECT_TRUE(std::isnan(none.estimate));
  EXPECT_EQ(none.low, -1);
  EXPECT_EQ(none.high, 1);
}

// Cells share their seeds: eight with the same luck tell as much as one of them.
TEST(MeanCorrelation, IsNoSurerThanOneOfItsGroups) {
  const RankCorrelation one{0.6, 0.45, 28};
  const Interval alone = mean_correlation(std::vector{one});
  const Interval eight = mean_correlation(std::vector<RankCorrelation>(8, one));
  EXPECT_NEAR(eight.low, alone.low, 1e-3);
  EXPECT_NEAR(eight.high, alone.high, 1e-3);
}

TEST(MeanCorrelation, PerfectOrderIsWithinItsInterval) {
  const std::vector<RankCorrelation> perfect(10, {1, 1, 8});
  const Interval found = mean_correlation(perfect);
  EXPECT_EQ(found.estimate, 1);
  EXPECT_EQ(found.high, 1);
  EXPECT_GT(found.low, 0.9);
  EXPECT_LT(found.low, 1);
}

RC_GTEST_PROP(Spearman, DoesNotChangeUnderIncreasingMaps, ()) {
  const auto pairs = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(-20, 20), rc::gen::inRange(-20, 20)));
  List x, y, stretched, reversed;
  for (const auto& [a, b] : pairs) {
    x.push_back(a);
    y.push_back(b);
    stretched.push_back(std::exp(0.1 * a));
    reversed.push_back(-b);
  }
  const double rho = spearman(x, y);
  if (std::isnan(rho)) return;
  RC_ASSERT(std::abs(rho) <= 1);
  RC_ASSERT(std::abs(spearman(stretched, y) - rho) < 1e-12);
  RC_ASSERT(std::abs(spearman(x, reversed) + rho) < 1e-12);
  RC_ASSERT(std::abs(spearman(y, x) - rho) < 1e-12);
}

}  // namespace
}  // namespace atto

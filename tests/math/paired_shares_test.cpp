#include "math/paired_shares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"

namespace atto::paired_shares_test {
namespace {

PairedCounts counts_of(int64_t n, int64_t first_only, int64_t second_only) {
  return {.both = 0, .first_only = first_only, .second_only = second_only, .neither = n - first_only - second_only};
}

TEST(McNemar, IsTheTwoSidedSignTest) {
  EXPECT_EQ(mcnemar_p(0, 0), 1);
  EXPECT_EQ(mcnemar_p(7, 7), 1);
  EXPECT_DOUBLE_EQ(mcnemar_p(5, 0), 2.0 / 32);
  EXPECT_DOUBLE_EQ(mcnemar_p(0, 6), 2.0 / 64);
  EXPECT_DOUBLE_EQ(mcnemar_p(1, 7), 2.0 * 9 / 256);  // Fagerland, Lydersen and Laake (2014): 0.0703
  EXPECT_DOUBLE_EQ(mcnemar_p(4, 3), 1);
  EXPECT_THROW(mcnemar_p(-1, 3), Error);
}

// The likelihood of the counts is largest at this share of "second only" when the difference is delta, found by ternary
// search and not by the quadratic equation.
double restricted_share(const PairedCounts& counts, double delta) {
  const auto same = static_cast<double>(counts.both + counts.neither);
  const auto term = [](double k, double p) { return k == 0 ? 0 : k * std::log(p); };
  const auto likelihood = [&](double q) {
    return term(static_cast<double>(counts.first_only), q + delta) + term(static_cast<double>(counts.second_only), q) +
           term(same, 1 - 2 * q - delta);
  };
  double low = std::max(0.0, -delta), high = (1 - delta) / 2;
  for (int step = 0; step < 200; ++step) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    if (likelihood(a) < likelihood(b)) low = a;
    else high = b;
  }
  return (low + high) / 2;
}

TEST(PairedDifference, EndsWhereTheScoreIsTheNormalQuantile) {
  const PairedCounts cases[] = {{20, 12, 2, 16}, {3, 40, 20, 97}, {0, 9, 0, 11},
                                {5, 25, 1, 1},   {0, 30, 0, 1},   {8, 0, 11, 0}};
  for (const PairedCounts& counts : cases)
    for (const double confidence : {0.9, 0.95, 0.99}) {
      const Interval interval = paired_share_difference(counts, confidence);
      const double n = static_cast<double>(counts.both + counts.first_only + counts.second_only + counts.neither);
      const double difference = static_cast<double>(counts.first_only - counts.second_only);
      for (const double end : {interval.low, interval.high}) {
        if (end == 0) continue;  // there McNemar's test has decided
        const double q = restricted_share(counts, end);
        const double score = (difference - n * end) / std::sqrt(n * (2 * q + end * (1 - end)));
        EXPECT_NEAR(std::abs(score), normal_quantile(0.5 + confidence / 2), 1e-4) << end;
      }
    }
}

// Fagerland, Lydersen and Laake (2014), doi:10.1002/sim.6148, table V: -0.517 to -0.026. McNemar's exact p is 0.07, so
// the upper end moves to 0.
TEST(PairedDifference, AgreesWithAPublishedExample) {
  const Interval interval = paired_share_difference({1, 1, 7, 12});
  EXPECT_NEAR(interval.estimate, -6.0 / 21, 1e-12);
  EXPECT_NEAR(interval.low, -0.517, 5e-4);
  EXPECT_EQ(interval.high, 0);
}

TEST(PairedDifference, KnowsItsEdges) {
  const Interval nothing = paired_share_difference({});
  EXPECT_TRUE(std::isnan(nothing.estimate));
  EXPECT_EQ(nothing.low, -1);
  EXPECT_EQ(nothing.high, 1);
  // Runs that all agree: Wilson's interval of none in n, to both sides.
  for (const int64_t n : {1, 10, 500}) {
    const Interval same = paired_share_difference(counts_of(n, 0, 0));
    EXPECT_EQ(same.estimate, 0);
    EXPECT_NEAR(same.high, wilson(0, n).high, 1e-9);
    EXPECT_EQ(same.low, -same.high);
  }
  const Interval all = paired_share_difference(counts_of(20, 20, 0));
  EXPECT_EQ(all.high, 1);
  EXPECT_GT(all.low, 0.5);
  EXPECT_LT(all.low, 1);
  EXPECT_GT(all.low, paired_share_difference(counts_of(20, 20, 0), 0.999).low);
  const Interval one = paired_share_difference(counts_of(1, 0, 1));
  EXPECT_EQ(one.low, -1);
  EXPECT_GE(one.high, 0);
  EXPECT_THROW(paired_share_difference({1, -1, 0, 0}), Error);
  EXPECT_THROW(paired_share_difference({1, 1, 0, 0}, 1), Error);
}

TEST(PairedDifference, HoldsZeroWhereMcNemarDoes) {
  for (const double confidence : {0.5, 0.95, 0.999, 0.999999})
    for (int64_t b = 0; b <= 30; ++b)
      for (int64_t c = 0; c <= 30; ++c)
        for (const int64_t same : {0, 1, 200}) {
          const Interval interval = paired_share_difference({same / 2, b, c, same - same / 2}, confidence);
          if (b + c + same == 0) continue;
          EXPECT_EQ(interval.low <= 0 && 0 <= interval.high, mcnemar_p(b, c) > 1 - confidence) << b << " " << c;
          EXPECT_LE(interval.low, interval.estimate);
          EXPECT_GE(interval.high, interval.estimate);
        }
}

TEST(PairedDifference, ChangesItsSignWhenTheAnswersAreExchanged) {
  for (int64_t b = 0; b <= 20; ++b)
    for (int64_t c = 0; c <= 20 - b; ++c) {
      const Interval there = paired_share_difference(counts_of(20, b, c)),
                     back = paired_share_difference(counts_of(20, c, b));
      EXPECT_EQ(there.low, -back.high);
      EXPECT_EQ(there.high, -back.low);
    }
}

struct Coverage {
  double least = 1, mean = 0;
};

// Summed over all outcomes of n runs, for shares of "first only" and "second only" on a grid of steps of 0.025: either
// the truths without a difference or all others.
Coverage coverage(int64_t n, double confidence, bool off_zero) {
  std::vector<Interval> intervals;
  std::vector<double> ways;
  for (int64_t b = 0; b <= n; ++b)
    for (int64_t c = 0; c <= n - b; ++c) {
      intervals.push_back(paired_share_difference(counts_of(n, b, c), confidence));
      ways.push_back(std::lgamma(n + 1) - std::lgamma(b + 1) - std::lgamma(c + 1) - std::lgamma(n - b - c + 1));
    }
  Coverage result;
  int truths = 0;
  for (int i = 1; i < 40; ++i)
    for (int j = 1; i + j < 40; ++j) {
      if ((i == j) == off_zero) continue;
      const double p = i / 40.0, q = j / 40.0, rest = (40 - i - j) / 40.0;
      double covered = 0;
      size_t outcome = 0;
      for (int64_t b = 0; b <= n; ++b)
        for (int64_t c = 0; c <= n - b; ++c, ++outcome)
          if (intervals[outcome].low <= p - q && p - q <= intervals[outcome].high)
            covered += std::exp(ways[outcome] + static_cast<double>(b) * std::log(p) +
                                static_cast<double>(c) * std::log(q) + static_cast<double>(n - b - c) * std::log(rest));
      result.least = std::min(result.least, covered);
      result.mean += covered;
      ++truths;
    }
  result.mean /= truths;
  return result;
}

// Where there is no difference the exact test guarantees the coverage. Elsewhere a score interval averages to it:
//
//              no difference      a difference
//      n       least   mean       least   mean
//     10       0.974   0.990      0.932   0.965
//     20       0.968   0.981      0.940   0.956
//     40       0.965   0.975      0.934   0.951
//
// At a confidence of 0.999 the means are still 0.999, but the least are 0.990, 0.993 and 0.996.
TEST(PairedDifference, CoversByTheSumOverAllOutcomes) {
  const struct {
    int64_t n;
    double zero_least, zero_mean, least, mean, sure_least;
  } cases[] = {{10, 0.974, 0.990, 0.932, 0.965, 0.990},
               {20, 0.968, 0.981, 0.940, 0.956, 0.993},
               {40, 0.965, 0.975, 0.934, 0.951, 0.996}};
  for (const auto& one : cases) {
    const Coverage zero = coverage(one.n, 0.95, false), other = coverage(one.n, 0.95, true);
    EXPECT_NEAR(zero.least, one.zero_least, 6e-4) << "n = " << one.n;
    EXPECT_NEAR(zero.mean, one.zero_mean, 6e-4) << "n = " << one.n;
    EXPECT_NEAR(other.least, one.least, 6e-4) << "n = " << one.n;
    EXPECT_NEAR(other.mean, one.mean, 6e-4) << "n = " << one.n;
    const Coverage sure = coverage(one.n, 0.999, true);
    EXPECT_NEAR(sure.least, one.sure_least, 6e-4) << "n = " << one.n;
    EXPECT_NEAR(sure.mean, 0.999, 5e-4) << "n = " << one.n;
    EXPECT_GE(coverage(one.n, 0.999, false).least, 0.999) << "n = " << one.n;
  }
}

}  // namespace
}  // namespace atto::paired_shares_test

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "math/confidence_sequence.h"
#include "math/streams.h"

namespace atto::share_sequence_test {
namespace {

// log M_n(p) by its definition, one run after the other: the next run succeeds with the posterior mean of the prior
// Beta(6 p, 6 (1 - p)) against p.
double evidence(int64_t successes, int64_t trials, double p) {
  double sum = 0;
  for (int64_t i = 0; i < trials; ++i) {
    const bool success = i < successes;  // the order does not matter
    const double seen = success ? static_cast<double>(i) : static_cast<double>(i - successes);
    const double share = success ? p : 1 - p;
    sum += std::log((6 * share + seen) / (6 + static_cast<double>(i)) / share);
  }
  return sum;
}

TEST(ShareSequence, EndsWhereTheCapitalReachesItsGoal) {
  for (const double confidence : {0.9, 0.95, 0.999})
    for (const int64_t n : {2, 16, 64, 511})
      for (const int64_t s : {int64_t{0}, int64_t{1}, int64_t{2}, n / 3, n / 2, n - 1, n}) {
        const Interval interval = share_sequence(s, n, confidence);
        const double goal = -std::log(1 - confidence);
        EXPECT_DOUBLE_EQ(interval.estimate, static_cast<double>(s) / static_cast<double>(n));
        if (interval.low > 0) {
          EXPECT_NEAR(evidence(s, n, interval.low), goal, 1e-7) << s << " of " << n;
        }
        if (interval.high < 1) {
          EXPECT_NEAR(evidence(s, n, interval.high), goal, 1e-7) << s << " of " << n;
        }
        EXPECT_LE(interval.low, interval.estimate);
        EXPECT_GE(interval.high, interval.estimate);
      }
}

TEST(ShareSequence, KnowsItsEdges) {
  const Interval nothing = share_sequence(0, 0);
  EXPECT_TRUE(std::isnan(nothing.estimate));
  EXPECT_EQ(nothing.low, 0);
  EXPECT_EQ(nothing.high, 1);
  for (const int64_t s : {0, 1}) {  // one run tells nothing about two-sided bets
    EXPECT_EQ(share_sequence(s, 1).low, 0);
    EXPECT_EQ(share_sequence(s, 1).high, 1);
  }
  for (const int64_t n : {16, 64, 512, 1'000'000}) {
    EXPECT_EQ(share_sequence(0, n).low, 0);
    EXPECT_EQ(share_sequence(n, n).high, 1);
    EXPECT_NEAR(share_sequence(n, n).low, 1 - share_sequence(0, n).high, 1e-12);
    EXPECT_LT(share_sequence(0, n, 0.95).high, share_sequence(0, n, 0.999).high);
    EXPECT_EQ(share_sequence(1, n).low, 0);
    if (n >= 64) {
      EXPECT_GT(share_sequence(3, n).low, 0);
    }
  }
  EXPECT_THROW(share_sequence(3, 2), Error);
  EXPECT_THROW(share_sequence(-1, 2), Error);
  EXPECT_THROW(share_sequence(1, 2, 1), Error);
}

// The figures of share_sequence.cpp.
TEST(ShareSequence, IsNotMuchWiderThanWilson) {
  const auto relative = [](int64_t s, int64_t n) {
    const Interval sequence = share_sequence(s, n), fixed = wilson(s, n);
    return (sequence.high - sequence.low) / (fixed.high - fixed.low);
  };
  const int64_t n[] = {16, 64, 256, 512};
  const double half[] = {1.57, 1.56, 1.62, 1.66}, eighth[] = {1.54, 1.53, 1.62, 1.67},
               none[] = {1.46, 1.06, 0.89, 0.86};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(relative(n[i] / 2, n[i]), half[i], 0.006);
    EXPECT_NEAR(relative(n[i] / 8, n[i]), eighth[i], 0.006);
    EXPECT_NEAR(share_sequence(0, n[i]).high / clopper_pearson(0, n[i]).high, none[i], 0.006);
  }
}

// The distribution of the count among the streams that are still open, moved on run by run: nothing is simulated.
// Returns the share of streams closed after each run; `closed(n, count)` is asked every `every` runs.
template <class Closed>
std::vector<double> closed_shares(double p, int64_t runs, int64_t every, Closed closed) {
  std::vector<double> open(static_cast<size_t>(runs) + 1, 0.0), shares;
  open[0] = 1;
  double sum = 0;
  for (int64_t n = 1; n <= runs; ++n) {
    for (auto k = static_cast<size_t>(n); k > 0; --k) open[k] = open[k] * (1 - p) + open[k - 1] * p;
    open[0] *= 1 - p;
    for (int64_t k = 0; n % every == 0 && k <= n; ++k)
      if (double& mass = open[static_cast<size_t>(k)]; mass > 0 && closed(n, k)) {
        sum += mass;
        mass = 0;
      }
    shares.push_back(sum);
  }
  return shares;
}

TEST(ShareSequence, CoversAtEveryNumberOfRunsTogether) {
  const double at_95[] = {0.039, 0.035, 0.034, 0.035};
  size_t place = 0;
  for (const double p : {0.02, 0.1, 0.5, 0.9}) {
    for (const double confidence : {0.95, 0.999}) {
      std::vector<Ranks> ranks;
      for (int64_t n = 0; n <= 512; ++n) ranks.push_back(quantile_sequence_ranks(n, p, confidence));
      const double missed = closed_shares(p, 512, 1, [&](int64_t n, int64_t k) {
                              const Ranks& kept = ranks[static_cast<size_t>(n)];
                              return k < kept.low || k >= kept.high;
                            }).back();
      EXPECT_LE(missed, 1 - confidence) << "p = " << p;
      if (confidence == 0.95) {
        EXPECT_NEAR(missed, at_95[place++], 0.0006) << "p = " << p;
      }
    }
  }
  // What the sequence is for: ordinary intervals, looked at as often.
  const double ordinary = closed_shares(0.5, 512, 8, [](int64_t n, int64_t k) {
                            return wilson(k, n).low > 0.5 || wilson(k, n).high < 0.5;
                          }).back();
  EXPECT_GT(ordinary, 0.25);
}

// The other table of share_sequence.cpp.
TEST(ShareSequence, DecidesWithinTwiceTheRunsOfAFixedTest) {
  const struct {
    double boundary, share;
    int64_t fixed, median;
  } cases[] = {{0.5, 0.6, 199, 208}, {0.5, 0.65, 90, 96}, {0.5, 0.7, 49, 56}, {0.9, 0.8, 94, 104}, {0.9, 0.98, 70, 72},
               {0.75, 0.9, 54, 56},  {0.95, 1, 72, 80},   {0.9, 1, 36, 48},   {0.5, 0.95, 9, 16}};
  for (const auto& one : cases) {
    // The fixed test excludes the boundary where the interval of Clopper and Pearson does.
    const auto power = [&](int64_t n) {
      return closed_shares(one.share, n, n,
                           [&](int64_t runs, int64_t k) {
                             const Interval exact = clopper_pearson(k, runs);
                             return one.share > one.boundary ? exact.low > one.boundary : exact.high < one.boundary;
                           })
          .back();
    };
    EXPECT_GE(power(one.fixed), 0.8);
    EXPECT_LT(power(one.fixed - 1), 0.8);
    const std::vector<double> closed = closed_shares(one.share, one.median, 8, [&](int64_t n, int64_t k) {
      const Interval sequence = share_sequence(k, n);
      return sequence.low > one.boundary || sequence.high < one.boundary;
    });
    EXPECT_GE(closed[static_cast<size_t>(one.median - 1)], 0.5) << one.boundary << " " << one.share;
    EXPECT_LT(closed[static_cast<size_t>(one.median - 9)], 0.5) << one.boundary << " " << one.share;
    EXPECT_LE(one.median, 2 * one.fixed);
  }
}

TEST(QuantileRanks, AgreeWithTheIntervalOfTheMedian) {
  std::vector<double> values;
  for (int64_t n = 1; n <= 200; ++n) {
    values.push_back(static_cast<double>(n));
    for (const double confidence : {0.5, 0.95, 0.999}) {
      const Interval interval = median_interval(values, confidence);
      const Ranks ranks = quantile_ranks(n, 0.5, confidence);
      EXPECT_EQ(ranks.low, std::isinf(interval.low) ? 0 : static_cast<int64_t>(interval.low));
      EXPECT_EQ(ranks.high, std::isinf(interval.high) ? n + 1 : static_cast<int64_t>(interval.high));
    }
  }
}

TEST(QuantileRanks, LeaveHalfOfAlphaOnEachSide) {
  const auto below = [](int64_t n, double q, int64_t k) {  // P(N < k)
    double sum = 0;
    for (int64_t i = 0; i < k; ++i)
      sum += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) +
                      static_cast<double>(i) * std::log(q) + static_cast<double>(n - i) * std::log1p(-q));
    return sum;
  };
  for (const double q : {0.1, 0.25, 0.5, 0.75, 0.9})
    for (const int64_t n : {1, 5, 16, 64, 300})
      for (const double confidence : {0.9, 0.999}) {
        const Ranks ranks = quantile_ranks(n, q, confidence);
        const double tail = (1 - confidence) / 2;
        EXPECT_LE(below(n, q, ranks.low), tail);
        EXPECT_GT(below(n, q, ranks.low + 1), tail);
        EXPECT_LE(1 - below(n, q, ranks.high), tail + 1e-12);
        EXPECT_GT(1 - below(n, q, ranks.high - 1), tail);
      }
}

TEST(QuantileSequence, HoldsTheCountsThatDoNotExcludeTheShare) {
  for (const double q : {0.02, 0.1, 0.3, 0.5, 0.75, 0.9})
    for (const int64_t n : {1, 2, 9, 16, 40, 128})
      for (const double confidence : {0.95, 0.999}) {
        const Ranks ranks = quantile_sequence_ranks(n, q, confidence);
        for (int64_t k = 0; k <= n; ++k) {
          const Interval shares = share_sequence(k, n, confidence);
          EXPECT_EQ(ranks.low <= k && k < ranks.high, shares.low <= q && q <= shares.high) << k << " of " << n;
        }
      }
}

TEST(QuantileSequence, KnowsItsEdges) {
  for (const auto ranks_of : {quantile_ranks, quantile_sequence_ranks}) {
    EXPECT_EQ(ranks_of(0, 0.5, 0.95).low, 0);
    EXPECT_EQ(ranks_of(0, 0.5, 0.95).high, 1);
    EXPECT_EQ(ranks_of(1, 0.5, 0.95).low, 0);
    EXPECT_EQ(ranks_of(1, 0.5, 0.95).high, 2);
    EXPECT_THROW(ranks_of(-1, 0.5, 0.95), Error);
    EXPECT_THROW(ranks_of(5, 0, 0.95), Error);
    EXPECT_THROW(ranks_of(5, 0.5, 1), Error);
    for (const double q : {0.1, 0.5, 0.9})
      for (int64_t n = 1; n < 600; n += 7) {
        const Ranks ranks = ranks_of(n, q, 0.95), sure = ranks_of(n, q, 0.999), mirrored = ranks_of(n, 1 - q, 0.95);
        EXPECT_LT(ranks.low, ranks.high);
        EXPECT_GE(ranks.low, sure.low);
        EXPECT_LE(ranks.high, sure.high);
        EXPECT_EQ(mirrored.low, n + 1 - ranks.high);
        EXPECT_LE(quantile_sequence_ranks(n, q, 0.95).low, quantile_ranks(n, q, 0.95).low);
        EXPECT_GE(quantile_sequence_ranks(n, q, 0.95).high, quantile_ranks(n, q, 0.95).high);
      }
  }
}

}  // namespace
}  // namespace atto::share_sequence_test

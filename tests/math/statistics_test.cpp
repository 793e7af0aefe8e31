#include "math/statistics.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/error.h"

namespace atto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool covers(const Interval& interval, double truth) { return interval.low <= truth && truth <= interval.high; }

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Share of `trials` in which `interval_of(generator)` covers the truth.
template <class IntervalOf>
double coverage(int trials, double truth, IntervalOf interval_of) {
  std::mt19937_64 generator(20240607);
  int hits = 0;
  for (int trial = 0; trial < trials; ++trial) hits += covers(interval_of(generator), truth);
  return static_cast<double>(hits) / trials;
}

template <class Distribution>
std::vector<double> draw(std::mt19937_64& generator, size_t count, Distribution distribution) {
  std::vector<double> values(count);
  for (double& value : values) value = distribution(generator);
  return values;
}

TEST(Quantile, InterpolatesLikeTypeSeven) {
  const std::vector<double> values = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);  // R: quantile(1:4, 0.25)
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{7}, 0.3), 7);
}

TEST(Quantile, InfinitiesSortToTheEnds) {
  const std::vector<double> censored = {1, 2, 3, kInfinity, kInfinity};
  EXPECT_DOUBLE_EQ(quantile(censored, 0.5), 3);
  EXPECT_EQ(quantile(censored, 0.6), kInfinity);  // between 3 and infinity
  EXPECT_EQ(quantile(censored, 1), kInfinity);
  EXPECT_EQ(quantile(std::vector<double>{-kInfinity, 5}, 0.5), -kInfinity);
  EXPECT_EQ(quantile(std::vector<double>{kInfinity, kInfinity}, 0.5), kInfinity);
}

TEST(Quantile, OfNothingIsNotANumberAndAWrongShareIsRefused) {
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_THROW(quantile(std::vector<double>{1.0}, 1.5), Error);
}

TEST(Quantile, LiesWithinTheDataAndGrowsWithItsShare) {
  EXPECT_TRUE(rc::check([](const std::vector<int>& raw, unsigned a, unsigned b) {
    RC_PRE(!raw.empty());
    const std::vector<double> values(raw.begin(), raw.end());
    const double p = (a % 101) / 100.0, q = (b % 101) / 100.0;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    RC_ASSERT(quantile(values, p) >= *low);
    RC_ASSERT(quantile(values, p) <= *high);
    RC_ASSERT(quantile(values, std::min(p, q)) <= quantile(values, std::max(p, q)));
  }));
}

// Values of the published examples in Newcombe (1998), "Two-sided confidence intervals for the single proportion",
// table I.
TEST(Wilson, AgreesWithPublishedValues) {
  const struct {
    int64_t successes, trials;
    double low, high;
  } cases[] = {{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0.0, 0.1611}, {1, 29, 0.0061, 0.1718}};
  for (const auto& one : cases) {
    const Interval interval = wilson(one.successes, one.trials);
    EXPECT_NEAR(interval.low, one.low, 6e-5);
    EXPECT_NEAR(interval.high, one.high, 6e-5);
  }
  const Interval half = wilson(10, 20);
  EXPECT_DOUBLE_EQ(half.estimate, 0.5);
  EXPECT_NEAR(half.low, 0.299298, 1e-6);
  EXPECT_NEAR(half.high, 0.700702, 1e-6);
}

TEST(Wilson, StaysSaneAtTheEnds) {
  EXPECT_EQ(wilson(0, 20).low, 0);
  EXPECT_EQ(wilson(20, 20).high, 1);
  EXPECT_NEAR(wilson(20, 20).low, 1 - wilson(0, 20).high, 1e-12);
  const Interval nothing = wilson(0, 0);
  EXPECT_TRUE(std::isnan(nothing.estimate));
  EXPECT_EQ(nothing.low, 0);
  EXPECT_EQ(nothing.high, 1);
  EXPECT_THROW(wilson(3, 2), Error);
  EXPECT_THROW(wilson(-1, 2), Error);
}

// The same table's exact intervals.
TEST(ClopperPearson, AgreesWithPublishedValues) {
  const struct {
    int64_t successes, trials;
    double low, high;
  } cases[] = {{81, 263, 0.2527, 0.3676}, {15, 148, 0.0578, 0.1617}, {0, 20, 0.0, 0.1684}, {1, 29, 0.0009, 0.1776}};
  for (const auto& one : cases) {
    const Interval interval = clopper_pearson(one.successes, one.trials),
                   mirrored = clopper_pearson(one.trials - one.successes, one.trials);
    EXPECT_NEAR(interval.low, one.low, 6e-5);
    EXPECT_NEAR(interval.high, one.high, 6e-5);
    EXPECT_NEAR(mirrored.low, 1 - interval.high, 1e-12);
    EXPECT_LT(interval.high, clopper_pearson(one.successes, one.trials, 0.999).high);
  }
  EXPECT_TRUE(std::isnan(clopper_pearson(0, 0).estimate));
  EXPECT_EQ(clopper_pearson(0, 0).high, 1);
  EXPECT_EQ(clopper_pearson(5, 5).high, 1);
  EXPECT_THROW(clopper_pearson(3, 2), Error);
}

// The coverage of a share's interval can be summed exactly. Wilson's promise is that it averages to the confidence; at
// single shares it swings to both sides.
TEST(Wilson, ExactCoverageAveragesToTheConfidence) {
  const int64_t n = 32;
  double average = 0, worst = 1;
  const int shares = 97;
  for (int i = 0; i < shares; ++i) {
    const double p = 0.02 + 0.96 * i / (shares - 1);
    double covered = 0;
    for (int64_t k = 0; k <= n; ++k) {
      const double weight =
          std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                   static_cast<double>(k) * std::log(p) + static_cast<double>(n - k) * std::log1p(-p));
      if (covers(wilson(k, n), p)) covered += weight;
    }
    average += covered / shares;
    worst = std::min(worst, covered);
  }
  EXPECT_NEAR(average, 0.95, 0.01);
  EXPECT_GT(worst, 0.88);
}

// Newcombe (1998), "Interval estimation for the difference between independent proportions", table II, method 10.
TEST(ShareDifference, AgreesWithPublishedValues) {
  const struct {
    Share first, second;
    double low, high;
  } cases[] = {{{56, 70}, {48, 80}, 0.0524, 0.3339},
               {{9, 10}, {3, 10}, 0.1705, 0.8090},
               {{10, 10}, {0, 20}, 0.6791, 1.0},
               {{5, 56}, {0, 29}, -0.0381, 0.1926}};
  for (const auto& one : cases) {
    const Interval interval = share_difference(one.first, one.second);
    EXPECT_NEAR(interval.low, one.low, 6e-5);
    EXPECT_NEAR(interval.high, one.high, 6e-5);
  }
}

TEST(ShareRatio, CoversAndKnowsItsEdges) {
  const double got = coverage(2000, 0.4 / 0.7, [](std::mt19937_64& generator) {
    std::binomial_distribution<int64_t> a(60, 0.4), b(50, 0.7);
    return share_ratio({a(generator), 60}, {b(generator), 50});
  });
  EXPECT_GE(got, 0.93);
  EXPECT_LE(got, 0.97);

  const Interval none_against_some = share_ratio({0, 20}, {10, 20});
  EXPECT_EQ(none_against_some.estimate, 0);
  EXPECT_EQ(none_against_some.low, 0);
  EXPECT_GT(none_against_some.high, 0);
  EXPECT_LT(none_against_some.high, 1);
  const Interval some_against_none = share_ratio({10, 20}, {0, 20});
  EXPECT_EQ(some_against_none.estimate, kInfinity);
  EXPECT_GT(some_against_none.low, 1);
  EXPECT_EQ(some_against_none.high, kInfinity);
  const Interval none = share_ratio({0, 20}, {0, 20});
  EXPECT_TRUE(std::isnan(none.estimate));
  EXPECT_EQ(none.low, 0);
  EXPECT_EQ(none.high, kInfinity);
}

// The same recovery from the exact intervals, which are wider.
TEST(ShareDifference, FromExactIntervalsIsWider) {
  const Share first{18, 20}, second{5, 20};
  const Interval plain = share_difference(first, second), exact = share_difference(first, second, 0.95, true);
  EXPECT_EQ(exact.estimate, plain.estimate);
  const Interval a = clopper_pearson(18, 20), b = clopper_pearson(5, 20);
  EXPECT_NEAR(exact.low, 0.65 - std::hypot(0.9 - a.low, b.high - 0.25), 1e-12);
  EXPECT_NEAR(exact.high, 0.65 + std::hypot(a.high - 0.9, 0.25 - b.low), 1e-12);
  EXPECT_LT(exact.low, plain.low);
  EXPECT_GT(exact.high, plain.high);
  const Interval ratio = share_ratio(first, second), exact_ratio = share_ratio(first, second, 0.95, true);
  EXPECT_EQ(exact_ratio.estimate, ratio.estimate);
  EXPECT_LT(exact_ratio.low, ratio.low);
  EXPECT_GT(exact_ratio.high, ratio.high);
}

TEST(ShareRatio, TurnsOverWhenTheGroupsAreExchanged) {
  EXPECT_TRUE(rc::check([](unsigned a, unsigned b) {
    const Share first{1 + a % 29, 30}, second{1 + b % 39, 40};
    const Interval there = share_ratio(first, second), back = share_ratio(second, first);
    RC_ASSERT(std::abs(there.low * back.high - 1) < 1e-9);
    RC_ASSERT(std::abs(there.high * back.low - 1) < 1e-9);
    RC_ASSERT(there.low <= there.estimate && there.estimate <= there.high);
  }));
}

TEST(ShareDifference, Covers) {
  const double got = coverage(2000, 0.6 - 0.3, [](std::mt19937_64& generator) {
    std::binomial_distribution<int64_t> a(32, 0.6), b(24, 0.3);
    return share_difference({a(generator), 32}, {b(generator), 24});
  });
  EXPECT_GE(got, 0.93);
  EXPECT_LE(got, 0.98);
}

// Ranks of the two-sided 95 % interval from tables of the sign test.
TEST(MedianInterval, PicksTheTabulatedOrderStatistics) {
  const struct { size_t n, rank; } cases[] = {{6, 1}, {8, 1}, {9, 2}, {15, 4}, {20, 6}, {32, 10}, {50, 18}};
  for (const auto& [n, rank] : cases) {
    std::vector<double> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<double>(n - i);
    const Interval interval = median_interval(values);
    EXPECT_EQ(interval.low, static_cast<double>(rank)) << "n = " << n;
    EXPECT_EQ(interval.high, static_cast<double>(n + 1 - rank)) << "n = " << n;
  }
}

TEST(MedianInterval, TooFewValuesBoundNothing) {
  for (const size_t n : {1, 2, 5}) {
    const Interval interval = median_interval(std::vector<double>(n, 3.0));
    EXPECT_EQ(interval.estimate, 3);
    EXPECT_EQ(interval.low, -kInfinity);
    EXPECT_EQ(interval.high, kInfinity);
  }
  EXPECT_TRUE(std::isnan(median_interval({}).estimate));
}

TEST(MedianInterval, TakesTiesAndCensoredValues) {
  const Interval tied = median_interval(std::vector<double>(10, 2.0));
  EXPECT_EQ(tied.low, 2);
  EXPECT_EQ(tied.high, 2);
  // 20 values, ranks 6 and 15: with six censored the upper end is the largest seen, with seven it is open.
  std::vector<double> values(20);
  for (size_t i = 0; i < 20; ++i) values[i] = static_cast<double>(i + 1);
  std::fill(values.begin() + 15, values.end(), kInfinity);
  EXPECT_EQ(median_interval(values).high, 15);
  values[14] = kInfinity;
  EXPECT_EQ(median_interval(values).high, kInfinity);
  EXPECT_EQ(median_interval(values).low, 6);
  EXPECT_EQ(median_interval(std::vector<double>(8, kInfinity)).low, kInfinity);
}

// The promise is "at least the confidence" for every distribution; the excess is what the next order statistic would
// lose.
TEST(MedianInterval, CoversAtLeastTheConfidenceForAnyDistribution) {
  const auto normal = coverage(2000, 0.0, [](std::mt19937_64& generator) {
    return median_interval(draw(generator, 32, std::normal_distribution<double>()));
  });
  const auto skewed = coverage(2000, std::log(2.0), [](std::mt19937_64& generator) {
    return median_interval(draw(generator, 17, std::exponential_distribution<double>()));
  });
  const auto heavy = coverage(2000, 0.0, [](std::mt19937_64& generator) {
    return median_interval(draw(generator, 100, std::cauchy_distribution<double>()));
  });
  for (const double got : {normal, skewed, heavy}) {
    EXPECT_GE(got, 0.94);  // 0.95 less two standard errors of 2000 trials
    EXPECT_LE(got, 0.99);
  }
}

TEST(MeanInterval, AgreesWithStudent) {
  // t(0.975, 9) = 2.262157; mean 5.5, standard deviation 3.027650.
  std::vector<double> values(10);
  for (size_t i = 0; i < 10; ++i) values[i] = static_cast<double>(i + 1);
  const Interval interval = mean_interval(values);
  EXPECT_DOUBLE_EQ(interval.estimate, 5.5);
  EXPECT_NEAR(interval.high - interval.estimate, 2.262157 * 3.027650 / std::sqrt(10.0), 1e-5);
  EXPECT_NEAR(interval.low + interval.high, 11, 1e-12);
}

TEST(MeanInterval, KnowsItsEdges) {
  EXPECT_TRUE(std::isnan(mean_interval({}).estimate));
  const Interval one = mean_interval(std::vector<double>{4});
  EXPECT_EQ(one.estimate, 4);
  EXPECT_EQ(one.low, -kInfinity);
  EXPECT_EQ(one.high, kInfinity);
  const Interval equal = mean_interval(std::vector<double>(8, 0.25));
  EXPECT_EQ(equal.low, 0.25);
  EXPECT_EQ(equal.high, 0.25);
}

TEST(MeanInterval, Covers) {
  for (const size_t n : {3, 32}) {
    const double got = coverage(4000, 1.0, [n](std::mt19937_64& generator) {
      return mean_interval(draw(generator, n, std::normal_distribution<double>(1.0, 2.0)));
    });
    EXPECT_NEAR(got, 0.95, 0.01);
  }
}

// Of skewed values Student's interval holds the mean in 92 %, with the misses on one side.
TEST(MeanInterval, CoversOfSkewedValues) {
  const double mean = std::exp(0.32);
  const auto held = [&](auto interval) {
    return coverage(4000, mean, [&](std::mt19937_64& generator) {
      return interval(draw(generator, 24, std::lognormal_distribution<double>(0, 0.8)), 0.95);
    });
  };
  EXPECT_LT(held([](const auto& values, double level) { return mean_interval(values, level); }), 0.925);
  EXPECT_GT(held([](const auto& values, double level) { return skewed_mean_interval(values, level); }), 0.935);
  const std::vector<double> even = {1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(skewed_mean_interval(even).low, mean_interval(even).low) << "nothing moves without skewness";
  EXPECT_EQ(skewed_mean_interval(even).high, mean_interval(even).high);
}

Interval mean_difference(const std::vector<double>& a, const std::vector<double>& b, int64_t resamples,
                         uint64_t seed = 1) {
  return bootstrap(
      a, b, [](std::span<const double> x, std::span<const double> y) { return mean_of(x) - mean_of(y); }, 0.95,
      resamples, seed);
}

TEST(Bootstrap, CoversTheDifferenceOfMeans) {
  const auto of_size = [](size_t n, size_t m) {
    return coverage(1000, 1.0, [=](std::mt19937_64& generator) {
      const auto a = draw(generator, n, std::normal_distribution<double>(3, 1));
      const auto b = draw(generator, m, std::normal_distribution<double>(2, 2));
      return mean_difference(a, b, 400);
    });
  };
  const double balanced = of_size(32, 32), small = of_size(8, 24);
  EXPECT_GE(balanced, 0.93);
  EXPECT_LE(balanced, 0.97);
  EXPECT_GE(small, 0.93);  // the correction for small groups errs on the wide side
  EXPECT_LE(small, 0.985);
}

TEST(Bootstrap, CoversTheRatioOfMedians) {
  const double got = coverage(1000, 2.0, [](std::mt19937_64& generator) {
    const auto a = draw(generator, 32, std::lognormal_distribution<double>(std::log(4.0), 0.5));
    const auto b = draw(generator, 32, std::lognormal_distribution<double>(std::log(2.0), 0.5));
    return bootstrap(
        a, b, [](std::span<const double> x, std::span<const double> y) { return quantile(x, 0.5) / quantile(y, 0.5); },
        0.95, 400);
  });
  EXPECT_GE(got, 0.93);
  EXPECT_LE(got, 0.98);  // a resampled median spreads a little more than the median itself
}

TEST(Bootstrap, DependsOnTheSeedAlone) {
  std::mt19937_64 generator(3);
  const auto a = draw(generator, 20, std::normal_distribution<double>()),
             b = draw(generator, 13, std::normal_distribution<double>());
  const Interval once = mean_difference(a, b, 500), again = mean_difference(a, b, 500),
                 other = mean_difference(a, b, 500, 2);
  EXPECT_EQ(once.low, again.low);
  EXPECT_EQ(once.high, again.high);
  EXPECT_NE(once.low, other.low);
}

// The groups must not share their picks: for equal groups a difference of jointly resampled means would always be zero.
TEST(Bootstrap, ResamplesTheGroupsIndependently) {
  std::mt19937_64 generator(4);
  const auto a = draw(generator, 30, std::normal_distribution<double>());
  const Interval interval = mean_difference(a, a, 500);
  EXPECT_EQ(interval.estimate, 0);
  EXPECT_LT(interval.low, -0.2);
  EXPECT_GT(interval.high, 0.2);
}

TEST(Bootstrap, UndefinedResamplesWidenBothSides) {
  const std::vector<double> censored = {1, 2, kInfinity, kInfinity, kInfinity, 3},
                            half = {1, kInfinity, 2, kInfinity, 1, kInfinity};
  const Interval interval = bootstrap(censored, half, [](std::span<const double> x, std::span<const double> y) {
    return quantile(x, 0.5) - quantile(y, 0.5);
  });
  EXPECT_EQ(interval.low, -kInfinity);
  EXPECT_EQ(interval.high, kInfinity);
  EXPECT_TRUE(std::isnan(interval.estimate));
}

// 2,000 resamples do not reach where one in 10,000 lies; more are drawn, and where even the most do not, nothing is
// said.
TEST(Bootstrap, DrawsAsManyAsItsConfidenceTakes) {
  std::mt19937_64 generator(5);
  const std::vector<double> a = draw(generator, 40, std::normal_distribution<double>()), b(40, 0.0);
  int64_t draws = 0;
  const auto difference = [&](std::span<const double> x, std::span<const double> y) {
    ++draws;
    return mean_of(x) - mean_of(y);
  };
  const Interval usual = bootstrap(a, b, difference);
  EXPECT_EQ(draws, 2001);
  draws = 0;
  const Interval wide = bootstrap(a, b, difference, 0.999);
  EXPECT_GT(draws, 10'000);
  EXPECT_LE(draws, kMostResamples + 1);
  EXPECT_LT(wide.low, usual.low);
  EXPECT_GT(wide.high, usual.high);
  EXPECT_NEAR((wide.high - wide.low) / (usual.high - usual.low),
              student_quantile(39, 0.9995) / student_quantile(39, 0.975), 0.2);
  const Interval beyond = bootstrap(a, b, difference, 1 - 1e-9);
  EXPECT_EQ(beyond.estimate, usual.estimate);
  EXPECT_EQ(beyond.low, -kInfinity);
  EXPECT_EQ(beyond.high, kInfinity);
}

TEST(ResampledError, OfAMeanIsItsStandardError) {
  std::mt19937_64 generator(3);
  const std::vector<double> values = draw(generator, 24, std::normal_distribution<double>(0, 2));
  const UnitStatistic mean = [&](std::span<const size_t> units) {
    double sum = 0;
    for (const size_t unit : units) sum += values[unit];
    return sum / static_cast<double>(units.size());
  };
  const Interval student = mean_interval(values);
  const double error = (student.high - student.low) / 2 / student_quantile(23, 0.975);
  EXPECT_NEAR(resampled_error(24, mean, 20'000), error, 0.02 * error);
  EXPECT_NEAR(resampled_error(24, mean), error, 0.2 * error);
  EXPECT_EQ(resampled_error(24, mean), resampled_error(24, mean)) << "it depends on the seed alone";
}

TEST(ResampledError, KnowsItsEdges) {
  const UnitStatistic same = [](std::span<const size_t>) { return 7.0; };
  EXPECT_EQ(resampled_error(1, same), kInfinity) << "one unit tells nothing about spread";
  EXPECT_EQ(resampled_error(8, same), 0);
  int calls = 0;
  const auto sometimes = [&](int every) -> UnitStatistic {
    return [&calls, every](std::span<const size_t>) { return calls++ % every == 0 ? kInfinity : 1.0; };
  };
  EXPECT_EQ(resampled_error(8, sometimes(50)), 0) << "one of fifty may be left out";
  EXPECT_EQ(resampled_error(8, sometimes(20)), kInfinity);
}

TEST(Bootstrap, OneValueAndNoneBoundNothing) {
  const std::vector<double> one = {1}, two = {1, 2};
  EXPECT_EQ(mean_difference(one, two, 100).high, kInfinity);
  EXPECT_EQ(mean_difference(two, one, 100).low, -kInfinity);
  EXPECT_TRUE(std::isnan(mean_difference({}, two, 100).estimate));
}

TEST(Intervals, RefuseAConfidenceThatIsNone) {
  EXPECT_THROW(wilson(1, 2, 1.0), Error);
  EXPECT_THROW(median_interval(std::vector<double>{1.0}, 0), Error);
}

}  // namespace
}  // namespace atto

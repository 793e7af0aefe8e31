// A laboratory without networks: 10,000 streams of up to 512 runs with a known truth, looked at as a study looks at its
// runs. Whether a stream has missed the truth is asked of boundaries that are computed once per number of runs; other
// tests show that these boundaries are the intervals' own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "math/bounded_mean.h"
#include "math/confidence_sequence.h"
#include "math/streams.h"

namespace atto::simulated_lab_test {
namespace {

constexpr uint32_t kStreams = 10'000;
constexpr int64_t kRuns = 512, kBatch = 8;
constexpr int kLooks = kRuns / kBatch;

// Share of streams for which `missed(stream)` is true.
template <class Missed>
double share_of_streams(uint32_t key, Missed missed) {
  uint32_t count = 0;
  for (uint32_t number = 0; number < kStreams; ++number) {
    Stream stream(key, number);
    count += missed(stream);
  }
  return static_cast<double>(count) / kStreams;
}

// What a share of streams may be above its expectation.
double at_most(double expected) { return expected + 3 * std::sqrt(expected * (1 - expected) / kStreams); }

// The counts of values that do not exclude a share q are low, ..., high - 1. At every number of runs:
std::vector<Ranks> sequence_ranks(double q) {
  std::vector<Ranks> ranks;
  for (int64_t n = 0; n <= kRuns; ++n) ranks.push_back(quantile_sequence_ranks(n, q, 0.95));
  return ranks;
}

TEST(IntervalsCoverTheTruth, OfASequenceForShares) {
  uint32_t key = 1;
  for (const double p : {0.02, 0.1, 0.5, 0.9}) {
    const std::vector<Ranks> ranks = sequence_ranks(p);
    const double missed = share_of_streams(key++, [&](Stream& stream) {
      int64_t count = 0;
      for (size_t n = 1; n <= kRuns; ++n) {
        count += stream() < p;
        if (count < ranks[n].low || count >= ranks[n].high) return true;
      }
      return false;
    });
    EXPECT_LE(missed, at_most(0.05)) << "p = " << p;
    EXPECT_GT(missed, 0.02) << "p = " << p;  // and not by being useless
  }
}

// The interval of the quantile misses `truth` when fewer than `low` values are <= truth or at least `high` are below.
template <class Draw>
double missed_quantile(uint32_t key, double q, double truth, Draw draw) {
  const std::vector<Ranks> ranks = sequence_ranks(q);
  return share_of_streams(key, [&](Stream& stream) {
    int64_t below = 0, up_to = 0;
    for (size_t n = 1; n <= kRuns; ++n) {
      const double value = draw(stream);
      below += value < truth;
      up_to += value <= truth;
      if (up_to < ranks[n].low || below >= ranks[n].high) return true;
    }
    return false;
  });
}

TEST(IntervalsCoverTheTruth, OfASequenceForQuantiles) {
  const auto continuous = [](Stream& stream) { return stream(); };
  const auto tied = [](Stream& stream) { return std::floor(4 * stream() * stream()); };  // 0, 1, 2, 3
  // Two modes of 55 and 45 %, the second censored.
  const auto bimodal = [](Stream& stream) {
    const double u = stream();
    return u < 0.55 ? 100 + u : std::numeric_limits<double>::infinity();
  };
  const auto gap = [](Stream& stream) {  // any number from 1/2 to 10 is a median
    const double u = stream();
    return u < 0.5 ? u : 9.5 + u;
  };
  const double results[] = {missed_quantile(11, 0.5, 0.5, continuous), missed_quantile(12, 0.9, 0.9, continuous),
                            missed_quantile(13, 0.5, 100.5, bimodal),  missed_quantile(14, 0.5, 5, gap),
                            missed_quantile(15, 0.5, 0, tied),    // P(0) = (1 + log 4) / 4 = 0.597
                            missed_quantile(16, 0.75, 1, tied)};  // P(<= 1) = (1 + log 2) / 2 = 0.847
  for (const double missed : results) EXPECT_LE(missed, at_most(0.05));
  for (const size_t untied : {0, 1, 2, 3}) EXPECT_GT(results[untied], 0.02);
}

struct Bounded {
  const char* name;
  double low, high, mean, deviation;
  double (*draw)(Stream&);
};

const Bounded kBounded[] = {
    {"Bernoulli 0.1", 0, 1, 0.1, 0.3, [](Stream& stream) { return stream() < 0.1 ? 1.0 : 0.0; }},
    {"Bernoulli 0.5", 0, 1, 0.5, 0.5, [](Stream& stream) { return stream() < 0.5 ? 1.0 : 0.0; }},
    {"uniform", 0, 1, 0.5, std::sqrt(1.0 / 12), [](Stream& stream) { return stream(); }},
    {"two modes", 0, 1, 0.5, std::sqrt(0.16 + 0.01 / 12),
     [](Stream& stream) { return (stream() < 0.5 ? 0.05 : 0.85) + 0.1 * stream(); }},
    {"-1, 0, 1", -1, 1, 0.12, std::sqrt(0.28 - 0.12 * 0.12), [](Stream& stream) {
       const double u = stream();
       return u < 0.2 ? 1.0 : u < 0.28 ? -1.0 : 0.0;
     }}};

std::vector<double> runs_of(Stream& stream, const Bounded& distribution, int64_t runs) {
  std::vector<double> values(static_cast<size_t>(runs));
  for (double& value : values) value = distribution.draw(stream);
  return values;
}

TEST(IntervalsCoverTheTruth, OfASequenceForBoundedMeans) {
  uint32_t key = 21;
  for (const Bounded& one : kBounded) {
    const double missed = share_of_streams(key++, [&](Stream& stream) {
      const std::vector<double> evidence =
          bounded_mean_evidence(runs_of(stream, one, kRuns), one.low, one.high, one.mean, 0.95, kBatch);
      return *std::max_element(evidence.begin(), evidence.end()) >= -std::log(0.05);
    });
    EXPECT_LE(missed, at_most(0.05)) << one.name;
    EXPECT_GT(missed, 0.01) << one.name;
  }
}

enum class Verdict { open, right, wrong };

struct Decisions {
  double right = 0, wrong = 0;
  int64_t median = 2 * kRuns;  // runs until a decision
};

// `decide(stream)` gives the verdict and the number of runs that it took.
template <class Decide>
Decisions decisions(uint32_t key, Decide decide) {
  Decisions result;
  std::vector<int64_t> runs;
  for (uint32_t number = 0; number < kStreams; ++number) {
    Stream stream(key, number);
    const auto [verdict, n] = decide(stream);
    result.right += (verdict == Verdict::right) / static_cast<double>(kStreams);
    result.wrong += (verdict == Verdict::wrong) / static_cast<double>(kStreams);
    runs.push_back(verdict == Verdict::open ? 2 * kRuns : n);
  }
  std::nth_element(runs.begin(), runs.begin() + kStreams / 2, runs.end());
  result.median = runs[kStreams / 2];
  return result;
}

// "The share is at least `boundary`", of streams with share p: open while the count is one of those that do not exclude
// the boundary. This is also "the median is at most m" of values of which a share p is <= m, with the boundary 1/2.
Decisions decide_share(uint32_t key, double boundary, double p, const std::vector<Ranks>& ranks) {
  return decisions(key, [&](Stream& stream) {
    int64_t count = 0;
    for (int64_t n = 1; n <= kRuns; ++n) {
      count += stream() < p;
      const Ranks& open = ranks[static_cast<size_t>(n)];
      if (n % kBatch != 0 || (count >= open.low && count < open.high)) continue;
      return std::pair((count >= open.high) == (p >= boundary) ? Verdict::right : Verdict::wrong, n);
    }
    return std::pair(Verdict::open, kRuns);
  });
}

TEST(IntervalsCoverTheTruth, WhenASequenceDecidesAboutAShareOrAMedian) {
  uint32_t key = 31;
  for (const double boundary : {0.1, 0.5, 0.9}) {
    const std::vector<Ranks> ranks = sequence_ranks(boundary);
    for (const double outside : {0.001, 0.01})
      EXPECT_LE(decide_share(key++, boundary, boundary - outside, ranks).wrong, at_most(0.05)) << boundary;
  }
  // A distance of 0.15: a fixed test of power 0.8 needs 90 runs. The sequence decides half of the streams by 96.
  const Decisions far = decide_share(41, 0.5, 0.65, sequence_ranks(0.5));
  EXPECT_LE(far.median, 104);
  EXPECT_GT(far.right, 0.99);
  EXPECT_LT(far.wrong, 0.001);
}

TEST(IntervalsCoverTheTruth, WhenAlphaIsSpentOverPlannedLooks) {
  std::vector<Ranks> ordinary(kRuns + 1), spent(kRuns + 1);
  for (int look = 1; look <= kLooks; ++look) {
    const int64_t n = look * kBatch;
    ordinary[static_cast<size_t>(n)] = quantile_ranks(n, 0.5, 0.95);
    spent[static_cast<size_t>(n)] = quantile_ranks(n, 0.5, 1 - spent_alpha(0.05, look, kLooks));
  }
  EXPECT_GT(decide_share(51, 0.5, 0.499, ordinary).wrong, 0.12);  // what repeated looks do to ordinary intervals
  EXPECT_LE(decide_share(51, 0.5, 0.499, spent).wrong, at_most(0.05));
  const Decisions far = decide_share(52, 0.5, 0.65, spent);
  EXPECT_LE(far.median, 2 * 90);
  EXPECT_GT(far.right, 0.99);
}

TEST(IntervalsCoverTheTruth, WhenASequenceDecidesAboutABoundedMean) {
  uint32_t key = 61;
  for (const Bounded& one : kBounded) {
    // "The mean is at most `boundary`": evidence against the boundary decides, for the side where the values are.
    const auto decide = [&](double boundary, int64_t runs) {
      return decisions(key++, [&](Stream& stream) {
        const std::vector<double> values = runs_of(stream, one, runs);
        const std::vector<double> evidence = bounded_mean_evidence(values, one.low, one.high, boundary, 0.95, kBatch);
        double sum = 0;
        for (size_t look = 0; look < evidence.size(); ++look) {
          for (size_t i = look * kBatch; i < (look + 1) * kBatch; ++i) sum += values[i];
          const int64_t n = static_cast<int64_t>(look + 1) * kBatch;
          if (evidence[look] < -std::log(0.05)) continue;
          const bool above = sum > boundary * static_cast<double>(n);
          return std::pair(above == (one.mean > boundary) ? Verdict::right : Verdict::wrong, n);
        }
        return std::pair(Verdict::open, runs);
      });
    };
    EXPECT_LE(decide(one.mean - 0.001, kRuns).wrong, at_most(0.05)) << one.name;
    // A distance of 0.35 standard deviations: a fixed normal test of power 0.8 needs 64 runs.
    const Decisions far = decide(one.mean + 0.35 * one.deviation, 128);
    EXPECT_LE(far.median, 120) << one.name;
    EXPECT_LT(far.wrong, 0.005) << one.name;
  }
}

}  // namespace
}  // namespace atto::simulated_lab_test

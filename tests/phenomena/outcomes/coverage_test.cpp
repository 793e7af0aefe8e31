// Simulated runs of which the truth is known: does each kind of interval hold it as often as it says, when runs are cut
// off, lack the quantity, come in pairs, differ between cells, or fall into two kinds?
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "phenomena/claims/verdict.h"

namespace atto {
namespace {

constexpr int kTrials = 400;
// Three standard errors of a share of 0.95 in so many trials.
const double kChance = 3 * std::sqrt(0.95 * 0.05 / kTrials);

using Random = std::mt19937_64;
using Simulate = std::function<Estimate(Random&)>;

double coverage_of(double truth, const Simulate& simulate) {
  Random random(20261117);
  int held = 0;
  for (int i = 0; i < kTrials; ++i) {
    const Estimate found = simulate(random);
    held += found.obstacle.empty() && found.low <= truth && truth <= found.high;
  }
  return static_cast<double>(held) / kTrials;
}

// What is seen of a time of which the truth is `time`: a run ends at `horizon`.
Outcome seen(double time, double horizon) { return time <= horizon ? Outcome{time} : Outcome{horizon, true}; }

// Times with median 1: log-normal.
double draw_time(Random& random, double deviation = 0.5) {
  return std::exp(std::normal_distribution<double>(0, deviation)(random));
}

// Two kinds of run: most leave at about 1, the others at about 10.
double draw_bimodal(Random& random, double slow) {
  const bool late = std::bernoulli_distribution(slow)(random);
  return (late ? 10 : 1) * draw_time(random, 0.2);
}

TEST(IntervalsCoverTheTruth, MedianOfTimesThatAreCutOff) {
  for (const double horizon : {0.8, 1.0, 1.5})
    EXPECT_GE(coverage_of(1,
                          [&](Random& random) {
                            RunAnswers runs;
                            for (int i = 0; i < 24; ++i)
                              runs.push_back(number_answer(seen(draw_time(random), horizon)));
                            return summarise(runs, Statistic::median, {});
                          }),
              0.95 - kChance)
        << horizon;
}

// Runs lose their quantity more often the slower they are, so dropping them would bias the median.
TEST(IntervalsCoverTheTruth, MedianOfRunsThatLackTheQuantity) {
  EXPECT_GE(coverage_of(1,
                        [](Random& random) {
                          RunAnswers runs;
                          for (int i = 0; i < 24; ++i) {
                            const double time = draw_time(random);
                            const bool lost = std::bernoulli_distribution(time > 1.3 ? 0.5 : 0.02)(random);
                            runs.push_back(number_answer(lost ? Outcome{} : Outcome{time}));
                          }
                          return summarise(runs, Statistic::median, {});
                        }),
            0.95 - kChance);
}

TEST(IntervalsCoverTheTruth, PairedRatioOfTimesThatAreCutOff) {
  // Both runs of a pair share most of their luck; the first takes 1.5 times as long in the median.
  EXPECT_GE(coverage_of(1.5,
                        [](Random& random) {
                          RunAnswers first, second;
                          for (int i = 0; i < 24; ++i) {
                            const double shared = draw_time(random, 0.8);
                            first.push_back(number_answer(seen(1.5 * shared * draw_time(random, 0.2), 3)));
                            second.push_back(number_answer(seen(shared * draw_time(random, 0.2), 3)));
                          }
                          return compare_pairs(first, second, Statistic::median, Comparison::ratio, {});
                        }),
            0.95 - kChance);
}

TEST(IntervalsCoverTheTruth, UnpairedDifferenceOfTimesThatAreCutOff) {
  // The medians are 1.5 and 1; a tenth to a third of the runs are cut off.
  EXPECT_GE(coverage_of(0.5,
                        [](Random& random) {
                          RunAnswers first, second;
                          for (int i = 0; i < 20; ++i)
                            first.push_back(number_answer(seen(1.5 * draw_time(random, 0.3), 1.8)));
                          for (int i = 0; i < 16; ++i)
                            second.push_back(number_answer(seen(draw_time(random, 0.3), 1.8)));
                          return compare_groups(first, second, Statistic::median, Comparison::difference, {});
                        }),
            0.95 - kChance);
}

TEST(IntervalsCoverTheTruth, ShareOfTwoKindsOfRunsThatLeaveByAStep) {
  for (const double slow : {0.1, 0.4}) {
    EXPECT_GE(coverage_of(1 - slow,
                          [&](Random& random) {
                            RunAnswers runs;
                            for (int i = 0; i < 32; ++i) {
                              const bool ends_early = std::bernoulli_distribution(0.1)(random);
                              runs.push_back(by_answer(seen(draw_bimodal(random, slow), ends_early ? 0.7 : 4), 3));
                            }
                            return summarise(runs, Statistic::rate, {});
                          }),
              0.95 - kChance)
        << slow;
  }
}

TEST(IntervalsCoverTheTruth, PairedDifferenceOfShares) {
  // 0.7 against 0.5, with pairs that agree beyond chance.
  EXPECT_GE(coverage_of(0.2,
                        [](Random& random) {
                          RunAnswers first, second;
                          for (int i = 0; i < 32; ++i) {
                            const double luck = std::uniform_real_distribution<double>(0, 1)(random);
                            first.push_back(Answer::exactly(luck < 0.7));
                            second.push_back(Answer::exactly(std::bernoulli_distribution(0.8)(random)
                                                                 ? luck < 0.5
                                                                 : std::bernoulli_distribution(0.5)(random)));
                          }
                          return compare_pairs(first, second, Statistic::rate, Comparison::difference, {});
                        }),
            0.95 - kChance);
}

// Cells differ more than seeds do: 12 cells of 16 runs, each with its own centre; the median of the centres is 0.
TEST(IntervalsCoverTheTruth, MedianOverCellsThatDiffer) {
  Random random(5);
  Claim claim;
  claim.statistic = Statistic::median;
  claim.pool = Pool::cells;
  claim.low = 0;
  claim.high = 0;
  int held = 0, held_if_pooled = 0;
  for (int i = 0; i < kTrials; ++i) {
    Evidence evidence;
    RunAnswers pooled;
    for (int cell = 0; cell < 12; ++cell) {
      const double centre_of_cell = std::normal_distribution<double>(0, 1)(random);
      RunAnswers runs;
      for (int run = 0; run < 16; ++run)
        runs.push_back(Answer::exactly(centre_of_cell + std::normal_distribution<double>(0, 0.2)(random)));
      pooled.insert(pooled.end(), runs.begin(), runs.end());
      evidence.cells.push_back({"cell", std::move(runs), {}});
    }
    const Verdict verdict = judge(claim, evidence);
    held += *verdict.low <= 0 && 0 <= *verdict.high;
    const Estimate thrown_together = summarise(pooled, Statistic::median, {});
    held_if_pooled += thrown_together.low <= 0 && 0 <= thrown_together.high;
  }
  EXPECT_GE(held, (0.95 - kChance) * kTrials);
  EXPECT_LT(held_if_pooled, 0.6 * kTrials) << "counting every seed as independent would be far too sure";
}

// The truth lies just outside the region. However often one looks, at most 5 % of such claims are supported.
TEST(IntervalsCoverTheTruth, LooksUntilDecidedDoNotAddUp) {
  Random random(11);
  Claim share, middle;
  share.statistic = Statistic::rate;
  share.low = 0.5;
  share.high = 1;
  middle.statistic = Statistic::median;
  middle.low = 0;
  middle.high = 10;
  int wrong_shares = 0, wrong_medians = 0;
  for (int i = 0; i < kTrials; ++i) {
    CellEvidence yes{"cell", {}, {}}, numbers{"cell", {}, {}};
    bool share_open = true, median_open = true;
    const int looks = 8;
    for (int look = 1, runs = 16; look <= looks; ++look, runs += runs / 2) {
      while (std::ssize(yes.first) < runs) {
        yes.first.push_back(Answer::exactly(std::bernoulli_distribution(0.499)(random)));
        numbers.first.push_back(Answer::exactly(std::normal_distribution<double>(-0.001, 1)(random)));
      }
      const Certainty certainty{.anytime = true, .look = look, .looks = looks};
      const auto decided = [&](const Claim& claim, const CellEvidence& cell, bool& open, int& wrong) {
        if (!open) return;
        const VerdictKind kind = judge(claim, Evidence{{cell}, 0}, certainty).kind;
        open = kind == VerdictKind::inconclusive;
        wrong += kind == VerdictKind::supported;
      };
      decided(share, yes, share_open, wrong_shares);
      decided(middle, numbers, median_open, wrong_medians);
    }
  }
  const double allowed = (0.05 + 3 * std::sqrt(0.05 * 0.95 / kTrials)) * kTrials;
  EXPECT_LE(wrong_shares, allowed);
  EXPECT_LE(wrong_medians, allowed);
}

}  // namespace
}  // namespace atto

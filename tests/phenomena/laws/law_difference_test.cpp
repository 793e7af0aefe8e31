// Two laws' numbers against each other: what both share is shared in the interval as well.
#include "phenomena/laws/law_difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace atto::law_difference_test {
namespace {

const std::vector<double> kLengths = {64, 128, 256, 512, 1024}, kDimensions = {8, 16, 32};
constexpr double kShift = 0.25;  // by which the exponent of the length of the second law is larger

// Two laws over the same sizes. `shared` is the part of a cell's error that both have.
struct Worlds {
  double shared = 0, own = 0;
  bool same_cells = false;  // the second reads the same runs as the first

  std::pair<std::vector<LawRun>, std::vector<LawRun>> draw(uint64_t seed) const {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    std::vector<LawRun> first, second;
    size_t cell = 0;
    for (const double length : kLengths)
      for (const double dimension : kDimensions) {
        const double both = shared * normal(engine);
        for (int run = 0; run < 3; ++run) {
          const double error = both + own * normal(engine), other = both + own * normal(engine);
          first.push_back({{length, dimension}, {length * std::exp(error)}, cell});
          second.push_back({{length, dimension}, {std::pow(length, 1 + kShift) * std::exp(other)}, cell + 100});
        }
        ++cell;
      }
    return {first, second};
  }
};

LawSide side(const std::vector<LawRun>& runs, size_t number) { return {{"length", "dimension"}, runs, number}; }

Interval in_quadrature(const Interval& a, const Interval& b) {
  const double estimate = a.estimate - b.estimate;
  return {estimate, estimate - std::hypot(a.estimate - a.low, b.high - b.estimate),
          estimate + std::hypot(a.high - a.estimate, b.estimate - b.low)};
}

struct Coverage {
  double joint = 0, quadrature = 0, width = 0, quadrature_width = 0;
};

constexpr int kTrials = 400;
const double kChance = 3 * std::sqrt(0.05 * 0.95 / kTrials);

// Of the difference of numbers i and j of two laws, or of one.
Coverage coverage(const Worlds& worlds, size_t i, size_t j, double truth) {
  Coverage found;
  for (uint64_t trial = 1; trial <= kTrials; ++trial) {
    auto [first, second] = worlds.draw(trial);
    if (worlds.same_cells) second = first;
    const auto joint = compare_law_numbers(side(first, i), side(second, j), Comparison::difference, 0.95, 250);
    const std::vector<std::string> names = {"length", "dimension"};
    const Interval apart = in_quadrature(fit_power_law(names, first, 0.95, 250).exponents[i - 1].exponent,
                                         fit_power_law(names, second, 0.95, 250).exponents[j - 1].exponent);
    found.joint += (joint->low <= truth && truth <= joint->high) / static_cast<double>(kTrials);
    found.quadrature += (apart.low <= truth && truth <= apart.high) / static_cast<double>(kTrials);
    found.width += (joint->high - joint->low) / kTrials;
    found.quadrature_width += (apart.high - apart.low) / kTrials;
  }
  return found;
}

// Cells whose errors both laws share: the difference does not feel them. Adding in quadrature counts them twice.
TEST(LawDifference, IntervalsCoverTheTruthOfErrorsThatBothShare) {
  const Coverage found = coverage({.shared = 0.3, .own = 0.1}, 1, 1, -kShift);
  EXPECT_GE(found.joint, 0.95 - kChance);
  EXPECT_GT(found.quadrature, 0.999) << "far too wide before";
  EXPECT_LT(found.width, 0.4 * found.quadrature_width);
}

TEST(LawDifference, IntervalsCoverTheTruthOfErrorsOfTheirOwn) {
  const Coverage found = coverage({.shared = 0, .own = 0.2}, 1, 1, -kShift);
  EXPECT_GE(found.joint, 0.95 - kChance);
  EXPECT_LT(found.width, 1.15 * found.quadrature_width);
}

// Two exponents of one fit, of sizes that grow together in the sweep: their errors are opposed, and the difference
// moves by the sum of both. Quadrature is too narrow.
TEST(LawDifference, IntervalsCoverTheTruthOfTwoNumbersOfOneLaw) {
  double joint = 0, quadrature = 0;
  for (uint64_t trial = 1; trial <= kTrials; ++trial) {
    std::mt19937_64 engine(trial);
    std::normal_distribution<double> normal;
    std::vector<LawRun> runs;
    for (size_t cell = 0; cell < 16; ++cell) {
      const double length = std::pow(2, 4 + static_cast<double>(cell / 2));
      const double dimension = length * (cell % 2 == 0 ? 1 : 1.6);  // nearly the same direction
      for (int run = 0; run < 3; ++run)
        runs.push_back({{length, dimension}, {length * dimension * std::exp(0.2 * normal(engine))}, cell});
    }
    const auto found = compare_law_numbers(side(runs, 1), side(runs, 2), Comparison::difference, 0.95, 250);
    const PowerLaw law = fit_power_law({"length", "dimension"}, runs, 0.95, 250);
    const Interval apart = in_quadrature(law.exponents[0].exponent, law.exponents[1].exponent);
    joint += (found->low <= 0 && 0 <= found->high) / static_cast<double>(kTrials);
    quadrature += (apart.low <= 0 && 0 <= apart.high) / static_cast<double>(kTrials);
  }
  EXPECT_GE(joint, 0.95 - kChance);
  EXPECT_LT(quadrature, 0.9) << "too narrow before";
}

// Errors of both sides count, whichever comes first: two laws over other sizes have other influences.
TEST(LawDifference, HasTheSameFreedomTheOtherWayRound) {
  auto [first, second] = Worlds{.shared = 0, .own = 0.1}.draw(7);
  std::erase_if(second, [](const LawRun& run) { return run.terms[0] > 256; });
  const auto there = compare_law_numbers(side(first, 1), side(second, 1), Comparison::difference, 0.95, 50);
  const auto back = compare_law_numbers(side(second, 1), side(first, 1), Comparison::difference, 0.95, 50);
  EXPECT_NEAR(there->estimate, -back->estimate, 1e-9);
  EXPECT_NEAR(there->freedom, back->freedom, 1e-6 * back->freedom);
}

TEST(LawDifference, OfANumberWithItselfIsZero) {
  const auto [first, second] = Worlds{.shared = 0.3, .own = 0.1}.draw(1);
  const auto same = compare_law_numbers(side(first, 1), side(first, 1), Comparison::difference, 0.95, 50);
  EXPECT_EQ(same->estimate, 0);
  EXPECT_EQ(same->low, 0);
  EXPECT_EQ(same->high, 0);
  const auto ratio = compare_law_numbers(side(second, 1), side(first, 1), Comparison::ratio, 0.95, 200);
  EXPECT_NEAR(ratio->estimate, 1 + kShift, 0.1);
  EXPECT_LT(ratio->low, ratio->estimate);
  EXPECT_GT(ratio->high, ratio->estimate);
  const auto constants = compare_law_numbers(side(first, 0), side(second, 0), Comparison::difference, 0.95, 50);
  const PowerLaw a = fit_power_law({"length", "dimension"}, first, 0.95, 50);
  const PowerLaw b = fit_power_law({"length", "dimension"}, second, 0.95, 50);
  EXPECT_NEAR(constants->estimate, a.constant.estimate - b.constant.estimate, 1e-9);
}

// A run without a time could have had any. Left out in silence, the slow runs of the largest sizes would bend the law.
TEST(LawDifference, RunsWithoutATimeWidenIntervals) {
  auto [first, second] = Worlds{.shared = 0, .own = 0.05}.draw(2);
  const std::vector<std::string> names = {"length", "dimension"};
  const PowerLaw whole = fit_power_law(names, first, 0.95, 200);
  EXPECT_FALSE(whole.exponents[0].exponent.seen);
  for (size_t i = 0; i < first.size(); ++i)
    if (first[i].terms[0] == 1024 && i % 3 == 0) first[i].time = {std::nullopt, false, i % 2 == 0};
  const PowerLaw law = fit_power_law(names, first, 0.95, 200);
  EXPECT_EQ(law.used, law.runs - 3);
  ASSERT_TRUE(law.exponents[0].exponent.seen);
  const LawNumber& exponent = law.exponents[0].exponent;
  EXPECT_LT(exponent.low, exponent.seen->low - 0.1) << "they may have been quick";
  EXPECT_GT(exponent.high, exponent.seen->high) << "or slow";
  // What they would be if all of them were slow, or quick, is held.
  for (const double time : {70.0, 200.0, 1024.0}) {
    std::vector<LawRun> filled = first;
    for (LawRun& run : filled)
      if (!run.time.value) run.time = {time};
    const Interval possible = fit_power_law(names, filled, 0.95, 200).exponents[0].exponent;
    EXPECT_GE(possible.estimate, exponent.low);
    EXPECT_LE(possible.estimate, exponent.high);
  }
  const auto joint = compare_law_numbers(side(first, 1), side(second, 1), Comparison::difference, 0.95, 200);
  ASSERT_TRUE(joint->seen);
  EXPECT_LT(joint->low, joint->seen->low);
}

// Nor does it move the cells of the runs behind it.
TEST(LawDifference, ARunWithoutATimeLeavesOtherCellsAlone) {
  const auto [first, second] = Worlds{.shared = 0.3, .own = 0.1}.draw(3);
  std::vector<LawRun> more = first;
  more.insert(more.begin(), LawRun{{kLengths[0], kDimensions[0]}, {std::nullopt, false, false}, 0});
  const auto plain = compare_law_numbers(side(first, 1), side(second, 1), Comparison::difference, 0.95, 200);
  const auto joint = compare_law_numbers(side(more, 1), side(second, 1), Comparison::difference, 0.95, 200);
  EXPECT_DOUBLE_EQ(joint->estimate, plain->estimate);
  EXPECT_FALSE(plain->seen) << "nothing is missing";
  ASSERT_TRUE(joint->seen);
  EXPECT_DOUBLE_EQ(joint->seen->low, plain->low);
  EXPECT_DOUBLE_EQ(joint->seen->high, plain->high);
  const std::vector<LawRun> none = {more.front()};
  EXPECT_FALSE(compare_law_numbers(side(none, 1), side(second, 1), Comparison::difference, 0.95, 200));
}

}  // namespace
}  // namespace atto::law_difference_test

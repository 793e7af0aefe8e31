// Pairs of quantities: known answers, what is missing or censored, and simulations in which the truth is known.
#include "phenomena/outcomes/pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

namespace atto::pairs_test {
namespace {

PairedOutcomes cell_of(const std::vector<double>& first, const std::vector<double>& second) {
  PairedOutcomes cell;
  for (const double one : first) cell.first.push_back({one});
  for (const double one : second) cell.second.push_back({one});
  return cell;
}

TEST(Correlation, OfOneCellIsSpearmansRho) {
  const Estimate found = summarise_correlation(
      {cell_of({86, 97, 99, 100, 101, 103, 106, 110, 112, 113}, {2, 20, 28, 27, 50, 29, 7, 17, 6, 12})});
  EXPECT_NEAR(found.value, -29.0 / 165, 1e-12);
  EXPECT_LT(found.low, found.value);
  EXPECT_GT(found.high, found.value);
  EXPECT_EQ(found.seeds, 10);
  EXPECT_EQ(found.obstacle, "");
  EXPECT_EQ(found.remark, "");
}

// Within each cell the two fall together; from cell to cell both rise. Pooled, they would seem to go together.
TEST(Correlation, IsTakenWithinCells) {
  std::vector<PairedOutcomes> cells;
  for (const double level : {0.0, 100.0, 200.0, 300.0})
    cells.push_back(cell_of({level + 1, level + 2, level + 3, level + 4, level + 5, level + 6},
                            {level + 6, level + 5, level + 4, level + 3, level + 2, level + 1}));
  const Estimate found = summarise_correlation(cells);
  EXPECT_EQ(found.value, -1);
  EXPECT_EQ(found.low, -1) << "the truth may be perfect";
  EXPECT_LT(found.high, -0.5);
}

// What a run lacks could be anything: the interval holds every completion, and the run is counted.
TEST(Correlation, TakesRunsWithoutBothAsAnything) {
  PairedOutcomes cell = cell_of({1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 8, 7});
  const Estimate known = summarise_correlation({cell});
  cell.first.push_back({});
  cell.second.push_back({0.5});
  cell.first.push_back({std::nullopt, false, true});
  cell.second.push_back({std::nullopt, false, true});
  const Estimate found = summarise_correlation({cell});
  EXPECT_NEAR(found.value, 1 - 6 * 2.0 / (8 * 63), 1e-12) << "of the runs that have both";
  EXPECT_EQ(found.seeds, 10);
  EXPECT_EQ(found.missing, 1);
  EXPECT_EQ(found.diverged, 1);
  // Were the missing ones as far off as can be, rho would be low.
  const Estimate worst =
      summarise_correlation({cell_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 0}, {2, 3, 4, 5, 6, 7, 9, 8, 1, 10})});
  EXPECT_LT(worst.value, 0.1);
  EXPECT_LT(worst.low, known.low);
  EXPECT_LE(found.low, worst.low);
  const Estimate best =
      summarise_correlation({cell_of({1, 2, 3, 4, 5, 6, 7, 8, 0, 10}, {2, 3, 4, 5, 6, 7, 9, 8, 1, 10})});
  EXPECT_GE(found.high, best.high);
}

// A censored run may come before one that was seen later: runs need not end at the same step.
TEST(Correlation, OfACensoredRunMayBeAnywhereBehindItsEnd) {
  PairedOutcomes cell = cell_of({1, 2, 3, 4, 5, 6, 7, 2.5}, {1, 2, 3, 4, 5, 6, 7, 2.5});
  cell.first.back().censored = true;
  const Estimate early = summarise_correlation({cell_of({1, 2, 3, 4, 5, 6, 7, 2.6}, {1, 2, 3, 4, 5, 6, 7, 2.5})});
  EXPECT_GE(summarise_correlation({cell}).high, early.high);
}

TEST(Correlation, SaysWhyThereIsNone) {
  EXPECT_EQ(summarise_correlation({}).obstacle, "there are no runs");
  EXPECT_NE(summarise_correlation({cell_of({1, 2, 3, 4, 5}, {1, 2, 3, 4, 5})}).obstacle.find("5 of 5 runs"),
            std::string::npos);
  const Estimate constant = summarise_correlation({cell_of({1, 2, 3, 4, 5, 6}, {7, 7, 7, 7, 7, 7})});
  EXPECT_EQ(constant.obstacle, "in no cell do both quantities vary over enough runs");
  const Estimate partly = summarise_correlation(
      {cell_of({1, 2, 3, 4, 5, 6}, {7, 7, 7, 7, 7, 7}), cell_of({1, 2, 3, 4, 5, 6}, {2, 1, 3, 4, 6, 5})});
  EXPECT_EQ(partly.obstacle, "");
  EXPECT_TRUE(partly.remark.starts_with("1 of 2 cells left out")) << partly.remark;
}

// What the censored runs would have given is anything behind the last seen: the interval holds both extremes.
TEST(Correlation, OfCensoredRunsIsBoundedByTheirOrders) {
  PairedOutcomes cell = cell_of({1, 2, 3, 4, 9, 9, 9, 9}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Estimate known = summarise_correlation({cell});
  for (size_t i = 4; i < 8; ++i) cell.first[i].censored = true;
  const Estimate found = summarise_correlation({cell});
  EXPECT_EQ(found.censored, 4);
  EXPECT_EQ(found.value, known.value) << "ties at the end";
  const Estimate best = summarise_correlation({cell_of({1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 8})});
  const Estimate worst = summarise_correlation({cell_of({1, 2, 3, 4, 8, 7, 6, 5}, {1, 2, 3, 4, 5, 6, 7, 8})});
  EXPECT_EQ(found.high, best.high);
  EXPECT_LE(found.low, worst.low);
  EXPECT_GT(found.low, worst.low - 0.1);
}

// The orders that bound the correlation are the extreme ones: every other order of the censored runs lies between.
TEST(Correlation, NoOrderOfCensoredRunsLiesOutside) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 50; ++trial) {
    PairedOutcomes cell;
    for (int i = 0; i < 7; ++i) {
      cell.first.push_back({static_cast<double>(random() % 1000), random() % 3 == 0});
      cell.second.push_back({static_cast<double>(random() % 1000), random() % 3 == 0});
    }
    const Estimate found = summarise_correlation({cell});
    if (!found.obstacle.empty()) continue;
    for (int order = 0; order < 50; ++order) {
      PairedOutcomes known = cell;
      for (Outcomes* side : {&known.first, &known.second})
        for (Outcome& one : *side)
          if (one.censored) one = {1000 + static_cast<double>(random() % 100000), false};
      const Estimate possible = summarise_correlation({known});
      EXPECT_GE(possible.value, found.low);
      EXPECT_LE(possible.value, found.high);
    }
  }
}

TEST(Coincidence, OfTheSameEventIsOneLessWhatShufflingGives) {
  const std::vector<double> steps = {100, 200, 400, 800, 1600, 3200};
  const Estimate same = summarise_coincidence({cell_of(steps, steps)}, 0.1);
  EXPECT_EQ(same.value, 1) << "no two runs are near each other";
  EXPECT_LT(same.low, 0.7) << "six runs show no more than Wilson's interval allows";
  EXPECT_EQ(same.remark, "the two coincide in 6 of 6 runs, and would in 0 % with shuffled partners");
  const Estimate wide = summarise_coincidence({cell_of(steps, steps)}, 1);  // neighbours reach each other
  EXPECT_NEAR(wide.value, 1 - 10.0 / 30, 1e-12);
}

// Events that all fall on the same step coincide with any partner: no more often than shuffled ones.
TEST(Coincidence, ByChanceIsZero) {
  const std::vector<double> same(12, 500.0);
  const Estimate found = summarise_coincidence({cell_of(same, same)}, 0.05);
  EXPECT_EQ(found.value, 0);
  EXPECT_LE(found.low, 0);
  EXPECT_GE(found.high, 0);
}

// Where all shuffled pairs coincide, or none, their share is not known exactly: the runs may just have been like that.
TEST(Coincidence, WithoutAnyShuffledOneOrWithAllOfThemIsNotCertain) {
  const std::vector<double> same(8, 100.0);
  EXPECT_GT(summarise_coincidence({cell_of(same, same)}, 0.05).high, 0.1) << "some runs may be elsewhere, together";
  std::vector<double> first, second;
  for (int run = 0; run < 16; ++run) {
    first.push_back(std::pow(10.0, run));
    second.push_back(run == 0 ? 1.0 : 3 * std::pow(10.0, run + 20));
  }
  const Estimate one = summarise_coincidence({cell_of(first, second)}, 0.05);
  EXPECT_NEAR(one.value, 1.0 / 16, 1e-12);
  EXPECT_LT(one.low, 0) << "one of sixteen is no more than chance gives now and then";
}

TEST(Coincidence, ComparesRunsOfOneCellOnly) {
  // In each cell every run has its events at the same two steps, far apart; across cells they would meet.
  const Estimate found = summarise_coincidence(
      {cell_of({100, 100, 100, 100}, {900, 900, 900, 900}), cell_of({900, 900, 900, 900}, {100, 100, 100, 100})}, 0.1);
  EXPECT_EQ(found.value, 0);
}

// Cells share their seeds: four with the same luck tell as much as one of them.
TEST(Coincidence, OfCellsWithTheSameLuckIsNoSurerThanOfOne) {
  const PairedOutcomes cell = cell_of({100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 51200},
                                      {100, 200, 400, 800, 1600, 3200, 6400, 100, 200, 400});
  const Estimate one = summarise_coincidence({cell}, 0.1), four = summarise_coincidence({cell, cell, cell, cell}, 0.1);
  EXPECT_DOUBLE_EQ(four.value, one.value);
  EXPECT_DOUBLE_EQ(four.low, one.low);
  EXPECT_DOUBLE_EQ(four.high, one.high);
}

TEST(Coincidence, CountsWhatARunExcludesAndLeavesOpenWhatItDoesNot) {
  const std::vector<double> steps = {100, 200, 400, 800, 1600, 3200, 6400, 10000};
  PairedOutcomes cell = cell_of(steps, steps);
  const Estimate all = summarise_coincidence({cell}, 0.1);
  cell.second[0] = {10000, true};  // the first event was long ago: they do not coincide
  const Estimate excluded = summarise_coincidence({cell}, 0.1);
  EXPECT_EQ(excluded.censored, 1);
  EXPECT_NEAR(excluded.value, all.value - 1.0 / 8, 1e-12);
  PairedOutcomes open = cell_of(steps, steps);
  open.second[7] = {10000, true};  // it may yet come within a tenth of its partner
  const Estimate unknown = summarise_coincidence({open}, 0.1);
  EXPECT_NEAR(unknown.value, all.value - 1.0 / 8, 1e-12) << "counted as no";
  EXPECT_GE(unknown.high, all.high) << "but it may be yes";
}

// Events that are missing in some runs may have come together there, or not.
TEST(Coincidence, TakesRunsWithoutBothAsAnything) {
  const std::vector<double> steps = {100, 200, 400, 800, 1600, 3200, 6400, 10000};
  PairedOutcomes cell = cell_of(steps, steps);
  const Estimate known = summarise_coincidence({cell}, 0.1);
  for (int i = 0; i < 2; ++i) {
    cell.first.push_back({});
    cell.second.push_back({500});
  }
  const Estimate found = summarise_coincidence({cell}, 0.1);
  EXPECT_EQ(found.value, known.value) << "of the runs that have both";
  EXPECT_EQ(found.missing, 2);
  // As if they did not coincide but others' events did with theirs; and as if they did.
  std::vector<double> first = steps, second = steps;
  first.insert(first.end(), {1e6, 1e7});
  second.insert(second.end(), {500, 500});
  const Estimate apart = summarise_coincidence({cell_of(first, second)}, 0.1);
  EXPECT_LT(found.low, apart.low);
  EXPECT_LT(found.low, known.low - 0.1);
  first[8] = first[9] = 500;
  EXPECT_GE(found.high, summarise_coincidence({cell_of(first, second)}, 0.1).high);
}

// Every way to fill in what is unknown has an interval within the one that is given.
TEST(Coincidence, NoCompletionLiesOutside) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 40; ++trial) {
    PairedOutcomes cell;
    for (int i = 0; i < 10; ++i)
      for (Outcomes* side : {&cell.first, &cell.second}) {
        const double step = 100 * std::pow(1.3, static_cast<double>(random() % 6));
        side->push_back(random() % 6 == 0 ? Outcome{} : Outcome{step, random() % 6 == 0});
      }
    const Estimate found = summarise_coincidence({cell}, 0.2);
    if (!found.obstacle.empty()) continue;
    for (int way = 0; way < 40; ++way) {
      PairedOutcomes full = cell;
      for (Outcomes* side : {&full.first, &full.second})
        for (Outcome& one : *side) {
          const double step = 100 * std::pow(1.3, static_cast<double>(random() % 7));
          if (!one.exists()) one = {step};
          else if (one.censored) one = {*one.value * (1.01 + static_cast<double>(random() % 3) / 4)};
        }
      const Estimate possible = summarise_coincidence({full}, 0.2);
      EXPECT_GE(possible.low, found.low - 1e-12);
      EXPECT_LE(possible.high, found.high + 1e-12);
    }
  }
}

TEST(Coincidence, SaysWhyThereIsNone) {
  PairedOutcomes cell = cell_of({1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 4, 5, 6, 7});
  for (size_t i = 0; i < 3; ++i) cell.second[i].value.reset();
  const Estimate found = summarise_coincidence({cell}, 0.1);
  EXPECT_NE(found.obstacle.find("4 of 7 runs have both"), std::string::npos) << found.obstacle;
  EXPECT_EQ(found.missing, 3);
  const PairedOutcomes two = cell_of({1, 2}, {1, 2});
  EXPECT_NE(summarise_coincidence({two, two, two}, 0.1).obstacle.find("to shuffle"), std::string::npos);
}

// ---- Simulations: 95 % intervals hold the truth in at least 95 %, up to the noise of so many trials.

using Draw = std::function<std::pair<double, double>(std::mt19937_64&)>;

PairedOutcomes simulated(const Draw& draw, int runs, std::mt19937_64& random) {
  PairedOutcomes cell;
  for (int run = 0; run < runs; ++run) {
    const auto [a, b] = draw(random);
    cell.first.push_back({a});
    cell.second.push_back({b});
  }
  return cell;
}

double coverage(const Draw& draw, int cells, int runs, double truth,
                const std::function<Estimate(const std::vector<PairedOutcomes>&)>& summary) {
  constexpr int kTrials = 400;
  std::mt19937_64 random(11);
  int held = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<PairedOutcomes> all;
    for (int c = 0; c < cells; ++c) all.push_back(simulated(draw, runs, random));
    const Estimate found = summary(all);
    EXPECT_EQ(found.obstacle, "");
    held += found.low <= truth && truth <= found.high;
  }
  return static_cast<double>(held) / kTrials;
}
constexpr double kNoise = 0.022;  // two deviations of the share held, √(0.05 · 0.95 / 400)

TEST(Correlation, IntervalsCoverTheTruth) {
  for (const double r : {0.0, 0.6, 0.8, 0.95})
    for (const auto& [cells, runs] : {std::pair{1, 8}, {1, 32}, {8, 8}, {16, 16}}) {
      const Draw normal = [r](std::mt19937_64& random) {
        std::normal_distribution<double> standard;
        const double x = standard(random);
        return std::pair{std::exp(x), r * x + std::sqrt(1 - r * r) * standard(random)};
      };
      const double rho = 6 / std::numbers::pi * std::asin(r / 2);  // the population's Spearman correlation
      EXPECT_GE(coverage(normal, cells, runs, rho, [](const auto& all) { return summarise_correlation(all); }),
                0.95 - kNoise)
          << r << ", " << cells << " cells of " << runs;
    }
}

TEST(Coincidence, IntervalsCoverTheTruth) {
  constexpr double kWithin = 0.1;
  const auto step = [](std::mt19937_64& random, double deviation) {
    return std::exp(6 + deviation * std::normal_distribution<double>()(random));
  };
  const auto coin = [](std::mt19937_64& random) { return std::uniform_real_distribution<double>()(random) < 0.5; };
  const std::vector<std::pair<std::string, Draw>> worlds = {
      {"independent",
       [=](auto& random) {
         return std::pair{step(random, 0.5), step(random, 0.5)};
       }},
      {"crowded",
       [=](auto& random) {
         return std::pair{step(random, 0.05), step(random, 0.05)};
       }},
      {"together",
       [=](auto& random) {
         const double a = step(random, 0.5);
         return std::pair{a, a * std::exp(0.02 * std::normal_distribution<double>()(random))};
       }},
      {"half",
       [=](auto& random) {
         const double a = step(random, 0.3);
         return std::pair{a, coin(random) ? a : step(random, 0.3)};
       }},
      {"two clusters", [=](auto& random) {
         const double a = coin(random) ? 100 : 1000;
         return std::pair{a, coin(random) ? a : (coin(random) ? 100 : 1000)};
       }}};
  for (const auto& [name, draw] : worlds) {
    std::mt19937_64 random(3);
    double truth = 0;
    for (int i = 0; i < 10; ++i) truth += summarise_coincidence({simulated(draw, 1000, random)}, kWithin).value / 10;
    for (const auto& [cells, runs] : {std::pair{1, 8}, {1, 32}, {4, 8}})
      EXPECT_GE(coverage(draw, cells, runs, truth, [](const auto& all) { return summarise_coincidence(all, kWithin); }),
                0.95 - kNoise)
          << name << ", " << cells << " cells of " << runs;
  }
}

}  // namespace
}  // namespace atto::pairs_test

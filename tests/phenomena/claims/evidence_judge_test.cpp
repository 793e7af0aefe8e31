// Pairs, conditions, several cells, open regions, and what a verdict says beyond its interval.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "math/paired_shares.h"
#include "phenomena/claims/family.h"
#include "phenomena/claims/verdict.h"

namespace atto {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Claim about(Statistic statistic, double low, double high) {
  Claim made;
  made.id = "test";
  made.statistic = statistic;
  made.low = low;
  made.high = high;
  return made;
}

Claim compared(Statistic statistic, Comparison compare, double low, double high) {
  Claim made = about(statistic, low, high);
  made.against = CellFilter{};
  made.compare = compare;
  return made;
}

RunAnswers exact(const std::vector<double>& numbers) {
  RunAnswers answers;
  for (const double number : numbers) answers.push_back(Answer::exactly(number));
  return answers;
}

Outcome yes_no(bool yes) { return {yes ? 1.0 : 0.0}; }

RunAnswers answers_of(const Outcomes& outcomes) { return number_answers(outcomes); }

CellEvidence alone(RunAnswers answers, const std::string& name = "cell") { return {name, std::move(answers), {}}; }
CellEvidence pair_of(RunAnswers first, RunAnswers second) {
  return {"cell", std::move(first), std::move(second), true, true};
}

std::vector<double> counting(int from, int to) {
  std::vector<double> numbers;
  for (int i = from; i <= to; ++i) numbers.push_back(i);
  return numbers;
}

TEST(Answers, AreBoundsOverWhatIsNotKnown) {
  EXPECT_EQ(number_answer({5.0}).low, 5);
  EXPECT_EQ(number_answer({5.0}).high, 5);
  const Answer cut = number_answer({5.0, true});
  EXPECT_EQ(cut.low, 5);
  EXPECT_EQ(cut.high, kInf);
  EXPECT_EQ(cut.value, kInf);
  const Answer missing = number_answer({});
  EXPECT_EQ(missing.low, -kInf);
  EXPECT_EQ(missing.high, kInf);
  EXPECT_TRUE(missing.missing);
  EXPECT_FALSE(missing.value);
  EXPECT_TRUE(number_answer({std::nullopt, false, true}).diverged);
}

TEST(Answers, ByAStepIsKnownUnlessTheRunEndedBeforeIt) {
  EXPECT_EQ(by_answer({900.0}, 1000).low, 1);
  EXPECT_EQ(by_answer({1000.0}, 1000).low, 1);
  EXPECT_EQ(by_answer({1001.0}, 1000).high, 0);
  EXPECT_EQ(by_answer({3000.0, true}, 1000).high, 0) << "it was watched beyond step 1000";
  EXPECT_EQ(by_answer({1000.0, true}, 1000).high, 0);
  EXPECT_EQ(by_answer({500.0, true}, 1000).low, 0);
  EXPECT_EQ(by_answer({500.0, true}, 1000).high, 1) << "nobody knows";
  EXPECT_EQ(by_answer({std::nullopt, false, true}, 1000).high, 0) << "a diverged run has ended without it";
  EXPECT_EQ(by_answer({}, 1000).high, 1);
}

// Nothing is left to chance in such runs, so one of each side tells all.
TEST(ExactRuns, AreComparedAsTheClaimSays) {
  CellEvidence cell = pair_of(exact({12}), exact({3}));
  cell.exact = true;
  for (const auto& [compare, truth] : {std::pair(Comparison::ratio, 4.0), std::pair(Comparison::difference, 9.0)}) {
    const Verdict verdict = judge(compared(Statistic::median, compare, truth, truth), Evidence{{cell}, 0});
    EXPECT_EQ(verdict.kind, VerdictKind::supported);
    EXPECT_EQ(verdict.estimate, truth);
    EXPECT_EQ(verdict.low, truth);
    EXPECT_EQ(verdict.high, truth);
    EXPECT_EQ(verdict.seeds, 2);
  }
}

// Either of the two makes the answer what it is; a run that diverged is not counted as missing as well.
TEST(Answers, OfTwoRunsKeepWhatEitherLacks) {
  const Answer whole = Answer::exactly(10), cut = number_answer({5.0, true}), none = number_answer({});
  const Answer diverged = number_answer({std::nullopt, false, true});
  for (const auto& [a, b] : {std::pair(whole, cut), std::pair(cut, whole)})
    for (const Answer& one : {difference(a, b), ratio(a, b)}) {
      EXPECT_TRUE(one.censored);
      EXPECT_FALSE(one.diverged || one.missing);
    }
  for (const auto& [a, b] : {std::pair(whole, none), std::pair(none, whole)})
    for (const Answer& one : {difference(a, b), ratio(a, b)}) {
      EXPECT_TRUE(one.missing);
      EXPECT_FALSE(one.diverged || one.censored);
    }
  for (const auto& [a, b] : {std::pair(none, diverged), std::pair(diverged, none)})
    for (const Answer& one : {difference(a, b), ratio(a, b)}) {
      EXPECT_TRUE(one.diverged);
      EXPECT_FALSE(one.missing || one.censored);
    }
}

TEST(Answers, AreSubtractedAndDividedOverAllTheyAllow) {
  const Answer ten = Answer::exactly(10), cut = number_answer({5.0, true}), nothing = number_answer({});
  EXPECT_EQ(difference(ten, cut).low, -kInf);
  EXPECT_EQ(difference(ten, cut).high, 5);
  EXPECT_EQ(difference(cut, ten).low, -5);
  EXPECT_FALSE(difference(cut, cut).value) << "infinity less infinity";
  // A divisor that was cut off leaves an upper bound, and the run is not dropped.
  EXPECT_EQ(ratio(ten, cut).low, 0);
  EXPECT_EQ(ratio(ten, cut).high, 2);
  EXPECT_EQ(ratio(ten, cut).value, 0);
  EXPECT_EQ(ratio(cut, ten).low, 0.5);
  EXPECT_EQ(ratio(cut, ten).high, kInf);
  EXPECT_EQ(ratio(ten, nothing).low, 0);
  EXPECT_EQ(ratio(ten, nothing).high, kInf);
  EXPECT_TRUE(ratio(ten, Answer::exactly(0)).missing);
  EXPECT_EQ(ratio(Answer::exactly(-4), Answer::exactly(2)).low, -2);
}

TEST(JudgeEvidence, RunsWithoutAValueWidenAMedian) {
  Outcomes outcomes;
  for (int i = 1; i <= 20; ++i) outcomes.push_back({static_cast<double>(i)});
  const Claim claim = about(Statistic::median, 5, 16);
  EXPECT_EQ(judge(claim, outcomes).kind, VerdictKind::supported);  // [6, 15]
  for (int i = 0; i < 6; ++i) outcomes.push_back({});
  const Verdict open = judge(claim, outcomes);
  EXPECT_EQ(open.kind, VerdictKind::inconclusive);
  EXPECT_EQ(open.low, 2) << "six of them may lie below";
  EXPECT_EQ(open.high, 19);
  EXPECT_EQ(open.missing, 6);
  // As many as decide the middle leave everything open.
  for (int i = 0; i < 20; ++i) outcomes.push_back({std::nullopt, false, true});
  EXPECT_EQ(judge(claim, outcomes).low, -kInf);
  EXPECT_EQ(judge(claim, outcomes).high, kInf);
}

TEST(JudgeEvidence, PairsCancelWhatBothRunsShare) {
  std::mt19937_64 generator(7);
  std::normal_distribution<double> start(1000, 300), effect(20, 10);
  std::vector<double> first(32), second(32);
  for (size_t i = 0; i < first.size(); ++i) {
    second[i] = start(generator);
    first[i] = second[i] + effect(generator);
  }
  Claim more = compared(Statistic::median, Comparison::difference, 0, kInf);
  more.low_open = true;
  const Verdict paired = judge(more, Evidence{{pair_of(exact(first), exact(second))}, 0});
  EXPECT_EQ(paired.kind, VerdictKind::supported);
  EXPECT_TRUE(paired.paired);
  EXPECT_NEAR(*paired.estimate, 20, 6);
  EXPECT_EQ(paired.seeds, 64);
  CellEvidence wholes = pair_of(exact(first), exact(second));
  wholes.paired = false;
  EXPECT_EQ(judge(more, Evidence{{wholes}, 0}).kind, VerdictKind::inconclusive);
}

TEST(JudgeEvidence, PairedRatesAgreeWithMcNemar) {
  // 6 runs show it only in the first, none only in the second: p = 0.031.
  std::vector<double> first(20, 1), second(20, 1);
  for (size_t i = 0; i < 6; ++i) second[i] = 0;
  Claim more = compared(Statistic::rate, Comparison::difference, 0, kInf);
  more.low_open = true;
  EXPECT_LT(mcnemar_p(6, 0), 0.05);
  EXPECT_EQ(judge(more, Evidence{{pair_of(exact(first), exact(second))}, 0}).kind, VerdictKind::supported);
  second[0] = 1;  // 5 against 0: p = 0.0625
  EXPECT_EQ(judge(more, Evidence{{pair_of(exact(first), exact(second))}, 0}).kind, VerdictKind::inconclusive);
}

TEST(JudgeEvidence, ATieIsNeitherMoreNorFewer) {
  const RunAnswers same = exact(counting(1, 20));
  Claim more = compared(Statistic::median, Comparison::difference, 0, kInf);
  EXPECT_EQ(judge(more, Evidence{{pair_of(same, same)}, 0}).kind, VerdictKind::supported) << "a closed region at 0";
  more.low_open = true;
  EXPECT_EQ(judge(more, Evidence{{pair_of(same, same)}, 0}).kind, VerdictKind::refuted);
  Claim fewer = compared(Statistic::median, Comparison::difference, -kInf, 0);
  fewer.high_open = true;
  EXPECT_EQ(judge(fewer, Evidence{{pair_of(same, same)}, 0}).kind, VerdictKind::refuted);
}

TEST(JudgeEvidence, InEveryCellMeansTheLeastFavourableOne) {
  const auto cells = [](std::vector<int> starts) {
    Evidence evidence;
    for (const int start : starts)
      evidence.cells.push_back(alone(exact(counting(start, start + 19)), "from " + std::to_string(start)));
    return evidence;
  };
  const Claim claim = about(Statistic::median, 0, 40);
  EXPECT_EQ(judge(claim, cells({1, 2, 3})).kind, VerdictKind::supported);
  const Verdict one_far = judge(claim, cells({1, 2, 100}));
  EXPECT_EQ(one_far.kind, VerdictKind::refuted);
  EXPECT_NE(one_far.note.find("from 100"), std::string::npos) << one_far.note;
  EXPECT_EQ(one_far.seeds, 60);
  EXPECT_EQ(one_far.cells, 3);
  EXPECT_EQ(judge(claim, cells({1, 2, 30})).kind, VerdictKind::inconclusive);
  // Pooled, 40 runs far inside would have drowned 20 outside: their median is 21.
  EXPECT_EQ(judge(claim, cells({1, 2, 50})).kind, VerdictKind::refuted);
}

TEST(JudgeEvidence, RefutingOneOfManyCellsSharesTheError) {
  // One of 40 cells lies just outside at 95 %: by chance alone that would happen in one of 40.
  Evidence evidence;
  for (int i = 0; i < 39; ++i) evidence.cells.push_back(alone(exact(std::vector<double>(6, 1.0))));
  evidence.cells.push_back(alone(exact({-1, -2, -3, -4, -5, -6}), "the odd one"));
  EXPECT_EQ(judge(about(Statistic::median, 0, 2), {{evidence.cells.back()}, 0}).kind, VerdictKind::refuted);
  EXPECT_EQ(judge(about(Statistic::median, 0, 2), evidence).kind, VerdictKind::inconclusive);
}

TEST(JudgeEvidence, OverCellsEachCellCountsOnce) {
  // Runs of a cell agree almost exactly and cells differ: 8 cells of 32 runs are 8 values, not 256.
  Evidence evidence;
  for (int cell = 1; cell <= 8; ++cell) {
    std::vector<double> runs;
    for (int i = 0; i < 32; ++i) runs.push_back(cell + 1e-3 * i);
    evidence.cells.push_back(alone(exact(runs)));
  }
  Claim claim = about(Statistic::median, 3, 6);
  claim.pool = Pool::cells;
  const Verdict verdict = judge(claim, evidence);
  EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
  EXPECT_NEAR(*verdict.low, 1, 0.1);
  EXPECT_NEAR(*verdict.high, 8, 0.1);
  evidence.cells.resize(4);
  EXPECT_NE(judge(claim, evidence).note.find("at least 6 of them with a value; there are 4"), std::string::npos);
}

TEST(JudgeEvidence, OverCellsFewRunsOfACellAreEnough) {
  // Three runs have no interval of their own, but their median is the value of the cell.
  Evidence evidence;
  for (int cell = 1; cell <= 8; ++cell) evidence.cells.push_back(alone(exact({cell - 0.1, cell + 0.0, cell + 0.2})));
  Claim claim = about(Statistic::median, 0.5, 8.5);
  claim.pool = Pool::cells;
  const Verdict verdict = judge(claim, evidence);
  EXPECT_EQ(verdict.kind, VerdictKind::supported);
  EXPECT_EQ(*verdict.low, 1);
  EXPECT_EQ(*verdict.high, 8);
  // Where one of the three is not known, they say nothing.
  for (CellEvidence& cell : evidence.cells) cell.first.back() = Answer{};
  EXPECT_NE(judge(claim, evidence).note.find("there are 0"), std::string::npos);
}

// Nine cells that all have the luck of their seeds: nearly the same number in each, and all of them wrong together.
Evidence cells_with_shared_luck(const std::vector<double>& luck, int cells = 9) {
  Evidence evidence;
  for (int cell = 0; cell < cells; ++cell) {
    CellEvidence one = alone(exact(luck));
    for (Answer& answer : one.first) answer = Answer::exactly(*answer.value + 1e-3 * cell);
    for (int64_t seed = 0; seed < std::ssize(luck); ++seed) one.first_seeds.push_back(seed);
    evidence.cells.push_back(std::move(one));
  }
  return evidence;
}

TEST(JudgeEvidence, OverCellsTheLuckOfSeedsIsNotAveragedOut) {
  Claim claim = about(Statistic::median, 10, 11.5);
  claim.pool = Pool::cells;
  Evidence evidence = cells_with_shared_luck(counting(1, 20));
  const Verdict known = judge(claim, evidence);
  EXPECT_EQ(known.kind, VerdictKind::inconclusive);
  EXPECT_NEAR(*known.estimate, 10.504, 1e-9);
  // The standard error of the median of 20 evenly spaced values is about √20/2 = 2.2, and 2.09 of it are 95 %.
  EXPECT_NEAR(*known.low, 10.5 - 2.09 * 2.2, 1.5);
  EXPECT_NEAR(*known.high, 10.5 + 2.09 * 2.2, 1.5);
  // Without the seeds nobody knows what cells have in common.
  for (CellEvidence& one : evidence.cells) one.first_seeds.clear();
  const Verdict unknown = judge(claim, evidence);
  EXPECT_EQ(unknown.kind, VerdictKind::supported);
  EXPECT_LT(*unknown.high - *unknown.low, 0.01);
}

// Seed by seed the difference is the same in all runs: luck that both cells of a pair have is none.
TEST(JudgeEvidence, OverCellsPairsCancelTheLuckOfSeeds) {
  Claim claim = compared(Statistic::median, Comparison::difference, 2.5, 3.5);
  claim.pool = Pool::cells;
  Evidence evidence = cells_with_shared_luck(counting(1, 20));
  for (CellEvidence& one : evidence.cells) {
    one.compared = one.paired = true;
    one.second = one.first;
    one.second_seeds = one.first_seeds;
    for (Answer& answer : one.first) answer = Answer::exactly(*answer.value + 3);
  }
  EXPECT_EQ(judge(claim, evidence).kind, VerdictKind::supported);
  for (CellEvidence& one : evidence.cells) one.paired = false;
  EXPECT_EQ(judge(claim, evidence).kind, VerdictKind::supported) << "drawn together, seeds cancel there, too";
  // Seeds of their own do not.
  for (CellEvidence& one : evidence.cells)
    for (int64_t& seed : one.second_seeds) seed += 20;
  EXPECT_EQ(judge(claim, evidence).kind, VerdictKind::inconclusive);
}

TEST(JudgeEvidence, OverCellsOneSeedSaysNothingOfItsLuck) {
  Claim claim = about(Statistic::median, 0, 20);
  claim.pool = Pool::cells;
  const Verdict verdict = judge(claim, cells_with_shared_luck({5}));
  EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
  EXPECT_EQ(*verdict.low, -kInf);
  EXPECT_EQ(*verdict.high, kInf);
}

TEST(JudgeEvidence, WhatNoSeedChangesNeedsNoSeeds) {
  Evidence evidence;
  for (const double value : {1.0, 2.0, 3.0}) {
    evidence.cells.push_back(alone(exact({value})));
    evidence.cells.back().exact = true;
  }
  EXPECT_EQ(judge(about(Statistic::median, 0.5, 3.5), evidence).kind, VerdictKind::supported);
  EXPECT_EQ(judge(about(Statistic::median, 0.5, 2.5), evidence).kind, VerdictKind::refuted);
}

TEST(CompleteVerdict, SaysHowSmallAnErrorStillDecides) {
  const Claim claim = about(Statistic::rate, 0.5, 1);
  const auto verdict = [&](int yes) {
    std::vector<double> runs(32, 0.0);
    std::fill_n(runs.begin(), yes, 1.0);
    return complete_verdict(claim, Evidence{{alone(exact(runs))}, 0});
  };
  EXPECT_LT(*verdict(32).error, 1e-7);
  const double error = *verdict(24).error;
  EXPECT_LT(error, 0.05);
  EXPECT_GT(error, 0.001);
  // By the exact interval: at such levels the tails of Wilson's are too short.
  EXPECT_GE(clopper_pearson(24, 32, 1 - 1.001 * error).low, 0.5);
  EXPECT_LT(clopper_pearson(24, 32, 1 - 0.999 * error).low, 0.5);
  EXPECT_FALSE(verdict(18).error);
  EXPECT_TRUE(verdict(24).anytime_low);
  EXPECT_LT(*verdict(24).anytime_low, *verdict(24).low);
}

// 22 of 32 is above one half by Wilson's interval alone: the exact error of the decision is larger than was asked for.
TEST(CompleteVerdict, HasALargerErrorWhereTheExactIntervalIsOpen) {
  std::vector<double> runs(32, 0.0);
  std::fill_n(runs.begin(), 22, 1.0);
  ASSERT_GT(wilson(22, 32).low, 0.5);
  ASSERT_LT(clopper_pearson(22, 32).low, 0.5);
  const Verdict verdict = complete_verdict(about(Statistic::rate, 0.5, 1), Evidence{{alone(exact(runs))}, 0});
  EXPECT_EQ(verdict.kind, VerdictKind::supported);
  EXPECT_GT(*verdict.error, 0.05);
  EXPECT_NEAR(clopper_pearson(22, 32, 1 - *verdict.error).low, 0.5, 1e-4);
  // One of 16 where at most one in a hundred was claimed: 15 % on one side alone.
  std::vector<double> one(16, 0.0);
  one[0] = 1;
  EXPECT_NEAR(*complete_verdict(about(Statistic::rate, 0.01, 1), Evidence{{alone(exact(one))}, 0}).error,
              2 * (1 - std::pow(0.99, 16)), 1e-3);
}

// Two of the 8! orders are perfect.
TEST(CompleteVerdict, AnOrderIsNoLessLikelyThanByChance) {
  Claim claim = about(Statistic::correlation, 0.1, 1);
  PairedOutcomes cell;
  for (const double one : counting(1, 8)) {
    cell.first.push_back({one});
    cell.second.push_back({one});
  }
  const Verdict verdict = complete_verdict(claim, PairedEvidence{{cell}, 0});
  ASSERT_EQ(verdict.kind, VerdictKind::supported);
  EXPECT_GE(*verdict.error, 2.0 / 40320);
}

// What is unknown of a divisor may be next to nothing, so that nothing bounds the ratio from above.
TEST(JudgeEvidence, UnknownDivisorsLeaveAnUnpairedRatioOpen) {
  Claim claim = compared(Statistic::median, Comparison::ratio, -kInf, 0.5);
  CellEvidence cell = alone(exact(std::vector<double>(14, 100.0)));
  cell.compared = true;
  cell.second = exact(std::vector<double>(7, 1.0));
  cell.second.resize(27);
  const Verdict verdict = judge(claim, Evidence{{cell}, 0});
  EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
  EXPECT_EQ(*verdict.high, kInf);
}

TEST(JudgeEvidence, AMeanOfEqualValuesHasNoInterval) {
  const Verdict verdict =
      judge(about(Statistic::mean, -1, 0.01), Evidence{{alone(exact(std::vector<double>(8, 0.0)))}, 0});
  EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
  EXPECT_NE(verdict.note.find("all values are the same"), std::string::npos);
}

TEST(JudgeEvidence, NoNumberIsNoVerdict) {
  const Region region{0, 1, false, false};
  const double nan = std::nan("");
  EXPECT_EQ(region.classify({nan, nan, nan}), VerdictKind::inconclusive);
  EXPECT_EQ(region.classify({2, 2, nan}), VerdictKind::inconclusive);
  const Answer unbounded = difference(Answer::exactly(kInf), Answer::exactly(kInf));
  EXPECT_EQ(unbounded.low, -kInf);
  EXPECT_EQ(unbounded.high, kInf);
}

// Seeds are of two kinds, and of the same kind in all cells: the median of the runs there are may be of either.
TEST(JudgeEvidence, OverCellsLuckOfTwoKindsReachesBoth) {
  Claim claim = about(Statistic::median, -1, 5);
  claim.pool = Pool::cells;
  std::vector<double> luck;
  for (int seed = 0; seed < 16; ++seed) luck.push_back((seed % 5 < 2 ? 10 : 0) + 0.01 * seed);
  const Verdict verdict = judge(claim, cells_with_shared_luck(luck, 12));
  EXPECT_LT(*verdict.estimate, 1);
  EXPECT_GT(*verdict.high, 9);
  EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
}

TEST(JudgeEvidence, OverCellsAShareOfAllRunsIsNoSurerThanACell) {
  Claim claim = about(Statistic::rate, 0.99, 1);
  claim.pool = Pool::cells;
  const Evidence evidence{std::vector<CellEvidence>(12, alone(exact(std::vector<double>(8, 1.0)))), 0};
  const Verdict verdict = judge(claim, evidence);
  EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
  EXPECT_NEAR(*verdict.low, wilson(8, 8).low, 1e-9);
}

// A third of the runs was cut off between the ends of the region: more runs like these would leave it open, too.
TEST(CompleteVerdict, AsksForNoSeedsWhereWhatIsUnknownKeepsItOpen) {
  Outcomes outcomes;
  for (int i = 0; i < 40; ++i) outcomes.push_back(yes_no(i % 4 != 0));
  for (int i = 0; i < 20; ++i) outcomes.push_back({});
  const auto verdict = [&](double low) {
    RunAnswers answers;
    for (const Outcome& one : outcomes) answers.push_back(yes_answer(one));
    return complete_verdict(about(Statistic::rate, low, 1), Evidence{{alone(std::move(answers))}, 0});
  };
  // Between 30 and 50 of 60 show it.
  const Verdict open = verdict(0.6);
  EXPECT_EQ(open.reason, OpenReason::unknown);
  EXPECT_FALSE(open.needed);
  // Below 30 of 60 seeds would do, and so many that the low end comes from its limit of 0.5 to 0.45.
  const Verdict few = verdict(0.45);
  EXPECT_EQ(few.reason, OpenReason::budget);
  ASSERT_TRUE(few.needed);
  EXPECT_NEAR(*few.needed, std::pow((0.5 - wilson(30, 60).low) / 0.05, 2), 0.1);
}

TEST(CompleteVerdict, SaysWhyAClaimIsOpen) {
  const auto reason = [](const Claim& claim, RunAnswers answers) {
    return complete_verdict(claim, Evidence{{alone(std::move(answers))}, 0}).reason;
  };
  EXPECT_EQ(reason(about(Statistic::median, 0, 5), exact(counting(1, 20))), OpenReason::none) << "refuted by [6, 15]";
  EXPECT_EQ(reason(about(Statistic::median, 0, 11), exact(counting(1, 20))), OpenReason::edge);
  EXPECT_EQ(reason(about(Statistic::median, 0, 14), exact(counting(1, 20))), OpenReason::budget);
  EXPECT_EQ(reason(about(Statistic::median, 0, 20), exact(counting(1, 20))), OpenReason::none);
  EXPECT_EQ(reason(about(Statistic::median, 0, 14), exact({1, 2})), OpenReason::few);
  Outcomes cut(20, Outcome{10.0, true});
  EXPECT_EQ(reason(about(Statistic::median, 0, 14), answers_of(cut)), OpenReason::cut_off);
  Outcomes one_cut(8, Outcome{10.0});
  one_cut.back() = Outcome{12.0, true};
  EXPECT_EQ(reason(about(Statistic::median, 0, 14), answers_of(one_cut)), OpenReason::cut_off);
  Outcomes lacking(20, Outcome{10.0});
  lacking.resize(40);
  EXPECT_EQ(reason(about(Statistic::median, 0, 14), answers_of(lacking)), OpenReason::unknown);
  // 0 of 32 has an upper end of 0.107: no outcome of 32 runs supports a rate below 0.1.
  EXPECT_EQ(reason(about(Statistic::rate, 0, 0.1), exact(std::vector<double>(32, 0.0))), OpenReason::undecidable);
  Claim close = about(Statistic::median, 0, 10);
  close.margin = 6;
  const Verdict settled = complete_verdict(close, Evidence{{alone(exact(counting(1, 20)))}, 0});
  EXPECT_EQ(settled.reason, OpenReason::edge) << "[6, 15] is within 6 of 10";
  EXPECT_TRUE(settled.within_margin);
  close.margin = 1;  // as near to the edge, but not shown to be: it may get more seeds
  const Verdict near = complete_verdict(close, Evidence{{alone(exact(counting(1, 20)))}, 0});
  EXPECT_EQ(near.reason, OpenReason::edge);
  EXPECT_FALSE(near.within_margin);
}

TEST(Family, HolmLetsStandWhatSurvivesAllLooks) {
  const auto family = [](std::vector<double> errors) {
    std::vector<Verdict> verdicts;
    for (const double error : errors) {
      Verdict one;
      one.kind = error < 1 ? VerdictKind::supported : VerdictKind::inconclusive;
      if (error < 1) one.error = error;
      verdicts.push_back(one);
    }
    std::vector<Verdict*> all;
    for (Verdict& one : verdicts) all.push_back(&one);
    adjust_family(all);
    std::vector<bool> stand;
    for (const Verdict& one : verdicts) stand.push_back(one.adjusted == VerdictKind::supported);
    return stand;
  };
  // 0.05 is shared by four, three, two, one.
  EXPECT_EQ(family({0.0124, 0.016, 0.024, 0.049}), (std::vector<bool>{true, true, true, true}));
  EXPECT_EQ(family({0.0124, 0.017, 0.02, 0.01}), (std::vector<bool>{true, true, true, true}));
  EXPECT_EQ(family({0.0126, 0.02, 0.03, 0.04}), (std::vector<bool>{false, false, false, false}));
  EXPECT_EQ(family({0.001, 0.03, 0.01, 1}), (std::vector<bool>{true, false, true, false}));
  EXPECT_TRUE(family({}).empty());
}

TEST(Deciding, UnderLooksTheIntervalThatHoldsAtAllOfThemIsShown) {
  const Claim most = about(Statistic::rate, 0.5, 1);
  std::vector<double> answers(250, 1);
  answers.resize(440, 0);
  const Evidence evidence{{alone(exact(answers))}, 0};
  const Verdict once = complete_verdict(most, evidence);
  EXPECT_EQ(once.kind, VerdictKind::supported);
  EXPECT_EQ(once.rests_on, RestsOn::ordinary);
  EXPECT_EQ(once.deciding_low(), once.low);
  const Verdict looked = complete_verdict(most, evidence, {.anytime = true, .look = 3, .looks = 5});
  EXPECT_EQ(looked.kind, VerdictKind::inconclusive);
  EXPECT_EQ(looked.rests_on, RestsOn::anytime);
  EXPECT_EQ(looked.low, once.low) << "the ordinary one stays beside it";
  EXPECT_LT(*looked.deciding_low(), 0.5) << "or the table would contradict its verdict";
}

TEST(Deciding, SomeStatisticsHaveNoIntervalForEveryLook) {
  EXPECT_TRUE(has_anytime_interval(about(Statistic::median, 0, 1), false));
  EXPECT_TRUE(has_anytime_interval(about(Statistic::rate, 0, 1), false));
  EXPECT_FALSE(has_anytime_interval(about(Statistic::mean, 0, 1), false));
  EXPECT_FALSE(has_anytime_interval(about(Statistic::fit, 0, 1), false));
  EXPECT_TRUE(has_anytime_interval(compared(Statistic::median, Comparison::ratio, 0, 1), true));
  EXPECT_FALSE(has_anytime_interval(compared(Statistic::median, Comparison::ratio, 0, 1), false));
  EXPECT_TRUE(has_anytime_interval(compared(Statistic::rate, Comparison::difference, 0, 1), true));
  EXPECT_FALSE(has_anytime_interval(compared(Statistic::rate, Comparison::ratio, 0, 1), true));
  const Evidence evidence{{alone(exact(counting(1, 20)))}, 0};
  const Verdict mean = complete_verdict(about(Statistic::mean, 0, 12), evidence, {.anytime = true, .looks = 3});
  EXPECT_EQ(mean.rests_on, RestsOn::planned);
}

TEST(Deciding, TooFewRunsForAnIntervalAreNoEdge) {
  const Evidence evidence{{alone(exact(counting(1, 8)))}, 0};
  const Verdict verdict = complete_verdict(about(Statistic::median, 0, kInf), evidence, {.anytime = true, .looks = 3});
  EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
  EXPECT_EQ(verdict.reason, OpenReason::budget);
  EXPECT_FALSE(verdict.needed);
}

TEST(Deciding, SaysHowManyRunsCouldWhereNoOutcomeOfTheseDoes) {
  const Verdict none =
      complete_verdict(about(Statistic::rate, 0, 0.1), {{alone(exact(std::vector<double>(32, 0)))}, 0});
  EXPECT_EQ(none.reason, OpenReason::undecidable);
  ASSERT_TRUE(none.enough);
  EXPECT_GT(*none.enough, 32);
  EXPECT_LE(*none.enough, 40);
}

}  // namespace
}  // namespace atto

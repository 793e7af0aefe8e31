#include "phenomena/claims/verdict.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/error.h"
#include "math/statistics.h"

namespace atto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Claim claim(Statistic statistic, double low, double high) {
  Claim made;
  made.id = "test";
  made.statistic = statistic;
  made.low = low;
  made.high = high;
  return made;
}

Claim comparison(Statistic statistic, Comparison compare, double low, double high) {
  Claim made = claim(statistic, low, high);
  made.against = CellFilter{};
  made.compare = compare;
  return made;
}

Outcomes values(const std::vector<double>& numbers) {
  Outcomes samples;
  for (const double number : numbers) samples.push_back({number});
  return samples;
}

Outcomes shows(int yes, int no, int diverged = 0) {
  Outcomes samples(static_cast<size_t>(yes), Outcome{1.0});
  samples.insert(samples.end(), static_cast<size_t>(no), Outcome{0.0});
  samples.insert(samples.end(), static_cast<size_t>(diverged), Outcome{std::nullopt, false, true});
  return samples;
}

std::vector<double> one_to(int n) {
  std::vector<double> numbers;
  for (int i = 1; i <= n; ++i) numbers.push_back(i);
  return numbers;
}

TEST(Judge, PlacesTheWholeIntervalAgainstTheRegion) {
  // Of 1..20 the 95 % interval of the median is [6, 15]; the region includes its ends.
  const auto verdict = [](double low, double high) {
    return judge(claim(Statistic::median, low, high), values(one_to(20))).kind;
  };
  EXPECT_EQ(verdict(6, 15), VerdictKind::supported);
  EXPECT_EQ(verdict(6.001, 15), VerdictKind::inconclusive);
  EXPECT_EQ(verdict(6, 14.999), VerdictKind::inconclusive);
  EXPECT_EQ(verdict(15, 30), VerdictKind::inconclusive);  // touches in one point
  EXPECT_EQ(verdict(15.001, 30), VerdictKind::refuted);
  EXPECT_EQ(verdict(0, 6), VerdictKind::inconclusive);
  EXPECT_EQ(verdict(0, 5.999), VerdictKind::refuted);
  EXPECT_EQ(verdict(10, 11), VerdictKind::inconclusive);  // the region lies inside the interval
  EXPECT_EQ(verdict(-kInfinity, 15), VerdictKind::supported);
  EXPECT_EQ(verdict(6, kInfinity), VerdictKind::supported);
  EXPECT_EQ(verdict(-kInfinity, kInfinity), VerdictKind::supported);
  EXPECT_EQ(verdict(-kInfinity, 5), VerdictKind::refuted);
}

TEST(Judge, ReportsEstimateAndInterval) {
  const Verdict verdict = judge(claim(Statistic::median, 0, 1), values(one_to(20)));
  EXPECT_EQ(verdict.estimate, 10.5);
  EXPECT_EQ(verdict.low, 6);
  EXPECT_EQ(verdict.high, 15);
  EXPECT_EQ(verdict.seeds, 20);
  EXPECT_TRUE(verdict.note.empty());
}

TEST(Judge, CountsEveryRunInARate) {
  // 30 of 32 show it: Wilson [0.799, 0.983].
  EXPECT_EQ(judge(claim(Statistic::rate, 0.79, 1), shows(30, 2)).kind, VerdictKind::supported);
  // The same 30 with two diverged instead: no better.
  const Verdict diverged = judge(claim(Statistic::rate, 0.79, 1), shows(30, 0, 2));
  EXPECT_EQ(diverged.estimate, 30.0 / 32);
  EXPECT_EQ(diverged.low, wilson(30, 32).low);
  EXPECT_EQ(diverged.seeds, 32);
  EXPECT_EQ(diverged.diverged, 2);
  EXPECT_EQ(diverged.missing, 0);
  EXPECT_EQ(judge(claim(Statistic::rate, 0.79, 1), shows(30, 0, 8)).kind, VerdictKind::inconclusive);
  EXPECT_EQ(judge(claim(Statistic::rate, 0.5, 1), shows(0, 0, 32)).kind, VerdictKind::refuted);
  // A run without the quantity may be either: it is in the denominator, and the upper end grants it.
  Outcomes lacking = shows(10, 0);
  lacking.resize(20);
  const Verdict unknown = judge(claim(Statistic::rate, 0, 1), lacking);
  EXPECT_EQ(unknown.estimate, 0.5);
  EXPECT_EQ(unknown.missing, 10);
  EXPECT_EQ(unknown.low, wilson(10, 20).low);
  EXPECT_EQ(unknown.high, 1);
}

// Twenty runs of 50 steps, of which `cut` ended before it came; the others took 1, 2, 3 ... steps.
Outcomes cut_off(size_t cut) {
  Outcomes samples = values(one_to(20));
  for (size_t i = 20 - cut; i < 20; ++i) samples[i] = {50.0, true};
  return samples;
}

TEST(Judge, CensoredValuesAreLaterThanAnySeen) {
  const Verdict few = judge(claim(Statistic::median, 0, 100), cut_off(4));
  EXPECT_EQ(few.kind, VerdictKind::supported);
  EXPECT_EQ(few.censored, 4);
  EXPECT_EQ(few.estimate, 10.5);
  EXPECT_EQ(few.high, 15);
  const Verdict open = judge(claim(Statistic::median, 0, 100), cut_off(8));
  EXPECT_EQ(open.low, 6);
  EXPECT_EQ(open.high, kInfinity);
  EXPECT_EQ(open.kind, VerdictKind::inconclusive);
  EXPECT_EQ(judge(claim(Statistic::median, 5, kInfinity), cut_off(8)).kind, VerdictKind::supported);
}

TEST(Judge, NothingIsRefutedBeyondTheEndOfTheRuns) {
  const Verdict all = judge(claim(Statistic::median, 0, 40), cut_off(20));
  EXPECT_EQ(all.kind, VerdictKind::refuted) << "it takes more than 50 steps";
  EXPECT_EQ(all.estimate, kInfinity);
  EXPECT_EQ(all.low, 50);
  EXPECT_EQ(judge(claim(Statistic::median, 0, 60), cut_off(20)).kind, VerdictKind::inconclusive) << "perhaps 55";
}

TEST(Judge, RunsThatEndedTooEarlyToTellDoNotRefuteARate) {
  Outcomes samples = shows(7, 25);
  EXPECT_EQ(judge(claim(Statistic::rate, 0.5, 1), samples).kind, VerdictKind::refuted);
  for (size_t i = 7; i < 18; ++i) samples[i].censored = true;
  const Verdict open = judge(claim(Statistic::rate, 0.5, 1), samples);
  EXPECT_EQ(open.kind, VerdictKind::inconclusive);
  EXPECT_EQ(open.low, wilson(7, 32).low);
  EXPECT_EQ(open.high, wilson(18, 32).high);
  // Among two groups they widen the side on which they could fall.
  const Outcomes second = shows(16, 16);
  const Verdict apart = judge(comparison(Statistic::rate, Comparison::difference, -1, 1), samples, second);
  EXPECT_EQ(apart.low, share_difference({7, 32}, {16, 32}).low);
  EXPECT_EQ(apart.high, share_difference({18, 32}, {16, 32}).high);
}

TEST(Judge, AMeanRefusesCensoredValues) {
  Outcomes samples = values(one_to(20));
  EXPECT_EQ(judge(claim(Statistic::mean, 5, 15), samples).kind, VerdictKind::supported);
  EXPECT_EQ(judge(claim(Statistic::mean, 20, 30), samples).kind, VerdictKind::refuted);
  EXPECT_EQ(judge(claim(Statistic::mean, 10, 30), samples).kind, VerdictKind::inconclusive);
  samples[0].censored = true;
  const Verdict verdict = judge(claim(Statistic::mean, 5, 15), samples);
  EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
  EXPECT_NE(verdict.note.find("censored"), std::string::npos);
  EXPECT_FALSE(verdict.estimate);
}

TEST(Judge, TooFewValuesAreInconclusiveWithANote) {
  for (const Statistic statistic : {Statistic::rate, Statistic::median, Statistic::mean}) {
    const Claim anything = claim(statistic, -kInfinity, kInfinity);
    const Verdict empty = judge(anything, Outcomes{});
    EXPECT_EQ(empty.kind, VerdictKind::inconclusive);
    EXPECT_EQ(empty.seeds, 0);
    EXPECT_EQ(empty.note, "there are no runs");
    const Verdict few = judge(anything, values({1, 1, 1, 1, 1}));
    EXPECT_EQ(few.kind, VerdictKind::inconclusive);
    EXPECT_EQ(few.note, "only 5 of 5 runs have a value; at least 6 are needed");
    EXPECT_EQ(judge(anything, values({1, 1, 1, 1, 1, 1})).kind, VerdictKind::supported);
  }
}

TEST(Judge, WithoutValuesAMedianSaysWhy) {
  const Verdict verdict = judge(claim(Statistic::median, 0, 1), shows(0, 0, 32));
  EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
  EXPECT_EQ(verdict.diverged, 32);
  EXPECT_EQ(verdict.missing, 0);
  EXPECT_FALSE(verdict.low);
  EXPECT_NE(verdict.note.find("only 0 of 32"), std::string::npos);
  Outcomes nan = values(one_to(8));
  nan[3].value = std::nan("");
  EXPECT_EQ(judge(claim(Statistic::median, 0, 10), nan).missing, 1);
}

TEST(Judge, ComparesTwoGroups) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> slow(300, 20), fast(100, 20);
  std::vector<double> a(32), b(24);
  for (double& value : a) value = slow(generator);
  for (double& value : b) value = fast(generator);
  for (const Statistic statistic : {Statistic::median, Statistic::mean}) {
    const auto ratio = [&](double low, double high) {
      return judge(comparison(statistic, Comparison::ratio, low, high), values(a), values(b));
    };
    EXPECT_EQ(ratio(2, 4).kind, VerdictKind::supported);
    EXPECT_EQ(ratio(0, 1).kind, VerdictKind::refuted);
    EXPECT_EQ(ratio(*ratio(2, 4).estimate, 9).kind, VerdictKind::inconclusive);
    EXPECT_EQ(ratio(2, 4).seeds, 56);
    EXPECT_NEAR(*ratio(2, 4).estimate, 3, 0.3);
    const Verdict difference = judge(comparison(statistic, Comparison::difference, 150, 250), values(a), values(b));
    EXPECT_EQ(difference.kind, VerdictKind::supported);
    EXPECT_NEAR(*difference.estimate, 200, 20);
    // First against second, not the other way round.
    EXPECT_LT(*judge(comparison(statistic, Comparison::difference, 0, 1), values(b), values(a)).estimate, 0);
  }
}

TEST(Judge, ComparesRates) {
  const Verdict more = judge(comparison(Statistic::rate, Comparison::difference, 0.2, 1), shows(30, 2), shows(4, 28));
  EXPECT_EQ(more.kind, VerdictKind::supported);
  EXPECT_EQ(more.low, share_difference({30, 32}, {4, 32}).low);
  EXPECT_EQ(judge(comparison(Statistic::rate, Comparison::difference, -1, 0), shows(30, 2), shows(4, 28)).kind,
            VerdictKind::refuted);
  EXPECT_EQ(judge(comparison(Statistic::rate, Comparison::ratio, 2, kInfinity), shows(30, 2), shows(4, 28)).kind,
            VerdictKind::supported);
  EXPECT_EQ(judge(comparison(Statistic::rate, Comparison::difference, 0, 1), shows(16, 16), shows(14, 18)).kind,
            VerdictKind::inconclusive);
}

TEST(Judge, CountsBothGroupsOfAComparison) {
  Outcomes first = values(one_to(10)), second = values(one_to(10));
  first[9].censored = true;
  second[0] = {std::nullopt, false, true};
  second[1] = {};
  const Verdict verdict = judge(comparison(Statistic::median, Comparison::difference, -1, 1), first, second);
  EXPECT_EQ(verdict.seeds, 20);
  EXPECT_EQ(verdict.censored, 1);
  EXPECT_EQ(verdict.diverged, 1);
  EXPECT_EQ(verdict.missing, 1);
  // Too few in the second group alone is too few.
  EXPECT_FALSE(judge(comparison(Statistic::median, Comparison::difference, -1, 1), first, values({1, 2})).note.empty());
}

TEST(Judge, MostlyCensoredGroupsCannotBeCompared) {
  Outcomes never = values(one_to(12));
  for (Outcome& sample : never) sample.censored = true;
  const Verdict verdict = judge(comparison(Statistic::median, Comparison::difference, -1, 1), never, never);
  EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(verdict.estimate);
  EXPECT_EQ(verdict.low, -kInfinity);
  EXPECT_EQ(verdict.high, kInfinity);
  EXPECT_NE(verdict.note.find("undefined"), std::string::npos);
  // Runs that were cut off at 1 to 12, against 1 to 12: the truth may be no difference at all.
  const Verdict open =
      judge(comparison(Statistic::median, Comparison::difference, 100, kInfinity), never, values(one_to(12)));
  EXPECT_EQ(open.kind, VerdictKind::inconclusive);
  EXPECT_LE(*open.low, 0);
  EXPECT_EQ(open.high, kInfinity);
  // Cut off only at 1,000 they are later by a lot.
  for (Outcome& one : never) one.value = 1000;
  EXPECT_EQ(
      judge(comparison(Statistic::median, Comparison::difference, 100, kInfinity), never, values(one_to(12))).kind,
      VerdictKind::supported);
}

// The verdict follows from the reported interval alone, and counts add up.
TEST(Judge, IsConsistentWithWhatItReports) {
  EXPECT_TRUE(rc::check([](const std::vector<int>& raw, int low, unsigned width, unsigned pick) {
    const Statistic statistic = std::array{Statistic::rate, Statistic::median, Statistic::mean}[pick % 3];
    Outcomes samples;
    for (const int value : raw)
      samples.push_back({value % 5 == 0 ? std::nullopt : std::optional<double>(value % 20), false, value % 10 == 0});
    const Claim made = claim(statistic, low % 20, low % 20 + width % 20);
    const Verdict verdict = judge(made, samples);
    RC_ASSERT(verdict.seeds == std::ssize(samples));
    RC_ASSERT(verdict.missing + verdict.diverged ==
              std::count_if(samples.begin(), samples.end(), [](const Outcome& s) { return !s.value; }));
    if (!verdict.low) {
      RC_ASSERT(verdict.kind == VerdictKind::inconclusive && !verdict.note.empty());
      return;
    }
    RC_ASSERT(*verdict.low <= *verdict.estimate && *verdict.estimate <= *verdict.high);
    const bool inside = *verdict.low >= made.low && *verdict.high <= made.high;
    const bool outside = *verdict.high < made.low || *verdict.low > made.high;
    RC_ASSERT((verdict.kind == VerdictKind::supported) == inside);
    RC_ASSERT((verdict.kind == VerdictKind::refuted) == outside);
  }));
}

TEST(Judge, PairsByTheirStatistic) {
  const PairedOutcomes rising{values(one_to(20)), values(one_to(20))};
  Claim together = claim(Statistic::correlation, 0.5, 1);
  const Verdict correlated = judge_pairs(together, {{rising}});
  EXPECT_EQ(correlated.kind, VerdictKind::supported);
  EXPECT_EQ(correlated.estimate, 1.0);
  EXPECT_EQ(correlated.seeds, 20);
  together.low = -1;
  together.high = 0;
  EXPECT_EQ(judge_pairs(together, {{rising}}).kind, VerdictKind::refuted);

  Claim events = claim(Statistic::coincidence, 0.5, 1);
  events.within = 0.01;
  const Verdict coinciding = judge_pairs(events, {{rising}});
  EXPECT_EQ(coinciding.kind, VerdictKind::supported);
  EXPECT_TRUE(coinciding.note.starts_with("the two coincide in 20 of 20 runs")) << coinciding.note;
  events.within = 10;  // all but the first few reach each other, so shuffling changes little
  EXPECT_EQ(judge_pairs(events, {{rising}}).kind, VerdictKind::refuted);

  const Verdict few = judge_pairs(events, {{{values({1, 2}), values({1, 2})}}});
  EXPECT_EQ(few.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(few.estimate);
  EXPECT_FALSE(few.note.empty());
  EXPECT_THROW(judge(together, values(one_to(20))), Error) << "one quantity alone";
}

TEST(Judge, NamesItsWords) {
  EXPECT_STREQ(to_word(VerdictKind::supported), "supported");
  EXPECT_STREQ(to_word(VerdictKind::refuted), "refuted");
  EXPECT_STREQ(to_word(VerdictKind::inconclusive), "inconclusive");
  EXPECT_STREQ(to_word(Statistic::rate), "rate");
  EXPECT_STREQ(to_word(Statistic::median), "median");
  EXPECT_STREQ(to_word(Statistic::mean), "mean");
}

TEST(Claims, AskForTheSameNumberWhateverTheirRegion) {
  Claim one;
  one.quantity = "a.value";
  one.where = {{"data.vocab", int64_t{4}}, {"network.width", int64_t{2}}};
  one.against = CellFilter{{"data.vocab", int64_t{8}}};
  Claim other = one;
  other.id = "other";
  other.low = 5;
  other.low_open = true;
  other.margin = 1;
  other.statement = "in other words";
  std::swap(other.where[0], other.where[1]);
  EXPECT_TRUE(same_number(one, other));
  const auto differs = [&](auto change) {
    Claim changed = other;
    change(changed);
    return !same_number(one, changed);
  };
  EXPECT_TRUE(differs([](Claim& c) { c.quantity = "b.value"; }));
  EXPECT_TRUE(differs([](Claim& c) { c.statistic = Statistic::mean; }));
  EXPECT_TRUE(differs([](Claim& c) { c.given = "c.present"; }));
  EXPECT_TRUE(differs([](Claim& c) { c.by = 100; }));
  EXPECT_TRUE(differs([](Claim& c) { c.where.pop_back(); }));
  EXPECT_TRUE(differs([](Claim& c) { c.against.reset(); }));
  EXPECT_TRUE(differs([](Claim& c) { c.compare = Comparison::ratio; }));
  EXPECT_TRUE(differs([](Claim& c) { c.than = Contrast{}; }));
  EXPECT_TRUE(differs([](Claim& c) { c.pool = Pool::cells; }));
  EXPECT_TRUE(differs([](Claim& c) { c.tune = "training.rate"; }));
  EXPECT_TRUE(differs([](Claim& c) { c.relative_to = "data.vocab"; }));
  EXPECT_TRUE(differs([](Claim& c) { c.paired = false; }));
}

TEST(RegionFault, SaysWhatNoRegionMayBe) {
  EXPECT_EQ(region_fault(claim(Statistic::median, 0, 1)), "");
  EXPECT_EQ(region_fault(claim(Statistic::median, 1, 1)), "");
  EXPECT_NE(region_fault(claim(Statistic::median, 1, 0)).find("empty"), std::string::npos);
  EXPECT_NE(region_fault(claim(Statistic::median, NAN, 0)).find("not a number"), std::string::npos);
  EXPECT_NE(region_fault(claim(Statistic::median, -kInfinity, kInfinity)).find("every number"), std::string::npos);
  Claim open = claim(Statistic::median, 1, 1);
  open.high_open = true;
  EXPECT_NE(region_fault(open).find("empty"), std::string::npos);
  Claim margin = claim(Statistic::median, 0, 1);
  margin.margin = 0;
  EXPECT_NE(region_fault(margin).find("margin"), std::string::npos);
}

TEST(RegionFault, KnowsWhatAStatisticCanBe) {
  EXPECT_NE(region_fault(claim(Statistic::rate, 2, 3)).find("a rate lies between 0 and 1"), std::string::npos);
  EXPECT_EQ(region_fault(comparison(Statistic::rate, Comparison::ratio, 2, 3)), "");
  EXPECT_NE(region_fault(claim(Statistic::coincidence, 2, 3)).find("a coincidence lies"), std::string::npos);
}

}  // namespace
}  // namespace atto

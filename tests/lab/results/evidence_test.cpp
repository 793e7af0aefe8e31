// What the runs of a study answer to a claim.
#include "lab/results/evidence.h"

#include <gtest/gtest.h>

namespace atto::evidence_test {
namespace {

// One cell whose runs have two quantities, and of each whether it meets a condition.
CellResult cell_with(const Outcomes& first, const Outcomes& second, const Outcomes& condition) {
  CellResult cell;
  cell.seeds = std::ssize(first);
  for (int64_t seed = 0; seed < cell.seeds; ++seed) cell.runs.push_back({"", seed, false});
  cell.quantities = {{"a.step", first, {}}, {"b.step", second, {}}, {"c.present", condition, {}}};
  return cell;
}

Claim correlated() {
  Claim claim;
  claim.id = "test";
  claim.quantity = "a.step";
  claim.with = "b.step";
  claim.statistic = Statistic::correlation;
  claim.given = "c.present";
  claim.low = 0.2;
  claim.high = 1;
  return claim;
}

TEST(Evidence, OfPairsCountsRunsOutsideAndKeepsThoseOfUnknownCondition) {
  Outcomes first, second, condition;
  for (int i = 0; i < 16; ++i) {
    first.push_back({static_cast<double>(i)});
    second.push_back({static_cast<double>(i)});
    condition.push_back({1});
  }
  for (int i = 0; i < 3; ++i) {  // known not to meet it: not of these runs
    first.push_back({100.0 - i});
    second.push_back({static_cast<double>(i)});
    condition.push_back(i == 0 ? Outcome{0, true} : Outcome{0});
  }
  const Claim claim = correlated();
  const PairedEvidence known = gather_pairs(claim, {cell_with(first, second, condition)}, {});
  EXPECT_EQ(known.outside, 3);
  ASSERT_EQ(known.cells.size(), 1u);
  EXPECT_EQ(known.cells[0].first.size(), 16u);
  EXPECT_EQ(judge_pairs(claim, known).kind, VerdictKind::supported);
  for (int i = 0; i < 9; ++i) {  // nobody knows whether they meet it
    first.push_back({static_cast<double>(i)});
    second.push_back({static_cast<double>(i)});
    condition.push_back(i < 4 ? Outcome{} : Outcome{std::nullopt, false, true});
  }
  const PairedEvidence open = gather_pairs(claim, {cell_with(first, second, condition)}, {});
  EXPECT_EQ(open.outside, 3);
  const Verdict verdict = judge_pairs(claim, open);
  EXPECT_EQ(verdict.seeds, 25);
  EXPECT_EQ(verdict.missing, 4);
  EXPECT_EQ(verdict.diverged, 5);
  EXPECT_EQ(verdict.outside, 3);
  EXPECT_EQ(verdict.kind, VerdictKind::inconclusive) << "they widen the interval as they do that of a median";
}

// Two comparisons of the same cells' seeds; a condition leaves out other seeds on either side.
TEST(Evidence, OfTwoComparisonsIsOfTheSeedsThatBothHave) {
  std::vector<CellResult> cells;
  for (const int64_t vocab : {4, 8, 16, 32}) {
    Outcomes values, conditions;
    for (int64_t seed = 0; seed < 20; ++seed) {
      values.push_back({static_cast<double>(vocab + 100 * seed * (vocab == 4 || vocab == 16))});
      conditions.push_back({(vocab == 4 && seed == 0) || (vocab == 16 && seed == 19) ? 0.0 : 1.0});
    }
    CellResult& cell = cells.emplace_back(cell_with(values, values, conditions));
    cell.cell.seeds = 20;
    cell.cell.config.data.vocab = vocab;
    cell.cell.overrides = {{"data.vocab", vocab}};
  }
  Claim claim;
  claim.id = "test";
  claim.quantity = "a.step";
  claim.statistic = Statistic::median;
  claim.given = "c.present";
  const auto of = [](int64_t vocab) { return CellFilter{{"data.vocab", vocab}}; };
  claim.where = of(4);
  claim.against = of(8);
  claim.than = Contrast{of(16), of(32)};
  TunedGroups tuned;
  const Evidence evidence = gather_evidence(
      claim, cells, [](const CellResult&) { return 20; }, tuned);
  ASSERT_EQ(evidence.cells.size(), 1u);
  const CellEvidence& cell = evidence.cells[0];
  EXPECT_TRUE(cell.paired);
  ASSERT_EQ(cell.first.size(), 18u) << "seeds 1 to 18";
  ASSERT_EQ(cell.second.size(), 18u);
  EXPECT_EQ(cell.first_seeds, cell.second_seeds);
  for (size_t i = 0; i < cell.first.size(); ++i)
    EXPECT_EQ(*cell.first[i].value - *cell.second[i].value, 12) << "of the same seed: -4 less -16";
  EXPECT_EQ(evidence.outside, 8) << "two runs of each seed that one side lacks, on both sides";
}

// Seeds that were trained at later looks neither choose nor move those that do: an early look says the same again.
TEST(Evidence, TheSeedsThatTuneAreThoseOfTheFirstLook) {
  Outcomes all;
  for (int i = 0; i < 48; ++i) all.push_back({static_cast<double>(i)});
  CellResult cell = cell_with(all, all, all);
  cell.cell.seeds = 12;
  Claim claim;
  claim.id = "test";
  claim.quantity = "a.step";
  claim.statistic = Statistic::median;
  claim.tune = "training.rate";
  TunedGroups tuned;
  const Evidence evidence = gather_evidence(
      claim, {cell}, [](const CellResult&) { return 12; }, tuned);
  ASSERT_EQ(evidence.cells.size(), 1u);
  ASSERT_EQ(evidence.cells[0].first.size(), 8u) << "seeds 4 to 11";
  EXPECT_EQ(evidence.cells[0].first[0].low, 4);
}

// Seed by seed, what one of two cells has beyond the other would not count.
TEST(Evidence, CellsWithDifferentSeedsAreComparedAsWholes) {
  const auto cell_of = [](int64_t width, int64_t seeds) {
    Outcomes all;
    for (int64_t i = 0; i < seeds; ++i) all.push_back({static_cast<double>(i)});
    CellResult cell = cell_with(all, all, all);
    cell.cell.overrides = {{"network.width", width}};
    cell.cell.config.network.width = width;
    cell.cell.seeds = seeds;
    return cell;
  };
  Claim claim;
  claim.id = "test";
  claim.quantity = "a.step";
  claim.statistic = Statistic::median;
  claim.where = {{"network.width", int64_t{2}}};
  claim.against = CellFilter{{"network.width", int64_t{3}}};
  const auto compared = [&](int64_t first, int64_t second) {
    TunedGroups tuned;
    return gather_evidence(claim, {cell_of(2, first), cell_of(3, second)}, {}, tuned).cells.at(0);
  };
  EXPECT_TRUE(compared(4, 4).paired);
  const CellEvidence whole = compared(4, 6);
  EXPECT_FALSE(whole.paired);
  EXPECT_EQ(whole.first.size(), 4u);
  EXPECT_EQ(whole.second.size(), 6u);
  claim.paired = true;
  EXPECT_EQ(compared(4, 6).second.size(), 4u) << "where the claim says so";
}

}  // namespace
}  // namespace atto::evidence_test

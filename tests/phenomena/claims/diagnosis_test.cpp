#include "phenomena/claims/diagnosis.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atto {
namespace {

std::vector<std::string> names(const std::vector<Diagnosis>& diagnoses) {
  std::vector<std::string> list;
  for (const Diagnosis& one : diagnoses) {
    EXPECT_FALSE(one.signature.empty() || one.remedy.empty()) << one.name;
    list.push_back(one.name);
  }
  return list;
}

using Names = std::vector<std::string>;

TEST(DiagnosisOfACell, FindsNothingWhereNothingIsWrong) {
  CellFacts facts;
  facts.seeds = 8;
  EXPECT_EQ(names(diagnose(facts)), Names{});
  facts.plateau_share = 0.5;
  facts.first_entropy = 0.1;
  facts.loss = {2, 0.1};
  facts.test_loss = {2, 0.3};
  EXPECT_EQ(names(diagnose(facts)), Names{});
}

TEST(DiagnosisOfACell, AsksWhyThereIsNoPlateau) {
  CellFacts facts;
  facts.seeds = 8;
  facts.plateau_share = 0.05;
  facts.uniform_entropy = std::log(16);
  EXPECT_NE(diagnose(facts).at(0).remedy.find("observe the entropy of attention"), std::string::npos);
  facts.first_entropy = 0.5 * std::log(16);
  const Diagnosis early = diagnose(facts).at(0);
  EXPECT_EQ(early.name, "no plateau");
  EXPECT_NE(early.signature.find("5 %"), std::string::npos);
  EXPECT_NE(early.signature.find("0.5 of the entropy"), std::string::npos);
  EXPECT_NE(early.remedy.find("network.init_scale"), std::string::npos);
  facts.first_entropy = 0.99 * std::log(16);
  EXPECT_NE(diagnose(facts).at(0).remedy.find("too easy"), std::string::npos);
}

// The same sizes give plateaus in some seeds, so sizes are not what to change.
TEST(DiagnosisOfACell, TellsSeedsOfTwoKindsFromNoPlateau) {
  CellFacts facts;
  facts.seeds = 32;
  facts.plateau_share = 0.44;
  facts.basins = 2;
  const Diagnosis found = diagnose(facts).at(0);
  EXPECT_EQ(found.name, "plateau in some seeds");
  EXPECT_EQ(found.signature, "a plateau in 44 % of the seeds; they end in 2 kinds of place");
  EXPECT_EQ(found.remedy.find("data.context"), std::string::npos) << found.remedy;
  EXPECT_NE(found.remedy.find("rate of plateau.present"), std::string::npos) << found.remedy;
  facts.plateau_share = 0.0;
  EXPECT_EQ(diagnose(facts).at(0).name, "no plateau");
}

TEST(DiagnosisOfACell, FindsAShortcutAndDivergedRuns) {
  CellFacts facts;
  facts.seeds = 8;
  facts.diverged = 3;
  facts.loss = {0.5, 0.1};
  facts.test_loss = {0.5, 0.48};
  const std::vector<Diagnosis> found = diagnose(facts);
  EXPECT_EQ(names(found), (Names{"diverged", "shortcut"}));
  EXPECT_EQ(found[0].signature, "3 of 8 runs diverged");
  facts.loss->last = 0.4;  // nothing was learnt at all
  EXPECT_EQ(names(diagnose(facts)), (Names{"diverged"}));
  facts.diverged = 0;
  facts.loss->last = 0.25;  // half of the first value
  EXPECT_EQ(names(diagnose(facts)), (Names{"shortcut"}));
  facts.loss->last = 0.26;
  EXPECT_EQ(names(diagnose(facts)), Names{});
  facts.loss->last = 0.1;
  facts.test_loss->last = 0.44;  // less than nine tenths of it
  EXPECT_EQ(names(diagnose(facts)), Names{});
}

PowerLaw good_law() {
  PowerLaw law;
  law.r2 = {0.99, 0.98, 1};
  law.exponents = {{"length", {0.98, 0.96, 1.0}, 1.5, {}}, {"dimension", {0.7, 0.65, 0.75}, 1.2, {}}};
  law.time_decades = 2;
  law.preferred = LawKind::power_law;
  law.used = law.runs = 50;
  law.censored = 10;
  return law;
}

TEST(DiagnosisOfALaw, FindsNothingWhereNothingIsWrong) {
  const PowerLaw law = good_law();
  EXPECT_EQ(names(diagnose(LawFacts{law, {}, "", 100})), Names{});
  EXPECT_EQ(names(diagnose(LawFacts{law, {{"length", 1.0}}, "", 100})), Names{});
  PowerLaw none;
  none.obstacle = "no runs";
  EXPECT_EQ(names(diagnose(LawFacts{none, {{"length", 1.0}}, "", 100})), Names{});
}

TEST(DiagnosisOfALaw, FindsEachSign) {
  const auto found = [](PowerLaw law, const auto& change) {
    change(law);
    return diagnose(LawFacts{law, {{"length", 1.0}, {"dimension", 0.5}}, "training.optimizer = adam", 4321});
  };
  const auto off = found(good_law(), [](PowerLaw&) {});
  EXPECT_EQ(names(off), Names{"off theory"});
  EXPECT_EQ(off[0].signature, "dimension^0.7 where 0.5 is expected (training.optimizer = adam)");
  const auto all = found(good_law(), [](PowerLaw& law) {
    law.r2.estimate = 0.94;
    law.exponents[0].decades = 0.6;
    law.preferred = LawKind::exponential;
    law.censored = 11;
    law.exponents[1].exponent = {0.58, 0.55, 0.61};  // outside, but near
  });
  EXPECT_EQ(names(all), (Names{"mixed regimes", "short range", "not a power law", "censored"}));
  EXPECT_NE(all[0].remedy.find("repeat = 1 and cross = 0"), std::string::npos);
  EXPECT_EQ(all[1].signature, "less than one decade is spanned: length 0.6");
  EXPECT_NE(all[3].remedy.find("lengthen training.steps; the law expects up to 4.32e+03"), std::string::npos);
}

TEST(DiagnosisOfALaw, ABreakCountsWhenTheExponentsDiffer) {
  PowerLaw law = good_law();
  law.preferred = LawKind::broken_power_law;
  law.broken = LawBreak{"length", 256, 0.98, 1.0};
  EXPECT_EQ(names(diagnose(LawFacts{law, {}, "", 100})), Names{}) << "curvature that no one would see";
  law.broken->after = 1.6;
  EXPECT_EQ(names(diagnose(LawFacts{law, {}, "", 100})), Names{"broken power law"});
}

}  // namespace
}  // namespace atto

#include "phenomena/claims/diagnosis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace atto {
namespace {

constexpr double kHardlyAny = 0.1;      // of the seeds
constexpr double kUniform = 0.9;        // of ln C: attention this spread out has not decided anything yet
constexpr double kFell = 0.5;           // of its first value, at most: a loss that fell
constexpr double kDidNotFall = 0.9;     // of its first value, at least: one that did not
constexpr double kLeastR2 = 0.95;       // below it regimes are mixed
constexpr double kLeastDecades = 0.99;  // less can be fitted by any curve
constexpr double kManyCensored = 0.2;   // of the runs
constexpr double kFarExponent = 0.1;    // from the expected one, and outside its interval
constexpr double kMaterialBreak = 0.1;  // change of exponent worth speaking of; smaller ones are curvature

std::string number(double value) {
  std::array<char, 32> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%.3g", value);
  return buffer.data();
}

std::string of(int64_t count, int64_t all, const std::string& what) {
  return std::to_string(count) + " of " + std::to_string(all) + " " + what;
}

std::string plateau_signature(const CellFacts& facts) {
  return "a plateau in " + number(100 * *facts.plateau_share) + " % of the seeds";
}

// Seeds of two kinds: sizes are not the matter, since with the same sizes some seeds do stick.
Diagnosis plateau_in_some(const CellFacts& facts) {
  return {"plateau in some seeds",
          plateau_signature(facts) +
              (facts.basins > 1 ? "; they end in " + std::to_string(facts.basins) + " kinds of place" : ""),
          "a median over all seeds describes neither kind: ask for the rate of plateau.present, and look at a run of "
          "each kind; more seeds make the rate sharper"};
}

Diagnosis no_plateau(const CellFacts& facts) {
  Diagnosis found{"no plateau", plateau_signature(facts), ""};
  if (!facts.first_entropy || facts.uniform_entropy <= 0) {
    found.remedy =
        "observe the entropy of attention (`atto help observables`) to see whether it is uniform at the start; if it "
        "is, "
        "the task may be too easy: raise data.context, and data.vocab or data.dimension";
    return found;
  }
  const double share = *facts.first_entropy / facts.uniform_entropy;
  found.signature += "; attention starts with " + number(share) + " of the entropy of uniform attention";
  found.remedy = share < kUniform ? "attention is not uniform at the start: lower network.init_scale"
                                  : "attention is uniform at the start, so the task may be too easy: raise "
                                    "data.context, and data.vocab or data.dimension";
  return found;
}

std::string list_of_short_axes(const PowerLaw& law) {
  std::string list;
  const auto add = [&](const std::string& what, double decades) {
    if (decades < kLeastDecades) list += (list.empty() ? "" : ", ") + what + " " + number(decades);
  };
  for (const LawExponent& one : law.exponents) add(one.term, one.decades);
  add("the time", law.time_decades);
  return list;
}

std::string off_theory(const LawFacts& facts) {
  std::string list;
  for (const auto& [term, expected] : facts.expected) {
    for (const LawExponent& one : facts.law.exponents) {
      const bool outside = expected < one.exponent.low || expected > one.exponent.high;
      if (one.term == term && outside && std::abs(one.exponent.estimate - expected) > kFarExponent)
        list += (list.empty() ? "" : ", ") + term + "^" + number(one.exponent.estimate) + " where " + number(expected) +
                " is expected";
    }
  }
  return list;
}

}  // namespace

std::vector<Diagnosis> diagnose(const CellFacts& facts) {
  std::vector<Diagnosis> found;
  if (facts.diverged > 0)
    found.push_back({"diverged", of(facts.diverged, facts.seeds, "runs diverged"),
                     "they count in every verdict; lower training.rate or add training.warmup if they should not"});
  if (facts.plateau_share && *facts.plateau_share < 0.5)
    found.push_back(*facts.plateau_share < kHardlyAny ? no_plateau(facts) : plateau_in_some(facts));
  const auto& train = facts.loss;
  const auto& test = facts.test_loss;
  if (train && test && train->last <= kFell * train->first && test->last >= kDidNotFall * test->first)
    found.push_back({"shortcut",
                     "the loss falls from " + number(train->first) + " to " + number(train->last) +
                         " and on held-out data goes from " + number(test->first) + " to " + number(test->last),
                     "a shortcut or the training set itself was learnt: lower the repetition, train on more sequences, "
                     "or judge by loss.test"});
  return found;
}

std::vector<Diagnosis> diagnose(const LawFacts& facts) {
  std::vector<Diagnosis> found;
  const PowerLaw& law = facts.law;
  if (!law.obstacle.empty()) return found;
  if (law.r2.estimate < kLeastR2)
    found.push_back({"mixed regimes", "R² is " + number(law.r2.estimate) + ", below 0.95",
                     "different regimes are mixed: refit with repeat = 1 and cross = 0 only (`where` of the fit)"});
  if (const std::string axes = list_of_short_axes(law); !axes.empty())
    found.push_back({"short range", "less than one decade is spanned: " + axes,
                     "over so short a range many curves look like a power law: widen the sweep"});
  if (law.preferred == LawKind::exponential)
    found.push_back({"not a power law", "an exponential law describes the cells better than the power law",
                     "do not extrapolate the exponents; widen the sweep to see which law holds"});
  if (law.preferred == LawKind::broken_power_law && law.broken &&
      std::abs(law.broken->after - law.broken->before) > kMaterialBreak)
    found.push_back({"broken power law",
                     "the exponent of " + law.broken->term + " changes from " + number(law.broken->before) + " to " +
                         number(law.broken->after) + " near " + number(law.broken->at),
                     "two regimes: fit each side of the break by itself"});
  if (static_cast<double>(law.censored) > kManyCensored * static_cast<double>(law.used))
    found.push_back({"censored", of(law.censored, law.used, "runs ended before the event"),
                     "lengthen training.steps" +
                         (std::isfinite(facts.latest) ? "; the law expects up to " + number(facts.latest) : "")});
  if (const std::string far = off_theory(facts); !far.empty())
    found.push_back({"off theory", far + (facts.setting.empty() ? "" : " (" + facts.setting + ")"),
                     "off gradient flow that is to be expected: report optimizer and depth beside the exponents"});
  return found;
}

}  // namespace atto

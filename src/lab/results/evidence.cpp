#include "lab/results/evidence.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "lab/study/pairing.h"
#include "training/optimizers/optimizer.h"

namespace atto {
namespace {

// The number that a key has in a run, for a claim that divides by it.
double key_divisor(const Claim& claim, const RunConfig& config) {
  const Value value = run_schema().at(claim.relative_to).get(config);
  double number = 0;
  if (const int64_t* integer = std::get_if<int64_t>(&value)) number = static_cast<double>(*integer);
  if (const double* real = std::get_if<double>(&value)) number = *real;
  if (number == 0)
    throw Error(ErrorKind::config,
                "claim " + claim.id + ": cannot divide by " + claim.relative_to + " = " + to_text(value),
                "relative_to needs a number other than 0 in every cell of the claim");
  return number;
}

Outcomes required_outcomes(const Claim& claim, const CellResult& cell, const std::string& name) {
  Outcomes outcomes = outcomes_of(cell, name);
  if (outcomes.size() != cell.runs.size())
    throw Error(ErrorKind::config, "claim " + claim.id + ": no phenomenon of the study reports " + name);
  return outcomes;
}

// One run's part in a claim: its seed, its answer, and whether it meets the claim's condition.
struct SeedAnswer {
  Answer answer;
  bool inside = true;      // false: known not to meet it
  bool undecided = false;  // inside since nobody knows
};
using CellAnswers = std::map<int64_t, SeedAnswer>;  // by seed

// Does a run belong to a claim with `given`? A run that ended without what the condition waits for (0, censored) does
// not show it: the claim is about those that do within their steps.
enum class Membership { outside, inside, unknown };
Membership membership(const Outcome& condition) {
  const Answer met = yes_answer(condition);
  const bool ended_without = condition.exists() && condition.censored && *condition.value == 0;
  if ((ended_without || (met.known() && met.low == 0)) && !condition.diverged) return Membership::outside;
  return met.known() && met.low == 1 ? Membership::inside : Membership::unknown;
}

// A run of which it is unknown may be in, with any answer.
SeedAnswer with_condition(const Claim& claim, const Outcome& condition, Answer answer) {
  const Membership belongs = membership(condition);
  if (belongs != Membership::unknown) return {answer, belongs == Membership::inside};
  Answer anything;
  if (claim.statistic == Statistic::rate) {
    anything.low = 0;
    anything.high = 1;
  }
  anything.diverged = condition.diverged;
  anything.missing = !condition.diverged;
  return {anything, true, true};
}

CellAnswers answers_of_cell(const Claim& claim, const CellResult& cell, int64_t first, int64_t last) {
  CellAnswers answers;
  const Outcomes all = required_outcomes(claim, cell, claim.quantity);
  const bool divides = !claim.relative_to.empty();
  const bool by_key = divides && run_schema().find(claim.relative_to) != nullptr;
  const Outcomes divisors = divides && !by_key ? required_outcomes(claim, cell, claim.relative_to) : Outcomes{};
  const Outcomes conditions = claim.given.empty() ? Outcomes{} : required_outcomes(claim, cell, claim.given);
  for (int64_t i = first; i < std::min<int64_t>(last, std::ssize(all)); ++i) {
    const auto seed = static_cast<size_t>(i);
    Answer answer = answer_to(claim, all[seed]);
    if (by_key) answer = ratio(answer, Answer::exactly(key_divisor(claim, cell.cell.config)));
    else if (divides) answer = ratio(answer, number_answer(divisors[seed]));
    answers[cell.runs[seed].seed] =
        claim.given.empty() ? SeedAnswer{answer} : with_condition(claim, conditions[seed], answer);
  }
  return answers;
}

// To be made small. What diverged or does not exist is worse than anything, as if it were censored.
double median_for_tuning(const Claim& claim, const CellResult& cell, int64_t seeds) {
  Outcomes outcomes;
  for (const auto& [seed, one] : answers_of_cell(claim, cell, 0, seeds))
    outcomes.push_back(one.answer.value ? Outcome{one.answer.low, one.answer.censored} : Outcome{0, true});
  const double median = summarise(outcomes, Statistic::median).value;
  return std::isnan(median) ? std::numeric_limits<double>::infinity() : median;
}

struct Group {
  std::vector<const CellResult*> cells;
  std::string tuned;

  std::vector<const Cell*> plain() const {
    std::vector<const Cell*> list;
    for (const CellResult* cell : cells) list.push_back(&cell->cell);
    return list;
  }
};

// Those that choose: of the seeds of the first look, so that later looks judge by the same choice and only add seeds.
int64_t tuning_seeds(const CellResult& cell) {
  const int64_t runs = std::ssize(cell.runs);
  return (cell.cell.seeds > 0 ? std::min(cell.cell.seeds, runs) : runs) / kTuningShare;
}

// The cells of a filter; with claim.tune, those with the value of that key whose worst cell did best on the seeds that
// choose.
Group group_of(const Claim& claim, const CellFilter& filter, const std::vector<CellResult>& results) {
  Group group;
  for (const CellResult& one : results)
    if (matches(filter, one.cell.config)) group.cells.push_back(&one);
  if (claim.tune.empty() || group.cells.empty()) return group;
  std::vector<std::pair<std::string, double>> candidates;  // by the text of the value, in the order of the sweep
  const auto value_of = [&](const CellResult& one) {
    return to_text(run_schema().at(claim.tune).get(one.cell.config));
  };
  for (const CellResult* one : group.cells) {
    const double median = median_for_tuning(claim, *one, tuning_seeds(*one));
    const auto found = std::find_if(candidates.begin(), candidates.end(),
                                    [&](const auto& candidate) { return candidate.first == value_of(*one); });
    if (found == candidates.end()) candidates.emplace_back(value_of(*one), median);
    else found->second = std::max(found->second, median);
  }
  const auto best = std::min_element(candidates.begin(), candidates.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  std::erase_if(group.cells, [&](const CellResult* one) { return value_of(*one) != best->first; });
  group.tuned = claim.tune + " = " + best->first;
  return group;
}

CellAnswers judging_answers(const Claim& claim, const CellResult& cell, const SeedLimit& limit) {
  const int64_t first = claim.tune.empty() ? 0 : tuning_seeds(cell);
  return answers_of_cell(claim, cell, first, seeds_within(limit, cell));
}

// Runs of a claim with a condition that are left out, or kept without knowing.
struct LeftOpen {
  int64_t& outside;
  int64_t& undecided;
};

// Those that belong to the claim, with their seeds.
void take_inside(const CellAnswers& from, RunAnswers& answers, std::vector<int64_t>& seeds, LeftOpen count) {
  for (const auto& [seed, one] : from) {
    if (!one.inside) {
      ++count.outside;
      continue;
    }
    if (one.undecided) ++count.undecided;
    answers.push_back(one.answer);
    seeds.push_back(seed);
  }
}

// As the study plans them; the store may hold some of the runs only.
bool same_seeds(const CellResult& a, const CellResult& b) {
  if (a.cell.seeds != b.cell.seeds) return false;
  return std::any_of(a.runs.begin(), a.runs.end(), [&](const CellRun& one) {
    return std::any_of(b.runs.begin(), b.runs.end(), [&](const CellRun& other) { return other.seed == one.seed; });
  });
}

bool is_exact(const CellResult& cell) { return optimizer_kind(cell.cell.config.training).flow; }

// What two cells answer, seed by seed or as wholes.
CellEvidence compare_cells(const Claim& claim, const CellResult& a, const CellResult& b, const SeedLimit& limit,
                           LeftOpen count) {
  CellEvidence evidence{cell_text(a.cell.overrides), {}, {}, true, false, is_exact(a) && is_exact(b)};
  const CellAnswers first = judging_answers(claim, a, limit), second = judging_answers(claim, b, limit);
  evidence.paired = claim.paired.value_or(same_seeds(a, b));
  if (!evidence.paired) {
    take_inside(first, evidence.first, evidence.first_seeds, count);
    take_inside(second, evidence.second, evidence.second_seeds, count);
    return evidence;
  }
  for (const auto& [seed, one] : first) {
    const auto partner = second.find(seed);
    if (partner == second.end()) continue;
    if (!one.inside || !partner->second.inside) {
      count.outside += 2;
      continue;
    }
    count.undecided += one.undecided + partner->second.undecided;
    evidence.first.push_back(one.answer);
    evidence.second.push_back(partner->second.answer);
    evidence.first_seeds.push_back(seed);
    evidence.second_seeds.push_back(seed);
  }
  return evidence;
}

std::map<int64_t, Answer> compared_by_seed(const Claim& claim, const CellEvidence& evidence) {
  std::map<int64_t, Answer> made;
  for (size_t i = 0; evidence.paired && i < evidence.first.size(); ++i)
    made[evidence.first_seeds[i]] = claim.compare == Comparison::ratio
                                        ? ratio(evidence.first[i], evidence.second[i])
                                        : difference(evidence.first[i], evidence.second[i]);
  return made;
}

// A comparison of two comparisons: the seeds that both have. A condition may leave out others on either side.
void compare_comparisons(const Claim& claim, const CellEvidence& other, CellEvidence& one, int64_t& outside) {
  const std::map<int64_t, Answer> first = compared_by_seed(claim, one), second = compared_by_seed(claim, other);
  one.first.clear();
  one.second.clear();
  one.first_seeds.clear();
  for (const auto& [seed, answer] : first) {
    const auto partner = second.find(seed);
    if (partner == second.end()) continue;
    one.first.push_back(answer);
    one.second.push_back(partner->second);
    one.first_seeds.push_back(seed);
  }
  one.second_seeds = one.first_seeds;
  outside += 2 * (std::ssize(first) + std::ssize(second) - 2 * std::ssize(one.first));
  one.paired = true;
  one.exact = one.exact && other.exact;
}

std::vector<CellEvidence> compare_group(const Claim& claim, const Group& first, const Group& second,
                                        const SeedLimit& limit, LeftOpen count) {
  const CellPairs pairs = pair_cells(first.plain(), second.plain(), named_keys(claim));
  if (!pairs.obstacle.empty())
    throw Error(ErrorKind::config, "claim " + claim.id + ": " + pairs.obstacle,
                "name one cell on each side, or cells that differ only in the keys of `where` and `against`");
  std::vector<CellEvidence> list;
  for (const auto& [i, j] : pairs.pairs)
    list.push_back(compare_cells(claim, *first.cells[i], *second.cells[j], limit, count));
  return list;
}

}  // namespace

Evidence gather_evidence(const Claim& claim, const std::vector<CellResult>& cells, const SeedLimit& limit,
                         TunedGroups& tuned) {
  Evidence evidence;
  const LeftOpen count{evidence.outside, evidence.undecided};
  const Group first = group_of(claim, claim.where, cells);
  tuned.first = first.tuned;
  if (!claim.against) {
    for (const CellResult* one : first.cells) {
      CellEvidence& cell = evidence.cells.emplace_back();
      cell.cell = cell_text(one->cell.overrides);
      cell.exact = is_exact(*one);
      take_inside(judging_answers(claim, *one, limit), cell.first, cell.first_seeds, count);
    }
    return evidence;
  }
  const Group second = group_of(claim, *claim.against, cells);
  tuned.second = second.tuned;
  evidence.cells = compare_group(claim, first, second, limit, count);
  if (!claim.than) return evidence;
  const std::vector<CellEvidence> other = compare_group(claim, group_of(claim, claim.than->where, cells),
                                                        group_of(claim, claim.than->against, cells), limit, count);
  if (other.size() != evidence.cells.size())
    throw Error(ErrorKind::config, "claim " + claim.id + ": the comparison of `than` has other cells than the first");
  for (size_t i = 0; i < other.size(); ++i) compare_comparisons(claim, other[i], evidence.cells[i], evidence.outside);
  return evidence;
}

PairedEvidence gather_pairs(const Claim& claim, const std::vector<CellResult>& cells, const SeedLimit& limit) {
  PairedEvidence evidence;
  for (const CellResult& cell : cells) {
    if (!matches(claim.where, cell.cell.config)) continue;
    const Outcomes first = required_outcomes(claim, cell, claim.quantity);
    const Outcomes second = required_outcomes(claim, cell, claim.with);
    const Outcomes conditions = claim.given.empty() ? Outcomes{} : required_outcomes(claim, cell, claim.given);
    PairedOutcomes& pairs = evidence.cells.emplace_back();
    for (size_t i = 0; i < static_cast<size_t>(seeds_within(limit, cell)); ++i) {
      const Membership belongs = conditions.empty() ? Membership::inside : membership(conditions[i]);
      if (belongs == Membership::outside) {
        ++evidence.outside;
        continue;
      }
      if (belongs == Membership::unknown) ++evidence.undecided;
      const Outcome anything{std::nullopt, false, !conditions.empty() && conditions[i].diverged};
      pairs.first.push_back(belongs == Membership::inside ? first[i] : anything);
      pairs.second.push_back(belongs == Membership::inside ? second[i] : anything);
    }
  }
  return evidence;
}

}  // namespace atto

#include <algorithm>
#include <cmath>

#include "math/statistics.h"
#include "phenomena/claims/shared_seeds.h"
#include "phenomena/claims/verdict.h"

namespace atto {
namespace {

Verdict verdict_of(const Claim& claim, const Estimate& found) {
  Verdict verdict;
  verdict.seeds = found.seeds;
  verdict.missing = found.missing;
  verdict.censored = found.censored;
  verdict.diverged = found.diverged;
  verdict.note = found.obstacle;
  verdict.cells = 1;
  if (!verdict.note.empty()) return verdict;

  verdict.note = found.remark;
  if (!std::isnan(found.value)) verdict.estimate = found.value;
  else verdict.note = "the estimate is undefined (0/0 or a difference of infinities)";
  verdict.low = found.low;
  verdict.high = found.high;
  verdict.kind = claim.region().classify({found.value, found.low, found.high});
  return verdict;
}

// A run that no seed changes has no spread: its answer is the interval.
Estimate exact_estimate(const CellEvidence& cell, const Claim& claim) {
  Estimate estimate;
  estimate.count(cell.first);
  estimate.count(cell.second);
  Answer answer = cell.first.empty() ? Answer{} : cell.first.front();
  if (cell.compared && !cell.second.empty())
    answer = claim.compare == Comparison::ratio ? ratio(answer, cell.second.front())
                                                : difference(answer, cell.second.front());
  estimate.set({answer.value.value_or(Estimate::kNone), answer.low, answer.high});
  return estimate;
}

Estimate estimate_cell(const Claim& claim, const CellEvidence& cell, const Certainty& certainty) {
  if (cell.exact && !cell.first.empty()) return exact_estimate(cell, claim);
  if (!cell.compared) return summarise(cell.first, claim.statistic, certainty);
  return cell.paired ? compare_pairs(cell.first, cell.second, claim.statistic, claim.compare, certainty)
                     : compare_groups(cell.first, cell.second, claim.statistic, claim.compare, certainty);
}

// How far an interval reaches into the region, as a share of its width: the least of the cells is the one that decides.
double slack(const Claim& claim, const Verdict& verdict) {
  if (!verdict.low) return -std::numeric_limits<double>::infinity();
  return std::min(*verdict.low - claim.low, claim.high - *verdict.high);
}

void add_counts(const Verdict& one, Verdict& all) {
  all.seeds += one.seeds;
  all.missing += one.missing;
  all.censored += one.censored;
  all.diverged += one.diverged;
  ++all.cells;
}

// "In every cell": supported where each cell's interval lies inside (no correction is needed: all of them would have to
// err together), refuted where that of one cell lies outside although the error is shared by all of them.
Verdict judge_every(const Claim& claim, const Evidence& evidence, const Certainty& certainty) {
  std::vector<Verdict> plain, strict;
  const Certainty shared = certainty.shared(std::ssize(evidence.cells));
  for (const CellEvidence& cell : evidence.cells) {
    plain.push_back(verdict_of(claim, estimate_cell(claim, cell, certainty)));
    strict.push_back(verdict_of(claim, estimate_cell(claim, cell, shared)));
  }
  const auto least_slack = [&](const std::vector<Verdict>& verdicts, VerdictKind kind) {
    size_t worst = verdicts.size();
    for (size_t i = 0; i < verdicts.size(); ++i)
      if (verdicts[i].kind == kind &&
          (worst == verdicts.size() || slack(claim, verdicts[i]) < slack(claim, verdicts[worst])))
        worst = i;
    return worst;
  };
  const std::vector<Verdict>* from = &strict;
  size_t chosen = least_slack(strict, VerdictKind::refuted);
  if (chosen == strict.size()) {
    from = &plain;
    for (const VerdictKind kind : {VerdictKind::inconclusive, VerdictKind::refuted, VerdictKind::supported})
      if (chosen == strict.size()) chosen = least_slack(plain, kind);
  }
  Verdict verdict = (*from)[chosen];
  if (from == &plain && verdict.kind == VerdictKind::refuted) verdict.kind = VerdictKind::inconclusive;
  verdict.seeds = verdict.missing = verdict.censored = verdict.diverged = verdict.cells = 0;
  for (const Verdict& one : plain) add_counts(one, verdict);
  const std::string which = "in every one of " + std::to_string(plain.size()) +
                            " cells; shown is the least favourable, " + evidence.cells[chosen].cell;
  verdict.note = verdict.note.empty() ? which : verdict.note + "; " + which;
  return verdict;
}

// Each cell is one value, known as far as its runs are: the statistic with all answers at their lower, and at their
// upper bounds. How many runs there are does not matter where all are known: the spread that counts is that over cells.
Answer answer_of_cell(const Claim& claim, const CellEvidence& cell) {
  const Estimate found = estimate_cell(claim, cell, {});
  const auto known = [](const RunAnswers& answers) {
    return std::all_of(answers.begin(), answers.end(), [](const Answer& one) { return one.known(); });
  };
  const bool all_known = known(cell.first) && known(cell.second);
  if (std::isnan(found.value) || (!all_known && !found.obstacle.empty())) {
    Answer nothing;
    nothing.missing = true;
    return nothing;
  }
  Answer answer = Answer::exactly(found.value);
  if (all_known) return answer;
  // Where answers are not known, what the whole interval allows stands for the cell.
  answer.low = found.low;
  answer.high = found.high;
  answer.censored = found.censored > 0;
  return answer;
}

// A share of runs that all say yes looks certain however its runs are drawn again, and a cell of its size is not: the
// middle one of the cells' own intervals.
Interval as_sure_as_a_cell(const Claim& claim, const Evidence& evidence, const Certainty& certainty, double value) {
  std::vector<double> below, above;
  Certainty spent{.level = certainty.spent_level(), .exact_shares = certainty.exact_shares};
  for (const CellEvidence& cell : evidence.cells) {
    const Estimate own = estimate_cell(claim, cell, spent);
    if (!own.obstacle.empty() || std::isnan(own.value)) continue;
    below.push_back(own.value - own.low);
    above.push_back(own.high - own.value);
  }
  if (below.empty()) return {value, value, value};
  return {value, value - quantile(below, 0.5), value + quantile(above, 0.5)};
}

// What the seeds add to an interval over cells: independent errors add in quadrature.
void widen_by_seeds(const Claim& claim, const Evidence& evidence, const Certainty& certainty, Estimate& found) {
  if (!std::isfinite(found.value)) return;
  const auto widen_by = [&](const Interval& seeds) {
    if (!std::isnan(seeds.low))
      found.low = found.value - std::hypot(found.value - found.low, std::max(0.0, found.value - seeds.low));
    if (!std::isnan(seeds.high))
      found.high = found.value + std::hypot(found.high - found.value, std::max(0.0, seeds.high - found.value));
  };
  widen_by(claim.statistic == Statistic::rate ? as_sure_as_a_cell(claim, evidence, certainty, found.value)
                                              : interval_by_seeds(claim, evidence, certainty));
}

Verdict judge_cells(const Claim& claim, const Evidence& evidence, const Certainty& certainty) {
  RunAnswers cells;
  Verdict counts;
  for (const CellEvidence& cell : evidence.cells) {
    cells.push_back(answer_of_cell(claim, cell));
    add_counts(verdict_of(claim, estimate_cell(claim, cell, {})), counts);
  }
  Estimate found = summarise(cells, Statistic::median, certainty);
  const auto with_value =
      std::count_if(cells.begin(), cells.end(), [](const Answer& one) { return one.value.has_value(); });
  if (!found.obstacle.empty())
    found.obstacle = "the median over cells needs at least " + std::to_string(kFewestValues) +
                     " of them with a value; there are " + std::to_string(with_value) +
                     " (pool = \"every\" takes any number)";
  else found.remark = "the median over " + std::to_string(cells.size()) + " cells, each counted once";
  if (found.obstacle.empty()) widen_by_seeds(claim, evidence, certainty, found);
  Verdict verdict = verdict_of(claim, found);
  verdict.seeds = counts.seeds;
  verdict.missing = counts.missing;
  verdict.censored = counts.censored;
  verdict.diverged = counts.diverged;
  verdict.cells = counts.cells;
  return verdict;
}

}  // namespace

Answer answer_to(const Claim& claim, const Outcome& outcome) {
  if (claim.by) return by_answer(outcome, *claim.by);
  return claim.statistic == Statistic::rate ? yes_answer(outcome) : number_answer(outcome);
}

Verdict judge(const Claim& claim, const Evidence& evidence, const Certainty& certainty) {
  Verdict verdict;
  if (evidence.cells.size() == 1) {
    verdict = verdict_of(claim, estimate_cell(claim, evidence.cells.front(), certainty));
  } else if (evidence.cells.empty()) {
    verdict.note = "there are no runs";
  } else {
    verdict =
        claim.pool == Pool::every ? judge_every(claim, evidence, certainty) : judge_cells(claim, evidence, certainty);
  }
  verdict.outside = evidence.outside;
  verdict.paired = !evidence.cells.empty() && std::all_of(evidence.cells.begin(), evidence.cells.end(),
                                                          [](const CellEvidence& one) { return one.paired; });
  return verdict;
}

Verdict judge(const Claim& claim, const Outcomes& first, const Outcomes& second) {
  CellEvidence cell;
  for (const Outcome& one : first) cell.first.push_back(answer_to(claim, one));
  for (const Outcome& one : second) cell.second.push_back(answer_to(claim, one));
  cell.compared = claim.against.has_value();
  return judge(claim, Evidence{{std::move(cell)}, 0});
}

Verdict judge_pairs(const Claim& claim, const PairedEvidence& evidence, const Certainty& certainty) {
  Verdict verdict = verdict_of(claim, claim.statistic == Statistic::correlation
                                          ? summarise_correlation(evidence.cells, certainty)
                                          : summarise_coincidence(evidence.cells, claim.within, certainty));
  verdict.cells = std::ssize(evidence.cells);
  verdict.outside = evidence.outside;
  return verdict;
}

}  // namespace atto

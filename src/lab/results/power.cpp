#include "lab/results/power.h"

#include <algorithm>
#include <cmath>

#include "lab/provenance/question.h"
#include "lab/results/evidence.h"
#include "lab/results/format_text.h"
#include "training/optimizers/optimizer.h"

namespace atto {
namespace {

// What a claim has to be decided with.
struct Means {
  int64_t seeds = 0;  // of its smallest cell
  int64_t cells = 0;  // on its first side
  bool exact = true;  // no seed changes anything
};

Means means_of(const Study& study, const std::vector<Cell>& cells, const Claim& claim) {
  Means means{kMaxRuns, 0, true};
  for (const Cell& cell : cells) {
    if (!speaks_of(study, claim, cell.config)) continue;
    means.seeds = std::min(means.seeds, seeds_at_look(study.seeds, cell.seeds, look_count(study.seeds) - 1));
    means.cells += matches(claim.where, cell.config);
    means.exact = means.exact && optimizer_kind(cell.config.training).flow;
  }
  if (!claim.tune.empty()) means.seeds -= means.seeds / kTuningShare;
  return means;
}

// Verdicts on outcomes that were made up.
struct Trial {
  const Claim& claim;
  int64_t seeds;
  const Certainty& certainty;  // of a verdict on one cell
  const Certainty& shared;     // of one that refutes what is said of every cell
  Reach& reach;

  void add(const RunAnswers& first, const RunAnswers& second) {
    CellEvidence cell{"", first, second, claim.against.has_value(), claim.paired.value_or(true), false};
    const Evidence evidence{{std::move(cell)}, 0};
    reach.supported = reach.supported || judge(claim, evidence, certainty).kind == VerdictKind::supported;
    reach.refuted = reach.refuted || judge(claim, evidence, shared).kind == VerdictKind::refuted;
  }
  RunAnswers so_many(int64_t yes) const {
    RunAnswers answers;
    for (int64_t i = 0; i < seeds; ++i) answers.push_back(Answer::exactly(i < yes ? 1 : 0));
    return answers;
  }
  // Next to nothing apart: a mean of equal values has no interval.
  RunAnswers all(double value) const {
    RunAnswers answers;
    const double apart = claim.statistic == Statistic::mean ? 1e-9 * std::max(1.0, std::abs(value)) : 0;
    for (int64_t i = 0; i < seeds; ++i) answers.push_back(Answer::exactly(i % 2 == 0 ? value : value + apart));
    return answers;
  }
};

void try_shares(Trial trial) {
  if (!trial.claim.against) {
    for (int64_t yes = 0; yes <= trial.seeds; ++yes) trial.add(trial.so_many(yes), {});
    return;
  }
  constexpr int64_t kParts = 4;
  for (int64_t first = 0; first <= kParts; ++first)
    for (int64_t second = 0; second <= kParts; ++second)
      trial.add(trial.so_many(first * trial.seeds / kParts), trial.so_many(second * trial.seeds / kParts));
}

// Values inside and outside of the region, positive where they are ratios.
std::vector<double> telling_values(const Claim& claim) {
  const bool from = std::isfinite(claim.low), to = std::isfinite(claim.high);
  const bool ratio = claim.against && claim.compare == Comparison::ratio;
  std::vector<double> values;
  if (from && to) values.push_back((claim.low + claim.high) / 2);
  if (from) values.insert(values.end(), {claim.low - 1, claim.low / 2, claim.low + 1});
  if (to) values.insert(values.end(), {claim.high - 1, claim.high / 2, claim.high + 1});
  if (!from && !to) values.push_back(1);
  if (ratio) std::erase_if(values, [](double value) { return value <= 0; });
  return values;
}

void try_values(Trial trial) {
  const bool ratio = trial.claim.compare == Comparison::ratio;
  for (const double value : telling_values(trial.claim))
    trial.add(trial.all(value), trial.claim.against ? trial.all(ratio ? 1 : 0) : RunAnswers{});
}

}  // namespace

std::string Reach::best() const {
  if (!known) return "unknown";
  return supported && refuted ? "either" : supported ? "supported" : refuted ? "refuted" : "inconclusive";
}

std::string Reach::text() const {
  if (!known || (supported && refuted)) return "";
  const std::string what = !supported && !refuted ? "decide" : supported ? "refute" : "support";
  return claim + ": no outcome of " + count_text(seeds, "run") + " would " + what + " it";
}

std::vector<Reach> reach_of_claims(const Study& study, const std::vector<Cell>& cells) {
  std::vector<Reach> all;
  const int looks = look_count(study.seeds);
  const Certainty certainty{.anytime = study.seeds.until == Until::decided, .look = looks, .looks = looks};
  for (const Claim& claim : study.claims) {
    const Means means = means_of(study, cells, claim);
    Reach& reach = all.emplace_back(Reach{claim.id, means.seeds});
    if (means.exact) continue;
    if (claim.statistic == Statistic::fit || takes_pairs(claim.statistic)) {
      reach.known = false;
      continue;
    }
    reach.supported = reach.refuted = false;
    const bool of_cells = claim.pool == Pool::cells;  // each of them one value, of which the median is taken
    Claim asked = claim;
    if (of_cells) asked.statistic = Statistic::median;
    const Certainty shared = certainty.shared(of_cells ? 1 : std::max<int64_t>(means.cells, 1));
    const Trial trial{asked, of_cells ? means.cells : means.seeds, certainty, shared, reach};
    if (asked.statistic == Statistic::rate) try_shares(trial);
    else try_values(trial);
  }
  return all;
}

std::vector<std::string> reach_lines(const std::vector<Reach>& all) {
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {"either", "can be supported or refuted"},
      {"supported", "can be supported at best, not refuted"},
      {"refuted", "can be refuted at best, not supported"},
      {"inconclusive", "inconclusive at best"},
      {"unknown", "not said of fits, correlations and coincidences, which depends on the runs"}};
  std::vector<std::string> lines;
  for (const auto& [kind, words] : kinds) {
    std::string ids;
    for (const Reach& one : all)
      if (one.best() == kind) ids += (ids.empty() ? "" : ", ") + one.claim;
    if (!ids.empty()) lines.push_back(words + ": " + ids);
  }
  return lines;
}

}  // namespace atto

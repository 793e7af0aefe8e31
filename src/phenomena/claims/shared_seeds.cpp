#include "phenomena/claims/shared_seeds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/statistics.h"
#include "phenomena/outcomes/compare.h"

namespace atto {
namespace {

constexpr size_t kNone = std::numeric_limits<size_t>::max();

// The answers of one side of a cell, found by the number of their seed among all seeds.
class AnswersBySeed {
 public:
  AnswersBySeed(const RunAnswers& answers, const std::vector<int64_t>& of_answers, const std::vector<int64_t>& all)
      : answers_(answers), places_(all.size(), kNone) {
    for (size_t i = 0; i < of_answers.size(); ++i)
      places_[static_cast<size_t>(std::lower_bound(all.begin(), all.end(), of_answers[i]) - all.begin())] = i;
  }

  // Those of the drawn seeds, each as often as it was drawn.
  const RunAnswers& of(std::span<const size_t> drawn) {
    chosen_.clear();
    for (const size_t seed : drawn)
      if (places_[seed] != kNone) chosen_.push_back(answers_[places_[seed]]);
    return chosen_;
  }

 private:
  const RunAnswers& answers_;
  std::vector<size_t> places_;  // by the number of the seed
  RunAnswers chosen_;
};

double number_of_cell(const Claim& claim, const CellEvidence& cell, const RunAnswers& first, const RunAnswers& second) {
  if (!cell.compared) return estimate_of(first, claim.statistic);
  return cell.paired ? estimate_of_pairs(first, second, claim.statistic, claim.compare)
                     : estimate_of_groups(first, second, claim.statistic, claim.compare);
}

// A cell's number as a function of the seeds; NaN where it has none of them.
class SeededCell {
 public:
  SeededCell(const Claim& claim, const CellEvidence& cell, const std::vector<int64_t>& seeds)
      : claim_(claim),
        cell_(cell),
        first_(cell.first, cell.first_seeds, seeds),
        second_(cell.second, cell.second_seeds, seeds) {}

  double number(std::span<const size_t> drawn) {
    return number_of_cell(claim_, cell_, first_.of(drawn), second_.of(drawn));
  }

 private:
  const Claim& claim_;
  const CellEvidence& cell_;
  AnswersBySeed first_, second_;
};

std::vector<int64_t> seeds_of(const Evidence& evidence) {
  std::vector<int64_t> seeds;
  for (const CellEvidence& cell : evidence.cells) {
    if (cell.exact) continue;
    seeds.insert(seeds.end(), cell.first_seeds.begin(), cell.first_seeds.end());
    seeds.insert(seeds.end(), cell.second_seeds.begin(), cell.second_seeds.end());
  }
  std::sort(seeds.begin(), seeds.end());
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  return seeds;
}

}  // namespace

Interval interval_by_seeds(const Claim& claim, const Evidence& evidence, const Certainty& certainty) {
  const std::vector<int64_t> seeds = seeds_of(evidence);
  std::vector<SeededCell> seeded;
  std::vector<double> same;  // of cells that no seed changes
  size_t fewest = kNone;
  for (const CellEvidence& cell : evidence.cells) {
    if (cell.exact) {
      const double number = number_of_cell(claim, cell, cell.first, cell.second);
      if (!std::isnan(number)) same.push_back(number);
      continue;
    }
    seeded.emplace_back(claim, cell, seeds);
    fewest = std::min(fewest, cell.first.size());
  }
  std::vector<double> numbers;
  const auto median_over_cells = [&](std::span<const size_t> drawn) {
    numbers = same;
    for (SeededCell& cell : seeded)
      if (const double number = cell.number(drawn); !std::isnan(number)) numbers.push_back(number);
    return quantile(numbers, 0.5);
  };
  if (seeds.empty()) {
    const double value = median_over_cells({});
    return {value, value, value};
  }
  if (fewest >= kFewestValues) return bootstrap_units(seeds.size(), fewest, median_over_cells, certainty.spent_level());
  // So few show no percentiles.
  const double t = student_quantile(std::max(static_cast<double>(fewest) - 1, 1.0), 0.5 + certainty.spent_level() / 2);
  std::vector<size_t> all(seeds.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const double value = median_over_cells(all), half = t * resampled_error(seeds.size(), median_over_cells);
  return {value, value - half, value + half};
}

}  // namespace atto

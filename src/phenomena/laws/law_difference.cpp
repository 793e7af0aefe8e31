#include "phenomena/laws/law_difference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "phenomena/laws/law_bootstrap.h"

namespace atto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Side {
  LawObservations data;
  std::vector<size_t> given;  // the cell that each of the observations' cells is for the caller
  size_t number;

  explicit Side(const LawSide& side) : number(side.number) {
    PowerLaw counts;
    data = gather_observations(side.names.size(), side.runs, counts);
    // gather_observations numbers cells as they come.
    for (const LawRun& run : side.runs) {
      if (!run.time.value || !std::isfinite(*run.time.value) || *run.time.value <= 0) continue;
      if (std::find(given.begin(), given.end(), run.cell) == given.end()) given.push_back(run.cell);
    }
  }
};

// What the caller's cells are weighted by: cells of both sides that are the same, or that alone have the same sizes,
// are one cluster.
using Clusters = std::map<std::pair<int, size_t>, size_t>;  // (side, cell) → cluster

Clusters cluster(const LawSide& first, const LawSide& second) {
  const auto cells_of = [](const LawSide& side) {
    std::map<size_t, std::vector<double>> cells;
    for (const LawRun& run : side.runs) cells.try_emplace(run.cell, run.terms);
    return cells;
  };
  const auto first_cells = cells_of(first), second_cells = cells_of(second);
  const auto alone_with = [](const auto& cells, const std::vector<double>& terms) -> std::optional<size_t> {
    std::optional<size_t> found;
    for (const auto& [cell, other] : cells) {
      if (other != terms) continue;
      if (found) return std::nullopt;
      found = cell;
    }
    return found;
  };
  Clusters clusters;
  size_t next = 0;
  for (const auto& [cell, terms] : first_cells) clusters[{0, cell}] = next++;
  for (const auto& [cell, terms] : second_cells) {
    std::optional<size_t> partner;
    if (first_cells.contains(cell)) partner = cell;
    else if (first.names == second.names && alone_with(second_cells, terms)) partner = alone_with(first_cells, terms);
    if (partner && partner != cell && second_cells.contains(*partner)) partner.reset();  // it is itself in both
    clusters[{1, cell}] = partner ? clusters.at({0, *partner}) : next++;
  }
  return clusters;
}

// The result is a difference of two of these: of the numbers, or for a ratio of their logarithms. Constants are fitted
// as logarithms.
double part(double fitted, bool constant, Comparison compare) {
  if (compare == Comparison::difference) return constant ? std::exp(fitted) : fitted;
  if (constant) return fitted;
  return fitted > 0 ? std::log(fitted) : std::numeric_limits<double>::quiet_NaN();
}

// How it moves with what was fitted.
double slope(double fitted, bool constant, Comparison compare) {
  if (compare == Comparison::difference) return constant ? std::exp(fitted) : 1;
  return constant ? 1 : 1 / fitted;
}

// Do the runs of a cell say the same on both sides?
bool same_times(const LawSide& first, const LawSide& second, size_t cell) {
  const auto times = [cell](const LawSide& side) {
    Outcomes list;
    for (const LawRun& run : side.runs)
      if (run.cell == cell) list.push_back(run.time);
    return list;
  };
  return times(first) == times(second);
}

struct Comparer {
  const LawSide &first, &second;
  bool first_constant, second_constant;
  Comparison compare;
  double confidence;
  int64_t resamples;
  uint64_t seed;

  double of(const LawNumbers& a, const LawNumbers& b) const {
    return part(a.coefficients(static_cast<Eigen::Index>(first.number)), first_constant, compare) -
           part(b.coefficients(static_cast<Eigen::Index>(second.number)), second_constant, compare);
  }

  Stretch stretch(const Side (&sides)[2], const LawNumbers (&best)[2], const Clusters& clusters) const {
    // Errors: one for each cell, once where both sides read the same times in it.
    std::map<std::pair<int, size_t>, Eigen::Index> errors;
    std::map<size_t, Eigen::Index> rows;
    CellInfluence influences[2] = {cell_influence(sides[0].data), cell_influence(sides[1].data)};
    for (const int side : {0, 1})
      for (const size_t numbered : influences[side].cells) {
        const size_t cell = sides[side].given[numbered];
        const auto other = errors.find({0, cell});
        const bool known = side == 1 && other != errors.end() && same_times(first, second, cell);
        const Eigen::Index place = known ? other->second : std::ssize(errors);
        errors[{side, cell}] = place;
        rows.try_emplace(clusters.at({side, cell}), std::ssize(rows));
      }
    Eigen::MatrixXd moves = Eigen::MatrixXd::Zero(std::ssize(rows), std::ssize(errors));
    Eigen::VectorXd direct = Eigen::VectorXd::Zero(std::ssize(errors));
    for (const int side : {0, 1}) {
      const CellInfluence& one = influences[side];
      const auto number = static_cast<Eigen::Index>(sides[side].number);
      const double sign = side == 0 ? 1 : -1;
      const double scale =
          sign * best[side].deviation *
          slope(best[side].coefficients(number), side == 0 ? first_constant : second_constant, compare);
      for (size_t g = 0; g < one.cells.size(); ++g) {
        const auto at = static_cast<Eigen::Index>(g);
        const Eigen::Index row = rows.at(clusters.at({side, sides[side].given[one.cells[g]]}));
        for (size_t h = 0; h < one.cells.size(); ++h)
          moves(row, errors.at({side, sides[side].given[one.cells[h]]})) +=
              scale * one.a(number, at) * one.rest(at, static_cast<Eigen::Index>(h));
        direct(errors.at({side, sides[side].given[one.cells[g]]})) += scale * one.a(number, at);
      }
    }
    if (!(direct.squaredNorm() > 0)) return {};
    return stretch_of(moves, direct.squaredNorm(), confidence);
  }

  std::optional<LawNumber> with(const std::vector<LawRun>& first_runs, const std::vector<LawRun>& second_runs) const {
    const LawSide placed[2] = {{first.names, first_runs, first.number}, {second.names, second_runs, second.number}};
    const Side sides[2] = {Side(placed[0]), Side(placed[1])};
    if (sides[0].given.empty() || sides[1].given.empty()) return std::nullopt;  // no time at all to fit
    const LawFitter fitters[2] = {LawFitter(sides[0].data), LawFitter(sides[1].data)};
    const std::optional<LawNumbers> fits[2] = {fitters[0].fit(), fitters[1].fit()};
    if (!fits[0] || !fits[1]) return std::nullopt;
    const LawNumbers best[2] = {*fits[0], *fits[1]};
    const Clusters clusters = cluster(placed[0], placed[1]);
    std::vector<double> lows, highs;
    for (int64_t draw = 0; draw < resamples; ++draw) {
      std::optional<LawNumbers> drawn[2];
      for (const int side : {0, 1}) {
        Eigen::VectorXd weights(sides[side].data.y.size());
        std::vector<double> by_cell;
        for (const size_t cell : sides[side].given)
          by_cell.push_back(cell_weight(seed, draw, clusters.at({side, cell})));
        for (Eigen::Index row = 0; row < weights.size(); ++row)
          weights(row) = by_cell[sides[side].data.cells[static_cast<size_t>(row)]];
        drawn[side] = fitters[side].fit(weights);
      }
      if (!drawn[0] || !drawn[1]) continue;
      const double value = of(*drawn[0], *drawn[1]);
      lows.push_back(std::isnan(value) ? -kInfinity : value);  // it could be anything
      highs.push_back(std::isnan(value) ? kInfinity : value);
    }
    const double centre = of(best[0], best[1]), tail = (1 - confidence) / 2;
    const Stretch stretched = stretch(sides, best, clusters);
    const double factor =
        weight_spread(std::min(sides[0].data.cell_count, sides[1].data.cell_count)) * stretched.factor;
    LawNumber number{{centre, centre + factor * std::min(0.0, quantile(lows, tail) - centre),
                      centre + factor * std::max(0.0, quantile(highs, 1 - tail) - centre)},
                     stretched.freedom,
                     {}};
    if (compare == Comparison::ratio)
      for (double* one : {&number.estimate, &number.low, &number.high}) *one = std::exp(*one);
    return number;
  }
};

bool all_have_times(const std::vector<LawRun>& runs) {
  return std::all_of(runs.begin(), runs.end(), [](const LawRun& run) {
    return run.time.value && std::isfinite(*run.time.value) && *run.time.value > 0;
  });
}

}  // namespace

std::optional<LawNumber> compare_law_numbers(const LawSide& first, const LawSide& second, Comparison compare,
                                             double confidence, int64_t resamples, uint64_t seed) {
  const Comparer comparer{first, second, first.number == 0, second.number == 0, compare, confidence, resamples, seed};
  std::optional<LawNumber> number = comparer.with(first.runs, second.runs);
  if (!number || (all_have_times(first.runs) && all_have_times(second.runs))) return number;
  number->seen = *number;
  for (const bool up : {true, false}) {
    const auto other =
        comparer.with(with_unknown_at(first.runs, first.number, up), with_unknown_at(second.runs, second.number, !up));
    if (!other) continue;
    number->low = std::min(number->low, other->low);
    number->high = std::max(number->high, other->high);
  }
  return number;
}

}  // namespace atto

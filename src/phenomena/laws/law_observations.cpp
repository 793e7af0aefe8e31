#include "phenomena/laws/law_observations.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace atto {

LawObservations LawObservations::without(const std::vector<bool>& left_out) const {
  const auto kept = std::count(left_out.begin(), left_out.end(), false);
  LawObservations rest{Eigen::MatrixXd(kept, x.cols()), Eigen::VectorXd(kept), {}, {}, cell_count};
  Eigen::Index next = 0;
  for (Eigen::Index row = 0; row < y.size(); ++row) {
    const auto i = static_cast<size_t>(row);
    if (left_out[i]) continue;
    rest.x.row(next) = x.row(row);
    rest.y(next++) = y(row);
    rest.censored.push_back(censored[i]);
    rest.cells.push_back(cells[i]);
  }
  return rest;
}

namespace {

bool has_time(const LawRun& run) { return run.time.value && std::isfinite(*run.time.value) && *run.time.value > 0; }

}  // namespace

std::vector<LawRun> with_unknown_at(const std::vector<LawRun>& runs, size_t coefficient, bool up) {
  double earliest = std::numeric_limits<double>::infinity(), latest = 0;
  for (const LawRun& run : runs) {
    if (!has_time(run)) continue;
    earliest = std::min(earliest, *run.time.value);
    latest = std::max(latest, *run.time.value);
  }
  // The weight of each run in the coefficient's least-squares estimate.
  const auto terms = static_cast<Eigen::Index>(runs.front().terms.size());
  Eigen::MatrixXd x(std::ssize(runs), terms + 1);
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    x(row, 0) = 1;
    for (Eigen::Index term = 0; term < terms; ++term)
      x(row, term + 1) = std::log(runs[static_cast<size_t>(row)].terms[static_cast<size_t>(term)]);
  }
  const Eigen::MatrixXd inverse = (x.transpose() * x).ldlt().solve(Eigen::MatrixXd::Identity(terms + 1, terms + 1));
  const Eigen::VectorXd weights = x * inverse.col(static_cast<Eigen::Index>(coefficient));
  std::vector<LawRun> placed = runs;
  for (size_t i = 0; i < placed.size(); ++i) {
    if (has_time(placed[i])) continue;
    const bool late = (weights(static_cast<Eigen::Index>(i)) > 0) == up;
    placed[i].time = {late ? latest : earliest, false, placed[i].time.diverged};
  }
  return placed;
}

LawObservations gather_observations(size_t terms, const std::vector<LawRun>& runs, PowerLaw& law) {
  std::vector<const LawRun*> usable;
  std::map<size_t, size_t> numbers;
  std::set<size_t> asked;
  law.runs = std::ssize(runs);
  for (const LawRun& run : runs) {
    asked.insert(run.cell);
    const Outcome& time = run.time;
    const bool exists = time.value && std::isfinite(*time.value);
    if (time.diverged) ++law.diverged;
    else if (!exists) ++law.missing;
    if (!exists) continue;
    if (*time.value <= 0) {
      ++law.not_positive;
      continue;
    }
    usable.push_back(&run);
    law.censored += time.censored;
    numbers.try_emplace(run.cell, numbers.size());
  }
  law.used = std::ssize(usable);
  law.cells = std::ssize(asked);
  LawObservations data{
      Eigen::MatrixXd(law.used, static_cast<Eigen::Index>(terms)), Eigen::VectorXd(law.used), {}, {}, numbers.size()};
  for (Eigen::Index row = 0; row < law.used; ++row) {
    const LawRun& run = *usable[static_cast<size_t>(row)];
    for (size_t term = 0; term < terms; ++term)
      data.x(row, static_cast<Eigen::Index>(term)) = std::log(run.terms[term]);
    data.y(row) = std::log(*run.time.value);
    data.censored.push_back(run.time.censored);
    data.cells.push_back(numbers.at(run.cell));
  }
  return data;
}

std::string obstacle_to_law(const std::vector<std::string>& names, const LawObservations& data, const PowerLaw& law) {
  const size_t parameters = names.size() + 1;
  if (names.empty()) return "the law has no terms";
  if (law.runs == 0) return "there are no runs";
  for (Eigen::Index term = 0; term < data.x.cols(); ++term)
    if (!data.x.col(term).allFinite())
      return "the term '" + names[static_cast<size_t>(term)] + "' is not positive and finite in every run";
  std::set<size_t> telling;  // cells with at least one time that is known
  for (size_t i = 0; i < data.cells.size(); ++i)
    if (!data.censored[i]) telling.insert(data.cells[i]);
  if (telling.size() < parameters + 1)
    return "a law of " + std::to_string(parameters) + " parameters needs known times in at least " +
           std::to_string(parameters + 1) + " cells, and there are " + std::to_string(telling.size()) +
           (law.censored > 0 ? " (" + std::to_string(law.censored) + " runs ended too early)" : "");
  if (data.regression().rank() == static_cast<Eigen::Index>(parameters)) return "";
  for (Eigen::Index term = 0; term < data.x.cols(); ++term)
    if (CensoredRegression(data.x.col(term), data.y, data.censored).rank() < 2)
      return "the term '" + names[static_cast<size_t>(term)] + "' has the same value wherever the time is known";
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "'" : ", '") + name + "'";
  return "the terms " + list + " move together, so their exponents cannot be told apart";
}

}  // namespace atto

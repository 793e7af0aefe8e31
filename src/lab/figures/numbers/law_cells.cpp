#include "lab/figures/numbers/law_cells.h"

#include <algorithm>
#include <cmath>

#include "lab/figures/geometry/thin.h"
#include "lab/figures/panels/arrange.h"
#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

constexpr size_t kMostLawCells = 1500;  // with two points of lines, two points and two intervals each

}  // namespace

bool share_keys(const Fit::Term& a, const Fit::Term& b) {
  return std::any_of(a.expression.names().begin(), a.expression.names().end(), [&](const Expression::Name& one) {
    return std::any_of(b.expression.names().begin(), b.expression.names().end(),
                       [&](const Expression::Name& other) { return other.name == one.name; });
  });
}

std::pair<double, double> LawCells::predictions() const {
  std::pair<double, double> ends{INFINITY, 0};
  for (const LawCell& cell : cells)
    ends = {std::min(ends.first, cell.predicted), std::max(ends.second, cell.predicted)};
  return ends;
}

std::vector<Estimate> LawCells::times() const {
  std::vector<Estimate> all;
  for (const LawCell& cell : cells) all.push_back(cell.time);
  return all;
}

LawCells law_cells(const FitResult& result, const FigureSource& source, size_t against, const std::string& color) {
  const std::vector<Fit::Term>& terms = result.fit.terms;
  std::optional<size_t> color_term;
  std::vector<size_t> apart;  // terms that tell lines apart
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].name == color) color_term = i;
    if (i != against && !share_keys(terms[i], terms[against])) apart.push_back(i);
  }
  LawCells all;
  std::vector<Shade> shades;
  std::vector<std::pair<std::string, std::vector<double>>> groups;
  int64_t untimed = 0;
  std::vector<std::vector<const LawRun*>> runs(source.result.cells.size());
  for (const LawRun& run : result.runs) runs[run.cell].push_back(&run);
  std::vector<const CellResult*> fitted = source.cells;
  const auto index_of = [&](const CellResult* cell) { return static_cast<size_t>(cell - source.result.cells.data()); };
  std::erase_if(fitted, [&](const CellResult* cell) { return runs[index_of(cell)].empty(); });
  const std::vector<size_t> shown = evenly(fitted.size(), kMostLawCells);
  for (const size_t i : shown) {
    const CellResult* cell = fitted[i];
    LawCell one;
    one.terms = runs[index_of(cell)].front()->terms;
    Outcomes times;
    for (const LawRun* run : runs[index_of(cell)]) times.push_back(run->time);
    one.time = summarise(times, Statistic::median);
    const double drawn = one.time.beyond() ? one.time.reached : one.time.value;
    if (!std::isfinite(drawn) || drawn <= 0) {
      ++untimed;
      continue;
    }
    one.size = one.terms[against];
    one.predicted = result.law.obstacle.empty() ? result.law.predict(one.terms) : Estimate::kNone;
    one.label = cell_label(cell->cell.overrides);
    if (color_term) shades.push_back({number_text(one.terms[*color_term]), one.terms[*color_term]});
    else if (!color.empty()) shades.push_back({value_text(*cell, color), value_number(*cell, color)});
    if (!color.empty()) one.color = shades.back().text;
    std::vector<double> key;
    for (const size_t term : apart) key.push_back(one.terms[term]);
    const std::pair group{one.color, key};
    const auto found = std::find(groups.begin(), groups.end(), group);
    one.group = found - groups.begin();
    if (found == groups.end()) {
      all.more_terms = all.more_terms || std::any_of(groups.begin(), groups.end(),
                                                     [&](const auto& other) { return other.first == one.color; });
      groups.push_back(group);
    }
    all.cells.push_back(one);
  }
  if (!color.empty()) all.color = shade_channel(shades, key_word(color));
  if (untimed > 0) all.notice = count_text(untimed, "cell") + " without a positive median time";
  if (shown.size() < fitted.size())
    all.notice = joined_notices(
        all.notice, count_text(std::ssize(shown)) + " of " + count_text(std::ssize(fitted), "cell") + " are shown");
  return all;
}

std::optional<PowerLaw> expected_law(const FitResult& result, const LawCells& cells) {
  if (result.fit.expected.empty() || !result.law.obstacle.empty()) return std::nullopt;
  PowerLaw law = result.law;
  for (LawExponent& one : law.exponents)
    for (const auto& [term, exponent] : result.fit.expected)
      if (term == one.term) one.exponent.estimate = exponent;
  law.constant.estimate = 1;
  double sum = 0;
  int64_t count = 0;
  for (const LawCell& cell : cells.cells) {
    if (cell.time.beyond()) continue;
    sum += std::log(cell.time.value / law.predict(cell.terms));
    ++count;
  }
  if (count == 0) return std::nullopt;
  law.constant.estimate = std::exp(sum / static_cast<double>(count));
  return law;
}

std::vector<double> heights(const LawCells& cells, const std::optional<PowerLaw>& expected) {
  std::vector<double> all;
  for (const LawCell& cell : cells.cells) {
    const double high = std::isfinite(cell.time.high) ? cell.time.high : cell.time.largest;
    all.insert(all.end(), {cell.time.low, cell.time.reached, high, cell.predicted});
    if (expected) all.push_back(expected->predict(cell.terms));
  }
  return all;
}

Json ratio_axis(const LawCells& cells) {
  double largest = 0;
  for (const LawCell& cell : cells.cells)
    for (const double one : {cell.time.low, cell.time.reached, std::min(cell.time.high, cell.time.largest)})
      if (one > 0) largest = std::max(largest, std::abs(std::log(one / cell.predicted)));
  double end = 1.02;
  for (const double next : {1.05, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 100.0, 1000.0})
    if (largest > std::log(end)) end = next;
  Json channel = quantitative("ratio", "measured / fitted", Scale::log);
  channel["scale"].update(
      {{"domain", {1 / (end * std::sqrt(std::sqrt(end))), end * std::sqrt(std::sqrt(end))}}, {"nice", false}});
  channel["axis"] = {{"values", {1 / end, 1.0, end}}, {"format", ".3~g"}};
  return channel;
}

}  // namespace atto

#include "lab/figures/numbers/summary_points.h"

#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "lab/figures/panels/arrange.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

constexpr size_t kCurvePoints = 40;    // of a curve of theory
constexpr size_t kMostCurves = 24;     // of a panel
constexpr double kLinesApart = 0.008;  // of the length of the axis, between the lines
constexpr int64_t kMostMoved = 8;      // lines; more would be moved too far

// Keys that tell lines apart: those that vary besides the axis.
std::vector<std::string> other_keys(const std::vector<const Cell*>& cells, const std::string& axis) {
  std::vector<std::string> keys;
  for (const SweptKey& one : swept_keys(cells))
    if (one.key != axis) keys.push_back(one.key);
  return keys;
}

// True when something moved.
bool move_apart(SummaryPanel& panel, const SummaryAxis& axis) {
  int64_t groups = 0;
  double low = INFINITY, high = -INFINITY;
  bool intervals = false;
  for (const SummaryPoint& point : panel.points) {
    if (!axis.can_show(point.x)) continue;
    groups = std::max(groups, point.group + 1);
    low = std::min(low, point.x);
    high = std::max(high, point.x);
    intervals = intervals || point.estimate.low < point.estimate.high;
  }
  const bool log = axis.log && axis.numeric();
  if (groups < 2 || groups > kMostMoved || !intervals || low >= high) return false;
  for (SummaryPoint& point : panel.points) {
    const double by = kLinesApart * (static_cast<double>(point.group) - static_cast<double>(groups - 1) / 2);
    if (axis.can_show(point.x)) point.shown_at = log ? point.x * std::pow(high / low, by) : point.x + by * (high - low);
  }
  return true;
}

}  // namespace

bool SummaryAxis::numeric() const {
  return std::all_of(key.values.begin(), key.values.end(), [](const Value& value) {
    return std::holds_alternative<int64_t>(value) || std::holds_alternative<double>(value);
  });
}

double SummaryAxis::place(const Value& value) const {
  if (!numeric()) return static_cast<double>(key.index(value));
  const auto* whole = std::get_if<int64_t>(&value);
  return whole ? static_cast<double>(*whole) : std::get<double>(value);
}

double SummaryAxis::place_of(const CellResult& cell) const {
  const double at = place(key_value(cell.cell, key.key));
  return per.empty() ? at : at / value_number(cell, per).value_or(NAN);
}

SummaryPoints summary_points(const FigureSource& source, const Panels& panels, const SummaryAxis& axis,
                             const std::string& color, const std::string& quantity) {
  const bool share = is_share(source.cells, quantity);
  // Where all lines differ in the same one key, the colours are its values.
  std::vector<const Cell*> all;
  for (const CellResult* cell : source.cells) all.push_back(&cell->cell);
  std::vector<std::string> apart = other_keys(all, axis.key.key);
  std::erase_if(apart, [&](const std::string& key) { return contains(panels.keys, key); });
  const std::string color_key = !color.empty() || apart.size() != 1 || !panels.filters.empty() ? color : apart.front();

  SummaryPoints points;
  std::vector<Panel> arranged = arrange(panels, color_key, source);
  bool colored = !color_key.empty();
  for (Panel& panel : arranged) {
    SummaryPanel& one = points.panels.emplace_back(SummaryPanel{panel.title, {}});
    std::vector<const Cell*> cells;
    for (const Member& member : panel.members) cells.push_back(&member.cell->cell);
    const std::vector<std::string> others = other_keys(cells, axis.key.key);
    std::vector<Overrides> groups;
    for (Member& member : panel.members) {
      Overrides own;
      for (const std::string& other : others) own.emplace_back(other, key_value(member.cell->cell, other));
      if (color_key.empty()) member.color = own.empty() ? "" : cell_label(own);
      colored = colored || !member.color.empty();
      SummaryPoint point;
      point.cell = member.cell;
      point.x = point.shown_at = axis.place_of(*member.cell);
      point.estimate = cell_estimate(*member.cell, quantity, share);
      point.color = member.color;
      point.label = member.label;
      point.group = std::find(groups.begin(), groups.end(), own) - groups.begin();
      if (point.group == std::ssize(groups)) groups.push_back(own);
      one.points.push_back(point);
    }
    points.moved = move_apart(one, axis) || points.moved;
  }
  if (colored) points.color = color_channel(arranged, color_key);
  return points;
}

std::vector<TheoryCurve> theory_curves(const std::vector<ReferenceLine>& lines, const SummaryPanel& panel,
                                       const SummaryAxis& axis, bool log_values) {
  std::vector<TheoryCurve> curves;
  for (const ReferenceLine& line : lines) {
    const size_t first_curve = curves.size();
    const auto& names = line.level.names();
    const bool at_cells = !axis.numeric() || std::any_of(names.begin(), names.end(),
                                                         [](const auto& name) { return name.name == "best_loss"; });
    std::vector<int64_t> groups;
    for (const SummaryPoint& first : panel.points) {
      if (std::find(groups.begin(), groups.end(), first.group) != groups.end() || curves.size() >= kMostCurves)
        continue;
      groups.push_back(first.group);
      TheoryCurve curve{"", first.color, false, {}};
      const double per = axis.per.empty() ? 1 : value_number(*first.cell, axis.per).value_or(NAN);
      const auto add = [&](double at, const CellResult& cell) {
        const double value = line.level.number([&](const std::string& name) {
          if (name == "best_loss") return cell.best_loss.value_or(NAN);
          if (name == axis.key.key && axis.numeric()) return at * per;
          return value_number(cell, name).value_or(NAN);
        });
        if (std::isfinite(value) && (!log_values || value > 0)) curve.points.emplace_back(at, value);
      };
      double low = INFINITY, high = -INFINITY;
      for (const SummaryPoint& point : panel.points) {
        if (point.group != first.group || !axis.can_show(point.x)) continue;
        low = std::min(low, point.x);
        high = std::max(high, point.x);
        if (at_cells) add(point.x, *point.cell);
      }
      for (size_t i = 0; !at_cells && low <= high && i < kCurvePoints; ++i) {
        const double share = static_cast<double>(i) / (kCurvePoints - 1);
        add(axis.log ? low * std::pow(high / low, share) : low + share * (high - low), *first.cell);
      }
      std::sort(curve.points.begin(), curve.points.end());
      const auto same = [&](const TheoryCurve& other) { return other.points == curve.points; };
      const auto earlier = curves.begin() + static_cast<std::ptrdiff_t>(first_curve);
      if (curve.points.empty() || std::any_of(earlier, curves.end(), same)) continue;
      curves.push_back(std::move(curve));
    }
    if (curves.size() == first_curve) continue;
    const auto top = [](const TheoryCurve& curve) {
      return std::max(curve.points.front().second, curve.points.back().second);
    };
    std::max_element(curves.begin() + static_cast<std::ptrdiff_t>(first_curve), curves.end(),
                     [&](const TheoryCurve& a, const TheoryCurve& b) { return top(a) < top(b); })
        ->label = line.label;
    const bool several = curves.size() > first_curve + 1;
    for (size_t i = first_curve; i < curves.size(); ++i) curves[i].one_of_several = several;
  }
  return curves;
}

}  // namespace atto

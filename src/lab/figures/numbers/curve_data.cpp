#include "lab/figures/numbers/curve_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "lab/figures/geometry/thin.h"
#include "lab/results/seed_curve.h"

namespace atto {
namespace {

constexpr size_t kBandPoints = 1500;  // over all lines of a figure
constexpr size_t kSeedPoints = 4000;  // over all lines of single seeds
constexpr size_t kFewestPoints = 10;
constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

// Indices of the points to keep, judged as they will be seen: on the figure's scales.
std::vector<size_t> chosen_points(const std::vector<double>& steps, const std::vector<double>& values,
                                  const CurveScales& scales, size_t count) {
  std::vector<double> x, y;
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool drawn = (scales.until == 0 || steps[i] <= static_cast<double>(scales.until)) &&
                       !(scales.log_steps && steps[i] <= 0) && !(scales.log_values && values[i] <= 0);
    x.push_back(scales.log_steps ? std::log(std::max(steps[i], 0.5)) : steps[i]);
    y.push_back(!drawn ? kGap : scales.log_values ? std::log(values[i]) : values[i]);
  }
  return thin(x, y, count);
}

}  // namespace

void Extent::include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

Json value_domain(const CurveData& data, Extent levels, bool log_values, bool all_seeds) {
  Extent domain = data.bands;
  domain.include(levels.low);
  domain.include(levels.high);
  if (domain.empty()) return nullptr;
  if (!data.seeds.empty() && all_seeds) {
    domain.include(data.seeds.low);
    domain.include(data.seeds.high);
  } else if (!data.seeds.empty()) {
    const Extent most = log_values ? Extent{domain.low / std::sqrt(domain.high / domain.low),
                                            domain.high * std::sqrt(domain.high / domain.low)}
                                   : Extent{domain.low - 0.5 * (domain.high - domain.low),
                                            domain.high + 0.5 * (domain.high - domain.low)};
    domain.include(std::max(data.seeds.low, most.low));
    domain.include(std::min(data.seeds.high, most.high));
  }
  if (domain.low == domain.high) {  // a constant needs some height to stand in
    const double margin = domain.low == 0 ? 1 : 0.1 * std::abs(domain.low);
    domain = {domain.low - margin, domain.high + margin};
  }
  return Json::array({domain.low, domain.high});
}

CurveBudget CurveBudget::over(size_t lines, int64_t most_seeds) {
  CurveBudget budget;
  lines = std::max<size_t>(lines, 1);
  budget.band = std::clamp<size_t>(kBandPoints / lines, kFewestPoints, 200);
  budget.seeds = std::min<size_t>(static_cast<size_t>(most_seeds), kSeedPoints / (kFewestPoints * lines));
  budget.seed = budget.seeds == 0 ? 0 : std::clamp<size_t>(kSeedPoints / (lines * budget.seeds), kFewestPoints, 120);
  return budget;
}

CurveData curve_data(const std::vector<CurveLine>& lines, const FigureSource& source, const CurveScales& scales,
                     const CurveBudget& budget) {
  DataTable points({"line", "step", "low", "value", "high", "seed"});
  DataTable names({"line", "color", "style", "label"});
  CurveData out;
  std::set<std::string> styles;
  for (size_t number = 0; number < lines.size(); ++number) {
    const CurveLine& line = lines[number];
    const auto id = static_cast<int64_t>(number);
    styles.insert(line.style);
    names.row({id, line.color, line.style, line.label});
    const std::vector<Recording> runs = load_runs(source, *line.cell, {line.address});
    const Curve curve = curve_over_seeds(runs, line.address, kBandTail);
    // On a logarithmic scale what is not positive lies below any picture; the band ends at the median there.
    const auto positive = [&](double value, double middle) { return scales.log_values && value <= 0 ? middle : value; };
    for (const size_t i : chosen_points(curve.steps, curve.middle, scales, budget.band)) {
      const double low = positive(curve.low[i], curve.middle[i]);
      for (const double value : {low, curve.middle[i], curve.high[i]}) out.bands.include(value);
      out.steps.include(curve.steps[i]);
      points.row({id, static_cast<int64_t>(curve.steps[i]), low, curve.middle[i], curve.high[i], kGap});
    }
    if (runs.size() < 2) continue;
    for (const size_t seed : evenly(runs.size(), budget.seeds)) {
      const Series& series = *runs[seed].find(line.address);
      const std::vector<double> steps(series.steps.begin(), series.steps.end());
      for (const size_t i : chosen_points(steps, series.values, scales, budget.seed)) {
        out.seeds.include(series.values[i]);
        out.steps.include(steps[i]);
        points.row({id, series.steps[i], kGap, series.values[i], kGap, line.cell->runs[seed].seed});
      }
      out.has_seeds = true;
    }
  }
  out.styles = styles.size();
  out.rows = points.rows();
  out.data = points.data();
  out.transform = Json::array(
      {{{"lookup", "line"},
        {"from", {{"data", names.data()}, {"key", "line"}, {"fields", Json::array({"color", "style", "label"})}}}}});
  return out;
}

}  // namespace atto

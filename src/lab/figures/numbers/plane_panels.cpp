#include "lab/figures/numbers/plane_panels.h"

#include <algorithm>

#include "lab/figures/geometry/thin.h"
#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

// The largest number of rows a panel may have so that all together have at most `most`.
size_t rows_of_each(const std::vector<PlanePanel>& panels, size_t most) {
  const auto total = [&](size_t each) {
    size_t sum = 0;
    for (const PlanePanel& panel : panels) sum += std::min(panel.rows.names.size(), each);
    return sum;
  };
  size_t each = most;
  while (each > 2 && total(each) > most) --each;
  return each;
}

}  // namespace

void PlaneSettings::describe(FigureSettings& settings) {
  settings.text("observable", observable, "address of a matrix whose rows are the points: embedding, positions")
      .choice("components", components,
              "first two dimensions, or first two principal components at the end; auto: the former for width 2")
      .panels("panels", panels, "what gets its own panel; every cell gets one in any case")
      .integer("seeds", seeds, 1, kMostPlanes, "how many typical seeds of a cell are shown, a panel each")
      .text("typical", typical, kTypicalHelp)
      .flag("labels", labels, "numbers next to the points, as many as do not overlap")
      .integer("columns", columns, 1, 6, "panels side by side");
}

SeriesNeeds PlaneSettings::needs() const {
  return with_typical(SeriesNeed::matrix(observable, "points", "width"), typical);
}

PlanePanels load_planes(const PlaneSettings& settings, const FigureSource& source, size_t most_rows) {
  PlanePanels loaded;
  const ShownRuns shown =
      typical_runs(arrange(settings.panels, "", source), source, settings.typical, settings.seeds, kMostPlanes);
  loaded.caption = shown.caption;
  loaded.notice = shown.notice;
  size_t without = 0;
  for (const ShownRun& run : shown.runs) {
    Recording recording = source.load(*run.cell, run.id(), {settings.observable});
    const Series* series = find_matrix(recording, settings.observable);
    if (series == nullptr || measurement_at(*series, INT64_MAX) == series->steps.size()) {
      ++without;
      continue;
    }
    PlanePanel panel{run, *series, row_names(*series, run.cell->cell.config), {}};
    loaded.panels.push_back(std::move(panel));
  }
  if (without > 0)
    loaded.notice = joined_notices(loaded.notice, "no matrix '" + settings.observable + "' to draw in " +
                                                      count_text(static_cast<int64_t>(without), "run"));
  std::string thinned;
  const size_t each = rows_of_each(loaded.panels, most_rows);
  for (PlanePanel& panel : loaded.panels) {
    const size_t rows = panel.rows.names.size();
    panel.drawn = evenly(rows, each);
    if (panel.drawn.size() < rows)
      thinned = "of " + count_text(static_cast<int64_t>(rows), panel.rows.noun) + " only " +
                count_text(std::ssize(panel.drawn)) + " are drawn";
  }
  loaded.notice = joined_notices(loaded.notice, thinned);
  return loaded;
}

std::string principal_text(const std::vector<PlanePanel>& panels, Components components) {
  const bool any = std::any_of(panels.begin(), panels.end(), [&](const PlanePanel& panel) {
    return is_principal(components, static_cast<size_t>(panel.series.shape[1]));
  });
  return any ? " PC 1 and PC 2 are the directions in which the " + panels.front().rows.noun +
                   "s differ most at the end."
             : "";
}

PanelLayout plane_layout(size_t panels) {
  const bool alone = panels == 1;
  const int64_t side = alone ? 360 : 230;
  return {.width = side, .height = side, .extra = 60, .smallest = alone ? 240 : 190, .keep_aspect = true};
}

Json row_color(const std::vector<PlanePanel>& panels) {
  constexpr size_t kCategories = 6;  // of web/report/look.json
  size_t most = 0;
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (const PlanePanel& panel : panels) {
    most = std::max(most, panel.drawn.size());
    low = std::min(low, panel.rows.numbers.front());
    high = std::max(high, panel.rows.numbers.back());
  }
  if (most <= kCategories) return {{"field", "row"}, {"type", "nominal"}, {"legend", nullptr}};
  return {{"field", "row"},
          {"type", "quantitative"},
          {"title", panels.front().rows.noun},
          {"scale", {{"domain", {low, high}}}},
          {"legend", {{"format", "d"}}}};
}

}  // namespace atto

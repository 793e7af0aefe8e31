// The panels of a figure of planes: the matrices of the runs it shows, and the settings that choose them.
#pragma once

#include <string>
#include <vector>

#include "lab/figures/numbers/plane.h"
#include "lab/figures/panels/typical.h"

namespace atto {

inline constexpr size_t kMostPlanes = 12;

struct PlanePanel {
  ShownRun run;
  Series series;
  RowNames rows;
  std::vector<size_t> drawn;  // rows that are; all unless there are too many
};

struct PlaneSettings {
  std::string observable = "embedding", typical;
  Components components = Components::automatic;
  Panels panels;
  int64_t seeds = 1, columns = 4;
  bool labels = true;

  void describe(FigureSettings& settings);
  SeriesNeeds needs() const;
};

struct PlanePanels {
  std::vector<PlanePanel> panels;
  std::string caption, notice;  // as in Drawing
};

// At most `most_rows` rows over all panels are drawn: of matrices that are too long, evenly spaced ones.
PlanePanels load_planes(const PlaneSettings& settings, const FigureSource& source, size_t most_rows);

// What PC means, with a space before it, where a panel has such axes; else "".
std::string principal_text(const std::vector<PlanePanel>& panels, Components components);

// Sizes of square panels.
PanelLayout plane_layout(size_t panels);

// The colour of a row: by category for a few rows, by number along a ramp for more. Field "row".
Json row_color(const std::vector<PlanePanel>& panels);

}  // namespace atto

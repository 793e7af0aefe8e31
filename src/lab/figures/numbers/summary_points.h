// The cells of a sweep along one of its keys, as points on lines.
#pragma once

#include <string>
#include <vector>

#include "lab/figures/figure.h"
#include "lab/figures/numbers/quantities.h"

namespace atto {

struct SummaryPoint {
  const CellResult* cell = nullptr;
  double x = 0;         // value of the key, or its place among the values where they are no numbers
  double shown_at = 0;  // x moved sideways a little, so that intervals of several lines do not cover each other
  Estimate estimate;
  std::string color, label;
  int64_t group = 0;  // points of one line: all other keys are the same
};

struct SummaryPanel {
  std::string title;
  std::vector<SummaryPoint> points;
};

struct SummaryPoints {
  std::vector<SummaryPanel> panels;
  Json color;  // channel, or null
  bool moved = false;
};

struct SummaryAxis {
  SweptKey key;
  bool log = false;
  std::string per;  // a key that the axis is divided by, such as the width under the context: a density; or ""

  bool numeric() const;  // otherwise its values have places 0, 1, …
  double place(const Value& value) const;
  double place_of(const CellResult& cell) const;  // divided
  bool can_show(double x) const { return !log || !numeric() || x > 0; }
};

// Colours tell the key `color`, or without it whatever else differs.
SummaryPoints summary_points(const FigureSource& source, const Panels& panels, const SummaryAxis& axis,
                             const std::string& color, const std::string& quantity);

// An expression along the axis, for one setting of the other keys.
struct TheoryCurve {
  std::string label;  // "" but for the one that reaches highest among those that differ in other keys only
  std::string color;  // of the line it belongs to
  bool one_of_several = false;
  std::vector<std::pair<double, double>> points;  // x and value, x rising, at least one
};
// Each line's expression for each setting of the other keys that gives another curve. Where it needs what only a run's
// task knows (best_loss), or the axis is of words, it is evaluated at the cells alone.
std::vector<TheoryCurve> theory_curves(const std::vector<ReferenceLine>& lines, const SummaryPanel& panel,
                                       const SummaryAxis& axis, bool log_values);

}  // namespace atto

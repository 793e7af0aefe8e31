#include "lab/figures/numbers/strips.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "lab/figures/geometry/thin.h"
#include "lab/figures/panels/arrange.h"
#include "lab/results/cell_values.h"
#include "math/statistics.h"

namespace atto {
namespace {

constexpr size_t kMostDots = 4000;   // of a figure
constexpr size_t kMostStrips = 350;  // with up to five basins of three marks each, and room for regions in kMostMarks
constexpr double kHalfStrip = 0.32;  // of the dots of a cell, where the next cell is 1 away
constexpr int64_t kStretches = 60;
constexpr double kDotsApart = 0.045;  // of neighbouring dots that have the room

// The dots of a cell, at most `most` of them; what has none is counted.
Strip make_strip(const Outcomes& outcomes, bool log, size_t most, Strips& all) {
  Strip strip;
  std::vector<double> settled;  // values that are known exactly
  const std::vector<size_t> shown = evenly(outcomes.size(), most);
  for (size_t seed = 0; seed < outcomes.size(); ++seed) {
    const Outcome& outcome = outcomes[seed];
    if (!outcome.exists()) ++(outcome.diverged ? all.diverged : all.missing);
    else if (!std::isfinite(*outcome.value)) ++all.not_finite;
    else if (log && *outcome.value <= 0) ++all.not_positive;
    else {
      if (!outcome.censored) settled.push_back(*outcome.value);
      if (std::binary_search(shown.begin(), shown.end(), seed))
        strip.dots.push_back({*outcome.value, 0, static_cast<int64_t>(seed), outcome.censored});
      else ++all.left_out;
    }
  }
  if (settled.empty()) return strip;
  // Basins are told apart by logarithms, and would leave out what has none.
  const auto [least, largest] = std::minmax_element(settled.begin(), settled.end());
  if (*least > 0) strip.basins = find_basins(settled);
  else strip.basins = {{std::ssize(settled), *least, quantile(settled, 0.5), *largest}};
  return strip;
}

// At most kMostStrips cells of all panels, evenly spaced; panels that keep none are gone.
std::vector<Panel> fewer_cells(const std::vector<Panel>& panels, Strips& all) {
  size_t cells = 0, next = 0;
  for (const Panel& panel : panels) cells += panel.members.size();
  const std::vector<size_t> kept = evenly(cells, kMostStrips);
  all.cells_left_out = static_cast<int64_t>(cells - kept.size());
  std::vector<Panel> fewer;
  for (const Panel& panel : panels) {
    Panel one{panel.title, {}};
    for (const Member& member : panel.members)
      if (std::binary_search(kept.begin(), kept.end(), next++)) one.members.push_back(member);
    if (!one.members.empty()) fewer.push_back(std::move(one));
  }
  return fewer;
}

}  // namespace

void spread(std::vector<SwarmDot>& dots, double low, double high, bool log, double half) {
  const auto height = [&](double value) { return log ? std::log(value) : value; };
  const double length = height(high) - height(low);
  std::map<int64_t, std::vector<SwarmDot*>> stretches;
  for (SwarmDot& dot : dots) {
    const double share = length > 0 ? (height(dot.value) - height(low)) / length : 0;
    stretches[std::min<int64_t>(static_cast<int64_t>(share * kStretches), kStretches - 1)].push_back(&dot);
  }
  for (auto& [stretch, together] : stretches) {
    std::stable_sort(together.begin(), together.end(),
                     [](const SwarmDot* a, const SwarmDot* b) { return a->seed < b->seed; });
    const auto count = static_cast<double>(together.size());
    const double apart = count > 1 ? std::min(kDotsApart, 2 * half / (count - 1)) : 0;
    for (size_t i = 0; i < together.size(); ++i)
      together[i]->offset = apart * (static_cast<double>(i) - (count - 1) / 2);
  }
}

Strips make_strips(const FigureSource& source, const Panels& panels, const std::string& across,
                   const std::string& quantity, bool log) {
  Strips all;
  const std::vector<Panel> arranged = fewer_cells(arrange(panels, "", source), all);
  size_t cells = 0;
  for (const Panel& panel : arranged) cells += panel.members.size();
  const size_t dots = std::max<size_t>(kMostDots / std::max<size_t>(cells, 1), 1);  // of a strip
  all.low = INFINITY;
  all.high = -INFINITY;
  for (const Panel& panel : arranged) {
    StripPanel one{panel.title, {}};
    std::vector<Member> members = panel.members;
    if (!across.empty())
      std::stable_sort(members.begin(), members.end(), [&](const Member& a, const Member& b) {
        return key_value(a.cell->cell, across) < key_value(b.cell->cell, across);
      });
    for (const Member& member : members) {
      Strip strip = make_strip(outcomes_of(*member.cell, quantity), log, dots, all);
      strip.cell = member.cell;
      strip.label = across.empty() ? member.label : value_text(*member.cell, across);
      for (const SwarmDot& dot : strip.dots) {
        all.low = std::min(all.low, dot.value);
        all.high = std::max(all.high, dot.value);
      }
      one.strips.push_back(std::move(strip));
    }
    all.panels.push_back(std::move(one));
  }
  for (StripPanel& panel : all.panels)
    for (Strip& strip : panel.strips) spread(strip.dots, all.low, all.high, log, kHalfStrip);
  return all;
}

}  // namespace atto

// Pieces of Vega-Lite that several kinds of figure share.
#pragma once

#include <string>
#include <vector>

#include "lab/figures/figure.h"

namespace atto {

// Axis titles of addresses and quantities, with units: "perplexity = exp(loss)", "effective rank of layer 0 query".
std::string axis_title(const std::string& address);

// What several of them have in common: "effective rank"; "value" when it is nothing.
std::string common_title(const std::vector<std::string>& addresses);

// {"field": field, "type": "quantitative", "title": title, "scale": {...}}. Neither scale
// is forced to include zero.
Json quantitative(const std::string& field, const std::string& title, Scale scale = Scale::linear);
Json step_axis(Scale scale = Scale::linear);  // field "step"
// Ticks of a log scale that spans these numbers: powers of ten, with twice and five times them where they would be few;
// less than half a decade is left to Vega.
void set_log_ticks(Json& channel, double low, double high);

// Pixels from the lower end of an axis of that height, which has its domain, to a value; labels nearer than a line's
// height touch.
double place_on(const Json& axis, double value, int64_t height);
inline constexpr double kLabelHeight = 14;
// The value that stands so many pixels above the lower end.
double value_at(const Json& axis, double place, int64_t height);

// One view or several side by side: fills spec, layout.panels and layout.columns of the drawing. Each view gets its
// size from the layout unless it has one.
void set_views(Drawing& drawing, std::vector<Json> views, int64_t columns);

// A checkbox under the figure: the param `name`.
Json checkbox(const std::string& name, const std::string& label, bool initial = false);

// Two parts of one notice; either may be "".
std::string joined_notices(const std::string& first, const std::string& second);

// The reason most often given.
inline constexpr char kNoRuns[] = "None of its runs is in the store yet.";

// A drawing of nothing, for the reason that `notice` gives.
Drawing nothing_to_draw(const std::string& notice);

}  // namespace atto

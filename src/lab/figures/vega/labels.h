// Labels beside points, so few that none covers another.
#pragma once

#include <cstddef>
#include <vector>

#include "lab/results/json.h"

namespace atto {

enum class LabelSide { none, right, left };

// A point in pixels, y downwards, how many characters its label has, and the side on which it should stand.
struct LabelSpot {
  double x = 0, y = 0;
  size_t length = 0;
  LabelSide side = LabelSide::right;  // none: it gets no label
};

// Where the labels stand: in the order given, each gets its side (or, with `either`, else the other one) if its box
// covers no label granted before and no other point. Spots that are not finite have no label and cover nothing.
std::vector<LabelSide> place_labels(const std::vector<LabelSpot>& spots, bool either);

// A layer of text on that side of the points at `x` and `y`, of the field "name", for the rows that `filter` leaves.
Json label_layer(LabelSide side, const std::string& filter, const Json& x, const Json& y);

}  // namespace atto

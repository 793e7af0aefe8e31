#include "lab/figures/vega/labels.h"

#include <cmath>

namespace atto {
namespace {

constexpr double kShift = 5;                    // pixels from a point to its label
constexpr double kCharacter = 6.3, kLine = 11;  // of the font of web/report/look.json, a little to the large side
constexpr double kDot = 2.5;                    // half of a point

struct Box {
  double left, right, top, bottom;
  bool touches(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

Box label_box(const LabelSpot& spot, LabelSide side) {
  const double width = kCharacter * static_cast<double>(spot.length);
  const double left = side == LabelSide::right ? spot.x + kShift : spot.x - kShift - width;
  return {left, left + width, spot.y - kLine / 2, spot.y + kLine / 2};
}

Box dot_box(const LabelSpot& spot) { return {spot.x - kDot, spot.x + kDot, spot.y - kDot, spot.y + kDot}; }

bool finite(const LabelSpot& spot) { return std::isfinite(spot.x) && std::isfinite(spot.y); }

bool covers_points(const Box& box, const std::vector<LabelSpot>& spots, size_t own) {
  for (size_t i = 0; i < spots.size(); ++i)
    if (i != own && finite(spots[i]) && box.touches(dot_box(spots[i]))) return true;
  return false;
}

}  // namespace

std::vector<LabelSide> place_labels(const std::vector<LabelSpot>& spots, bool either) {
  std::vector<LabelSide> sides(spots.size(), LabelSide::none);
  std::vector<Box> placed;
  for (size_t i = 0; i < spots.size(); ++i) {
    if (spots[i].side == LabelSide::none || !finite(spots[i])) continue;
    const LabelSide other = spots[i].side == LabelSide::right ? LabelSide::left : LabelSide::right;
    for (const LabelSide side : {spots[i].side, either ? other : LabelSide::none}) {
      if (side == LabelSide::none) continue;
      const Box box = label_box(spots[i], side);
      bool free = !covers_points(box, spots, i);
      for (size_t k = 0; free && k < placed.size(); ++k) free = !box.touches(placed[k]);
      if (!free) continue;
      sides[i] = side;
      placed.push_back(box);
      break;
    }
  }
  return sides;
}

Json label_layer(LabelSide side, const std::string& filter, const Json& x, const Json& y) {
  const bool right = side == LabelSide::right;
  return {{"transform", {{{"filter", filter}}}},
          {"mark",
           {{"type", "text"},
            {"align", right ? "left" : "right"},
            {"baseline", "middle"},
            {"dx", right ? kShift : -kShift}}},
          {"encoding", {{"x", x}, {"y", y}, {"text", {{"field", "name"}}}}}};
}

}  // namespace atto

// The contour of a share over a plane of cells.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"
#include "lab/explore/explore.h"
#include "math/confidence_sequence.h"

namespace atto {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

struct GridPoint {
  int64_t x = 0, y = 0;
  auto operator<=>(const GridPoint&) const = default;
};

double number_of(const Value& value) {
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&value);
  return real != nullptr ? *real : kNothing;
}

// The values of an axis in order; empty where one is no number.
std::vector<Value> sorted_values(const Sweep::Axis& axis) {
  std::vector<Value> values = axis.values;
  for (const Value& value : values)
    if (std::isnan(number_of(value))) return {};
  std::sort(values.begin(), values.end(), [](const Value& a, const Value& b) { return number_of(a) < number_of(b); });
  return values;
}

std::vector<GridPoint> places_of(const Study& study, const std::vector<Cell>& cells, GridPoint& last) {
  const auto& grid = study.sweep.grid;
  const bool plane = grid.size() == 2 && study.sweep.zips.empty() && study.sweep.cells.empty();
  const std::vector<Value> xs = plane ? sorted_values(grid[0]) : std::vector<Value>();
  const std::vector<Value> ys = plane ? sorted_values(grid[1]) : std::vector<Value>();
  if (xs.size() < 2 || ys.size() < 2)
    throw Error(ErrorKind::usage, "a contour needs a plane: two axes of numbers under [sweep.grid], and nothing else",
                "fix the other axes with --set");
  last = {std::ssize(xs) - 1, std::ssize(ys) - 1};
  std::vector<GridPoint> places;
  for (const Cell& cell : cells) {
    const auto at = [&](const std::string& key, const std::vector<Value>& values) {
      const Value value = run_schema().at(key).get(cell.config);
      return std::find(values.begin(), values.end(), value) - values.begin();
    };
    places.push_back({at(grid[0].key, xs), at(grid[1].key, ys)});
  }
  return places;
}

SampledCell sampled(const CellResult& cell, const GridPoint& place, const std::string& quantity) {
  SampledCell one{place.x, place.y, 0, 0};
  for (const Outcome& outcome : outcomes_of(cell, quantity)) {
    if (outcome.exists() && *outcome.value != 0 && *outcome.value != 1)
      throw Error(ErrorKind::usage, quantity + " is " + std::to_string(*outcome.value) + " in a run, not yes or no",
                  "a contour is one of a share: take a quantity such as plateau.present");
    one.yes += outcome.exists() && *outcome.value == 1 ? 1 : 0;
    ++one.runs;
  }
  return one;
}

class LevelRule : public ExploreRule {
 public:
  LevelRule(const Study& study, const std::vector<Cell>& cells, std::string quantity, double level, double tolerance,
            int64_t batch)
      : quantity_(std::move(quantity)), level_(level), tolerance_(tolerance), batch_(batch) {
    require_quantity(study, quantity_);
    explore_level({}, level);  // a level that is no share
    places_ = places_of(study, cells, last_);
    // Not so coarse that an axis would have fewer than three points.
    while (std::min(last_.x, last_.y) >= 4 * stride_) stride_ *= 2;
  }

  std::vector<size_t> next(const std::vector<CellResult>& cells) override {
    for (;; stride_ /= 2) {
      const auto [places, seen] = active(cells);
      const LevelSet set = explore_level(seen, level_, tolerance_);
      std::vector<size_t> order;
      for (const size_t place : set.order) order.push_back(places[place]);
      if (!order.empty() || stride_ == 1) return order;
    }
  }
  int64_t batch(const CellResult& cell) const override {
    // Near the contour it takes hundreds: they come in larger steps the more there are.
    return std::max(batch_, cell.seeds / 4);
  }
  std::vector<ExploredCell> summary(const std::vector<CellResult>& cells) const override {
    const std::map<GridPoint, CellSide> sides = known_sides(cells);
    std::vector<ExploredCell> all;
    for (size_t i = 0; i < cells.size(); ++i) {
      const SampledCell one = sampled(cells[i], places_[i], quantity_);
      const Interval share = share_sequence(one.yes, one.runs);
      const auto side = sides.find(places_[i]);
      all.push_back({one.runs, share.estimate, share.low, share.high,
                     side == sides.end() || side->second == CellSide::open ? "open"
                     : side->second == CellSide::above                     ? "above"
                                                                           : "below",
                     one.runs == 0});
    }
    return all;
  }

 private:
  // The points of a grid of that width: the last of each axis belongs to it.
  static bool on_grid(int64_t at, int64_t last, int64_t stride) { return at % stride == 0 || at == last; }
  bool on_grid(const GridPoint& place, int64_t stride) const {
    return on_grid(place.x, last_.x, stride) && on_grid(place.y, last_.y, stride);
  }
  // The two points of a wider grid between which a place lies.
  static std::pair<int64_t, int64_t> around(int64_t at, int64_t last, int64_t stride) {
    const int64_t low = at == last ? at : at / stride * stride;
    return {low, at == low ? low : std::min(low + stride, last)};
  }

  // The side of every place that has runs, or lies among points of wider grids that agree.
  std::map<GridPoint, CellSide> known_sides(const std::vector<CellResult>& cells) const {
    std::vector<SampledCell> all;
    for (size_t i = 0; i < cells.size(); ++i) all.push_back(sampled(cells[i], places_[i], quantity_));
    const LevelSet set = explore_level(all, level_, tolerance_);
    std::map<GridPoint, CellSide> sides;
    int64_t widest = 1;
    while (std::min(last_.x, last_.y) >= 4 * widest) widest *= 2;
    for (int64_t stride = widest; stride >= stride_; stride /= 2) {
      for (size_t i = 0; i < cells.size(); ++i) {
        const GridPoint& place = places_[i];
        if (!on_grid(place, stride) || sides.contains(place)) continue;
        if (all[i].runs > 0) {
          sides[place] = set.sides[i];
        } else if (stride < widest) {
          if (const auto side = agreed_side(place, 2 * stride, sides)) sides[place] = *side;
        }
      }
    }
    if (stride_ == 1) {  // what is left lies among points that agree
      for (const GridPoint& place : places_)
        if (!sides.contains(place))
          if (const auto side = agreed_side(place, 2, sides)) sides[place] = *side;
    }
    return sides;
  }
  std::optional<CellSide> agreed_side(const GridPoint& place, int64_t stride,
                                      const std::map<GridPoint, CellSide>& sides) const {
    std::optional<CellSide> agreed;
    const auto [x_low, x_high] = around(place.x, last_.x, stride);
    const auto [y_low, y_high] = around(place.y, last_.y, stride);
    for (const GridPoint& corner : {GridPoint{x_low, y_low}, {x_low, y_high}, {x_high, y_low}, {x_high, y_high}}) {
      const auto found = sides.find(corner);
      if (found == sides.end() || found->second == CellSide::open) return std::nullopt;
      if (agreed && *agreed != found->second) return std::nullopt;
      agreed = found->second;
    }
    return agreed;
  }
  // Cells of the present grid whose runs tell something, and what they have shown.
  std::pair<std::vector<size_t>, std::vector<SampledCell>> active(const std::vector<CellResult>& cells) const {
    const std::map<GridPoint, CellSide> sides = known_sides(cells);
    std::pair<std::vector<size_t>, std::vector<SampledCell>> found;
    for (size_t i = 0; i < cells.size(); ++i) {
      const SampledCell one = sampled(cells[i], places_[i], quantity_);
      const bool inferred = one.runs == 0 && sides.contains(places_[i]);
      if (!on_grid(places_[i], stride_) || inferred) continue;
      found.first.push_back(i);
      found.second.push_back(one);
    }
    return found;
  }

  const std::string quantity_;
  const double level_, tolerance_;
  const int64_t batch_;
  std::vector<GridPoint> places_;
  GridPoint last_;
  int64_t stride_ = 1;
};

}  // namespace

std::unique_ptr<ExploreRule> level_rule(const Study& study, const std::vector<Cell>& cells, const std::string& quantity,
                                        double level, double tolerance, int64_t batch) {
  return std::make_unique<LevelRule>(study, cells, quantity, level, tolerance, batch);
}

}  // namespace atto

// The contour of a share over a plane of cells.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

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

// An axis of the plane: where its values stand, in order.
struct PlaneAxis {
  std::map<double, int64_t> places;  // by value; none where one is no number
  std::vector<int64_t> lines;        // the places alone
  int64_t step = 1;                  // the study's own values stand at multiples of it

  explicit PlaneAxis(const Sweep::Axis* axis) {
    if (axis == nullptr) return;
    step = axis->step;
    for (const Value& value : axis->values) {
      if (std::isnan(number_of(value))) {
        places.clear();
        return;
      }
      places[number_of(value)] = 0;
    }
    int64_t next = 0;
    for (auto& [value, place] : places) {
      place = axis->places.empty() ? next : axis->places[static_cast<size_t>(next)];
      lines.push_back(place);
      ++next;
    }
  }
  int64_t last() const { return lines.empty() ? 0 : lines.back(); }
  // Does the line belong to a grid of that width? The last one always does.
  bool has(int64_t line, int64_t stride) const { return line % stride == 0 || line == last(); }
  // The two lines of such a grid between which a place lies; twice the same where it lies on one.
  std::pair<int64_t, int64_t> around(int64_t place, int64_t stride) const {
    const auto at = std::lower_bound(lines.begin(), lines.end(), place);
    auto low = at, high = at;
    while (!has(*low, stride)) --low;  // 0 does
    while (!has(*high, stride)) ++high;
    return {*low, *high};
  }
  // How many lines of such a grid lie before this one.
  int64_t rank(int64_t line, int64_t stride) const {
    return std::count_if(lines.begin(), std::lower_bound(lines.begin(), lines.end(), line),
                         [&](int64_t other) { return has(other, stride); });
  }
};

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
      : quantity_(std::move(quantity)),
        level_(level),
        tolerance_(tolerance),
        batch_(batch),
        x_(axis_of(study, 0)),
        y_(axis_of(study, 1)) {
    require_quantity(study, quantity_);
    explore_level({}, level);  // a level that is no share
    require_plane(study.sweep);
    for (const Cell& cell : cells) {
      const auto at = [&](const Sweep::Axis& axis, const PlaneAxis& of) {
        return of.places.at(number_of(run_schema().at(axis.key).get(cell.config)));
      };
      places_.push_back({at(study.sweep.grid[0], x_), at(study.sweep.grid[1], y_)});
    }
    // Points between those of the study come last, and the first grid is not so coarse that an axis would have fewer
    // than three points.
    widest_ = std::max(x_.step, y_.step);
    while (std::min(x_.last(), y_.last()) >= 4 * widest_) widest_ *= 2;
    stride_ = widest_;
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
      const bool inferred = one.runs == 0 && side != sides.end() && side->second != CellSide::open;
      all.push_back({one.runs, share.estimate, share.low, share.high,
                     side == sides.end() || side->second == CellSide::open ? "open"
                     : side->second == CellSide::above                     ? "above"
                                                                           : "below",
                     inferred});
    }
    return all;
  }

  // Neighbours along an axis, of which the finest known, that lie on different sides.
  std::vector<std::pair<size_t, size_t>> crossings(const std::vector<CellResult>& cells) const override {
    const std::map<GridPoint, CellSide> sides = known_sides(cells);
    std::vector<std::pair<size_t, size_t>> found;
    for (const bool along_x : {true, false}) {
      std::map<GridPoint, size_t> order;  // along the axis, line by line
      for (size_t i = 0; i < places_.size(); ++i)
        order[along_x ? GridPoint{places_[i].y, places_[i].x} : places_[i]] = i;
      std::optional<std::pair<int64_t, size_t>> before;  // on which line, and which cell
      for (const auto& [place, cell] : order) {
        const auto side = sides.find(places_[cell]);
        if (side == sides.end() || side->second == CellSide::open) continue;
        if (before && before->first == place.x && sides.at(places_[before->second]) != side->second)
          found.push_back(side->second == CellSide::above ? std::pair(cell, before->second)
                                                          : std::pair(before->second, cell));
        before = {place.x, cell};
      }
    }
    return found;
  }

 private:
  void require_plane(const Sweep& sweep) const {
    const char* const what = "a contour needs a plane, two axes of numbers under [sweep.grid]";
    if (!sweep.zips.empty() || !sweep.cells.empty())
      throw Error(ErrorKind::usage, std::string(what) + " and nothing else",
                  "write a study whose sweep is the plane, without zips and cells");
    if (sweep.grid.size() > 2)
      throw Error(ErrorKind::usage, std::string(what) + "; the study has " + std::to_string(sweep.grid.size()),
                  "fix the other axes with --set");
    if (sweep.grid.size() < 2)
      throw Error(ErrorKind::usage, std::string(what) + "; the study has " + (sweep.grid.empty() ? "none" : "only one"),
                  "add an axis there; one that --set fixes does not count");
    for (const auto& [axis, place] : {std::pair(&x_, 0u), std::pair(&y_, 1u)})
      if (axis->lines.size() < 2)
        throw Error(ErrorKind::usage, std::string(what) + "; " + sweep.grid[place].key + " has no two numbers",
                    "give that axis at least two values that are numbers");
  }
  static const Sweep::Axis* axis_of(const Study& study, size_t place) {
    const Sweep& sweep = study.sweep;
    return sweep.grid.size() == 2 && sweep.zips.empty() && sweep.cells.empty() ? &sweep.grid[place] : nullptr;
  }
  bool on_grid(const GridPoint& place, int64_t stride) const {
    return x_.has(place.x, stride) && y_.has(place.y, stride);
  }

  // The side of every place that has runs, or lies among points of wider grids that agree.
  std::map<GridPoint, CellSide> known_sides(const std::vector<CellResult>& cells) const {
    std::vector<SampledCell> all;
    for (size_t i = 0; i < cells.size(); ++i) all.push_back(sampled(cells[i], places_[i], quantity_));
    const LevelSet set = explore_level(all, level_, tolerance_);
    std::map<GridPoint, CellSide> sides;
    for (int64_t stride = widest_; stride >= stride_; stride /= 2) {
      for (size_t i = 0; i < cells.size(); ++i) {
        const GridPoint& place = places_[i];
        if (!on_grid(place, stride) || sides.contains(place)) continue;
        if (all[i].runs > 0) {
          sides[place] = set.sides[i];
        } else if (stride < widest_) {
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
    const auto [x_low, x_high] = x_.around(place.x, stride);
    const auto [y_low, y_high] = y_.around(place.y, stride);
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
      // Neighbours are those of the present grid.
      found.second.push_back({x_.rank(one.x, stride_), y_.rank(one.y, stride_), one.yes, one.runs});
    }
    return found;
  }

  const std::string quantity_;
  const double level_, tolerance_;
  const int64_t batch_;
  const PlaneAxis x_, y_;
  std::vector<GridPoint> places_;    // of the cells
  int64_t widest_ = 1, stride_ = 1;  // of the first grid, and of the present one
};

}  // namespace

std::unique_ptr<ExploreRule> level_rule(const Study& study, const std::vector<Cell>& cells, const std::string& quantity,
                                        double level, double tolerance, int64_t batch) {
  return std::make_unique<LevelRule>(study, cells, quantity, level, tolerance, batch);
}

}  // namespace atto

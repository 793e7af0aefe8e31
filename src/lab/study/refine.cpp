// Points between those of a study's grid, for experiments that choose their runs.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "base/error.h"
#include "lab/study/parts.h"

namespace atto {
namespace {

bool holds_number(const Value& value) {
  return std::holds_alternative<int64_t>(value) || std::holds_alternative<double>(value);
}

double as_number(const Value& value) {
  const auto* const whole = std::get_if<int64_t>(&value);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
}

// Between two numbers: their geometric mean, as sizes and rates are spread over scales, or the arithmetic one where
// they have not the same sign. Three digits are enough for a point that nobody asked for by its value.
std::optional<Value> between(const Value& low, const Value& high) {
  const double a = as_number(low), b = as_number(high);
  const double middle = a > 0 ? std::sqrt(a * b) : b < 0 ? -std::sqrt(a * b) : (a + b) / 2;
  if (std::holds_alternative<int64_t>(low) && std::holds_alternative<int64_t>(high)) {
    const int64_t whole = std::llround(middle);
    if (whole <= std::get<int64_t>(low) || whole >= std::get<int64_t>(high)) return std::nullopt;
    return Value(whole);
  }
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.3g", middle);
  const double rounded = std::strtod(text.data(), nullptr);
  if (!(rounded > a && rounded < b)) return std::nullopt;
  return Value(rounded);
}

// Is every cell with this value a run, whatever the other axes say? Widths may have to be multiples of something.
bool is_valid(const Study& study, size_t axis, const Value& value) {
  Study line = study;
  line.sweep.grid[axis].values = {value};
  try {
    return !expand_cells(line).empty();
  } catch (const Error&) {
    return false;
  }
}

Sweep::Axis refined(const Study& study, size_t place, int64_t halvings) {
  const Sweep::Axis& axis = study.sweep.grid[place];
  std::vector<Value> own = axis.values;
  if (!std::all_of(own.begin(), own.end(), holds_number)) return axis;
  std::sort(own.begin(), own.end(), [](const Value& a, const Value& b) { return as_number(a) < as_number(b); });
  Sweep::Axis longer{axis.key, {}, {}, int64_t{1} << halvings};
  std::map<int64_t, Value> points;
  for (size_t i = 0; i < own.size(); ++i) points.emplace(static_cast<int64_t>(i) * longer.step, own[i]);
  for (int64_t step = longer.step; step > 1; step /= 2) {
    std::map<int64_t, Value> more = points;
    for (auto low = points.begin(), high = std::next(low); high != points.end(); low = high++) {
      if (high->first - low->first != step) continue;  // nothing lay between them
      const std::optional<Value> middle = between(low->second, high->second);
      if (middle && is_valid(study, place, *middle)) more.emplace(low->first + step / 2, *middle);
    }
    points = std::move(more);
  }
  for (const auto& [at, value] : points) {
    longer.places.push_back(at);
    longer.values.push_back(value);
  }
  return longer;
}

}  // namespace

void refine_grid(Study& study, int64_t halvings) {
  if (halvings < 0 || halvings > kMostHalvings)
    throw Error(ErrorKind::usage, "--refine " + std::to_string(halvings) + " is not allowed",
                "gaps of the grid are halved 0 to " + std::to_string(kMostHalvings) + " times");
  std::vector<Sweep::Axis> longer;
  for (size_t axis = 0; axis < study.sweep.grid.size(); ++axis) longer.push_back(refined(study, axis, halvings));
  study.sweep.grid = std::move(longer);
  study.claims.clear();
  study.fits.clear();
  study.figures.clear();
}

}  // namespace atto

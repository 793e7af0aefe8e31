#include "lab/figures/numbers/plane.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <utility>

#include "lab/figures/vega/spec.h"
#include "math/spectrum.h"

namespace atto {
namespace {

std::string matrix_title(const std::string& address) {
  if (address == "positions") return "position";
  return axis_title(address);
}

std::string component_title(int which, double share) {
  std::string title = "PC " + std::to_string(which);
  if (!std::isfinite(share)) return title;  // the rows coincide
  return title + " (" + std::to_string(std::lround(100 * share)) + " % of variance)";
}

// A thousandth of the range or finer, a power of ten.
double unit_of(double length) { return std::pow(10, std::floor(std::log10(length)) - 3); }

// The nearest number of that many digits.
double short_number(double number, int digits) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, number);
  return std::strtod(buffer.data(), nullptr);
}

double to_unit(double number, double unit) { return std::round(number / unit) * unit; }

}  // namespace

RowNames row_names(const Series& series, const RunConfig& config) {
  RowNames rows;
  const int64_t count = series.shape[0];
  const bool positions = series.address == "positions";
  const bool tokens = series.address == "embedding" || series.address == "unembedding";
  rows.noun = positions ? "position" : tokens ? "token" : "row";
  const bool bos = tokens && config.data.bos && count == config.data.vocab + 1;
  if (bos) rows.by_rank.push_back(static_cast<size_t>(count) - 1);
  for (int64_t row = 0; row < count; ++row) {
    rows.numbers.push_back(positions ? row - (count - 1) : row);
    rows.names.push_back(bos && row == count - 1 ? "BOS" : std::to_string(rows.numbers.back()));
    if (!bos || row < count - 1) rows.by_rank.push_back(static_cast<size_t>(row));
  }
  return rows;
}

bool is_principal(Components components, size_t width) {
  return width > 1 && (components == Components::principal || (components == Components::automatic && width > 2));
}

Plane::Plane(const Series& series, size_t last, Components components, const RowNames& rows)
    : series_(series), numbers_(rows.numbers) {
  const auto width = static_cast<size_t>(series.shape[1]);
  origin_.assign(width, 0);
  x_axis_.assign(width, 0);
  y_axis_.assign(width, 0);
  const std::string title = matrix_title(series.address);
  if (!is_principal(components, width)) {
    x_axis_[0] = 1;
    if (width > 1) y_axis_[1] = 1;
    x_title_ = title + " dimension 1";
    y_title_ = width > 1 ? title + " dimension 2" : rows.noun;
    return;
  }
  const size_t block = series.block();
  const std::span<const double> matrix(series.values.data() + last * block, block);
  const PrincipalComponents found = principal_components(matrix, width);
  for (size_t column = 0; column < width; ++column) {
    for (size_t i = column; i < block; i += width) origin_[column] += matrix[i];
    origin_[column] /= static_cast<double>(series.shape[0]);
    x_axis_[column] = found.axes[column];
    y_axis_[column] = found.axes[width + column];
  }
  x_title_ = component_title(1, found.share(1));
  y_title_ = component_title(2, found.share(2) - found.share(1));
}

PlanePoint Plane::at(size_t measurement, size_t row) const {
  const size_t width = x_axis_.size();
  const double* point = series_.values.data() + measurement * series_.block() + row * width;
  PlanePoint placed{0, flat() ? 0 : static_cast<double>(numbers_[row])};
  for (size_t column = 0; column < width; ++column) {
    placed.x += (point[column] - origin_[column]) * x_axis_[column];
    placed.y += (point[column] - origin_[column]) * y_axis_[column];
  }
  return placed;
}

void PlaneFrame::add(PlanePoint point) {
  if (!std::isfinite(point.x) || !std::isfinite(point.y)) return;
  x_ = {std::min(x_.low, point.x), std::max(x_.high, point.x)};
  y_ = {std::min(y_.low, point.y), std::max(y_.high, point.y)};
}

void PlaneFrame::settle(bool equal) {
  constexpr double kRoom = 1.2;  // for dots and labels at the rim
  const auto length_of = [](const Range& range, double longest) {
    const double size = std::max(std::abs(range.low), std::abs(range.high));
    // Points that coincide still need an axis.
    return longest > 1e-6 * size ? kRoom * longest : size > 0 ? size : 1;
  };
  const double longest = std::max(x_.length(), y_.length());
  double x = length_of(x_, equal ? longest : x_.length()), y = length_of(y_, equal ? longest : y_.length());
  if (equal) x = y = std::max(x, y);
  const auto set = [](Range& range, double length) {
    const double low = (range.low + range.high - length) / 2;
    range.low = short_number(low, 8);
    range.high = short_number(range.low + short_number(length, 4), 12);
  };
  set(x_, x);
  set(y_, y);
}

Json PlaneFrame::channel(const std::string& field, const std::string& title, const Range& range) {
  Json channel = quantitative(field, title);
  channel["scale"]["domain"] = {range.low, range.high};
  channel["scale"]["nice"] = false;
  channel["axis"] = {{"tickCount", 5}};
  return channel;
}

PlanePoint PlaneFrame::rounded(PlanePoint point) const {
  return {to_unit(point.x, unit_of(x_.length())), to_unit(point.y, unit_of(y_.length()))};
}

PlanePoint PlaneFrame::thousandths(PlanePoint point) const {
  return {std::round(1000 * (point.x - x_.low) / x_.length()), std::round(1000 * (point.y - y_.low) / y_.length())};
}

Json PlaneFrame::from_thousandths() const {
  Json transform = Json::array();
  for (const auto& [field, range] : {std::pair{"x", x_}, std::pair{"y", y_}})
    transform.push_back({{"calculate", Json(range.low).dump() + " + " +
                                           Json(short_number(range.length() / 1000, 6)).dump() + " * datum." + field},
                         {"as", field}});
  return transform;
}

PlanePoint PlaneFrame::pixels(PlanePoint point, int64_t width, int64_t height) const {
  return {(point.x - x_.low) / x_.length() * static_cast<double>(width),
          (y_.high - point.y) / y_.length() * static_cast<double>(height)};
}

size_t measurement_at(const Series& series, int64_t step) {
  const size_t block = series.block();
  for (size_t i = series.steps.size(); i-- > 0;) {
    if (series.steps[i] > step) continue;
    const auto first = series.values.begin() + static_cast<std::ptrdiff_t>(i * block);
    if (std::all_of(first, first + static_cast<std::ptrdiff_t>(block), [](double v) { return std::isfinite(v); }))
      return i;
  }
  return series.steps.size();
}

const Series* find_matrix(const Recording& recording, const std::string& address) {
  const Series* series = recording.find(address);
  const bool drawable = series && series->shape.size() == 2 && series->block() > 0 && !series->steps.empty();
  return drawable ? series : nullptr;
}

}  // namespace atto

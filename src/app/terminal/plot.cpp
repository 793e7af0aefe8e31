#include "app/terminal/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "app/terminal/canvas.h"
#include "app/terminal/text.h"

namespace atto {
namespace {

constexpr size_t kLabelWidth = 9;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
  // Position 0..1 of a value; a range of one point puts it in the middle.
  double share(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

// Linear interpolation of ys over rising xs; NaN outside and next to gaps.
double at(const std::vector<double>& xs, const std::vector<double>& ys, double x) {
  const auto upper = std::lower_bound(xs.begin(), xs.end(), x);
  if (upper == xs.end()) return std::numeric_limits<double>::quiet_NaN();
  const auto i = static_cast<size_t>(upper - xs.begin());
  if (*upper == x) return ys[i];
  if (i == 0) return std::numeric_limits<double>::quiet_NaN();
  const double share = (x - xs[i - 1]) / (xs[i] - xs[i - 1]);
  return ys[i - 1] + share * (ys[i] - ys[i - 1]);
}

std::string framed(const Canvas& canvas, const std::string& top, const std::string& bottom) {
  std::string out;
  for (size_t row = 0; row < canvas.rows(); ++row) {
    const std::string label = row == 0 ? top : row + 1 == canvas.rows() ? bottom : "";
    std::string line = pad(label, kLabelWidth, Align::right) + " │" + canvas.row(row);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string x_axis(size_t columns, const std::string& first, const std::string& last) {
  const size_t room =
      columns > text_width(first) + text_width(last) ? columns - text_width(first) - text_width(last) : 1;
  std::string line = std::string(kLabelWidth + 1, ' ') + "└";
  for (size_t i = 0; i < columns; ++i) line += "─";
  return line + "\n" + std::string(kLabelWidth + 2, ' ') + first + std::string(room, ' ') + last + "\n";
}

size_t canvas_columns(PlotSize size) { return std::max<size_t>(size.columns, kLabelWidth + 12) - kLabelWidth - 2; }
size_t canvas_rows(PlotSize size) { return std::max<size_t>(size.rows, 4) - 2; }

}  // namespace

std::vector<std::string> sparklines(const std::vector<Curve>& curves, size_t columns, bool log_scale) {
  constexpr std::array kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const auto height = [&](double value) { return !log_scale ? value : value > 0 ? std::log(value) : NAN; };
  Range range;
  for (const Curve& curve : curves)
    for (const double value : curve.middle) range.include(height(value));
  std::vector<std::string> lines;
  for (const Curve& curve : curves) {
    std::string& line = lines.emplace_back();
    for (size_t column = 0; column < columns && !curve.steps.empty(); ++column) {
      const double share = columns > 1 ? static_cast<double>(column) / static_cast<double>(columns - 1) : 1;
      const double step = curve.steps.front() + share * (curve.steps.back() - curve.steps.front());
      const double value = height(at(curve.steps, curve.middle, std::min(step, curve.steps.back())));
      if (!std::isfinite(value)) line += " ";
      else line += kBars[std::min(static_cast<size_t>(range.share(value) * kBars.size()), kBars.size() - 1)];
    }
  }
  return lines;
}

std::string plot_curve(const Curve& curve, PlotSize size, bool log_scale) {
  // Logarithms first: between two measurements the line is straight on the scale that is shown.
  const auto scaled = [log_scale](std::vector<double> values) {
    if (log_scale)
      for (double& value : values) value = value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
    return values;
  };
  const std::vector<double> low = scaled(curve.low), middle = scaled(curve.middle), high = scaled(curve.high);
  Range x_range, y_range;
  for (const double step : curve.steps) x_range.include(step);
  for (const auto* part : {&low, &middle, &high})
    for (const double value : *part) y_range.include(value);
  if (x_range.empty() || y_range.empty()) return "  (no finite values to draw)\n";

  const size_t columns = canvas_columns(size);
  Canvas canvas(columns, canvas_rows(size));
  const auto across = static_cast<double>(canvas.dots_across() - 1), down = static_cast<double>(canvas.dots_down() - 1);
  const auto row_at = [&](const std::vector<double>& values, double step) -> std::optional<int64_t> {
    const double y = at(curve.steps, values, step);
    if (!std::isfinite(y)) return std::nullopt;
    return std::llround((1 - y_range.share(y)) * down);
  };
  std::optional<int64_t> previous;
  for (int64_t x = 0; x < static_cast<int64_t>(canvas.dots_across()); ++x) {
    const double step = x_range.low + static_cast<double>(x) / across * (x_range.high - x_range.low);
    const auto bottom = row_at(low, step), top = row_at(high, step), line = row_at(middle, step);
    if (bottom && top)
      for (int64_t y = *top; y <= *bottom; ++y) canvas.shade(x, y);
    if (line) canvas.line(x, previous.value_or(*line), x, *line);
    previous = line;
  }
  const auto label = [log_scale](double y) { return number_text(log_scale ? std::pow(10, y) : y); };
  return framed(canvas, label(y_range.high), label(y_range.low)) +
         x_axis(columns, number_text(x_range.low), number_text(x_range.high));
}

std::string plot_paths(const std::vector<Path>& paths, PlotSize size) {
  Range x_range, y_range;
  for (const Path& path : paths) {
    for (const auto& [x, y] : path) {
      x_range.include(x);
      y_range.include(y);
    }
  }
  if (x_range.empty() || y_range.empty()) return "  (no finite values to draw)\n";
  Canvas canvas(canvas_columns(size), canvas_rows(size));
  const auto across = static_cast<double>(canvas.dots_across() - 1), down = static_cast<double>(canvas.dots_down() - 1);
  // Braille dots are nearly square, so one scale for both axes keeps angles.
  const double unit = std::max({(x_range.high - x_range.low) / across, (y_range.high - y_range.low) / down, 1e-300});
  const double x_middle = (x_range.low + x_range.high) / 2, y_middle = (y_range.low + y_range.high) / 2;
  const auto place = [&](const std::pair<double, double>& point) {
    return std::pair{std::llround((point.first - x_middle) / unit + across / 2),
                     std::llround((y_middle - point.second) / unit + down / 2)};
  };
  const auto finite = [](const std::pair<double, double>& point) {
    return std::isfinite(point.first) && std::isfinite(point.second);
  };
  for (const Path& path : paths) {
    for (size_t i = 1; i < path.size(); ++i) {
      if (!finite(path[i - 1]) || !finite(path[i])) continue;
      const auto [x0, y0] = place(path[i - 1]);
      const auto [x1, y1] = place(path[i]);
      canvas.line(x0, y0, x1, y1);
    }
  }
  constexpr std::string_view kMarks = "0123456789abcdefghijklmnopqrstuvwxyz";
  for (size_t token = 0; token < paths.size(); ++token) {
    const Path& path = paths[token];
    if (path.empty() || !finite(path.back())) continue;
    const auto [x, y] = place(path.back());
    canvas.letter(x, y, token < kMarks.size() ? kMarks[token] : '*');
  }
  const double half_height = unit * down / 2, half_width = unit * across / 2;
  return framed(canvas, number_text(y_middle + half_height), number_text(y_middle - half_height)) +
         x_axis(canvas_columns(size), number_text(x_middle - half_width), number_text(x_middle + half_width));
}

std::string plot_agreement(const std::vector<std::pair<double, double>>& predicted_and_measured, PlotSize size) {
  Range range;  // of both axes
  std::vector<std::pair<double, double>> points;
  for (const auto& [x, y] : predicted_and_measured) {
    if (!(x > 0 && y > 0 && std::isfinite(x) && std::isfinite(y))) continue;
    points.emplace_back(std::log10(x), std::log10(y));
    range.include(std::log10(x));
    range.include(std::log10(y));
  }
  if (range.empty()) return "  (no finite values to draw)\n";
  Canvas canvas(canvas_columns(size), canvas_rows(size));
  const auto across = static_cast<double>(canvas.dots_across() - 1), down = static_cast<double>(canvas.dots_down() - 1);
  // Every other dot of the diagonal, so that points stand out against it.
  for (int64_t x = 0; x < static_cast<int64_t>(canvas.dots_across()); x += 4)
    canvas.dot(x, std::llround(down * (1 - static_cast<double>(x) / across)));
  for (const auto& [x, y] : points)
    canvas.letter(std::llround(range.share(x) * across), std::llround((1 - range.share(y)) * down), 'o');
  const std::string low = number_text(std::pow(10, range.low)), high = number_text(std::pow(10, range.high));
  return framed(canvas, high, low) + x_axis(canvas_columns(size), low, high);
}

}  // namespace atto

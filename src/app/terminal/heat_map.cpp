#include "app/terminal/heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/terminal/text.h"

namespace atto {
namespace {

constexpr std::array kShades = {" ", "░", "▒", "▓", "█"};

// Five shades over 0..1; the outer two are narrow, so that blank and full mean "nearly none" and "nearly all".
const char* shade_of(double share) {
  if (!std::isfinite(share)) return "?";
  return kShades[static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * 4))];
}

}  // namespace

std::string render(const HeatMap& map, const Terminal& terminal) {
  size_t label_width = text_width(map.row_name), cell_width = 0;
  for (const auto& label : map.rows) label_width = std::max(label_width, text_width(label));
  for (const auto& label : map.columns) cell_width = std::max(cell_width, text_width(label));
  const auto text_of = [](const std::optional<double>& value) {
    return value ? number_text(*value) : std::string("·");
  };
  for (const auto& value : map.values) cell_width = std::max(cell_width, 3 + text_width(text_of(value)));

  std::string out = pad("", label_width) + "  " + styled(map.column_name, Style::bold, terminal) + "\n";
  out += styled(pad(map.row_name, label_width), Style::bold, terminal);
  for (const auto& label : map.columns) out += "  " + pad(label, cell_width, Align::right);
  out += "\n";
  for (size_t row = 0; row < map.rows.size(); ++row) {
    out += pad(map.rows[row], label_width, Align::right);
    for (size_t column = 0; column < map.columns.size(); ++column) {
      const auto& value = map.values[row * map.columns.size() + column];
      std::string block = "  ";
      if (value) {
        const char* shade = shade_of(map.high > map.low ? (*value - map.low) / (map.high - map.low) : 0.5);
        block = std::string(shade) + shade;
      }
      out += "  " + block + pad(text_of(value), cell_width - 2, Align::right);
    }
    out += "\n";
  }
  return out;
}

std::string shade_blocks(std::span<const double> values, size_t rows, size_t columns) {
  std::string out;
  for (size_t row = 0; row < rows; ++row) {
    out += "  ";
    for (size_t column = 0; column < columns; ++column) {
      const char* shade = shade_of(values[row * columns + column]);
      out += std::string(shade) + shade;
    }
    out += "\n";
  }
  return out;
}

}  // namespace atto

#include "app/terminal/canvas.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace atto {
namespace {

// Bit of dot (x, y) in a braille character: U+2800 plus the sum of its raised dots.
constexpr uint8_t kDotBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

uint8_t dot_bit(int64_t x, int64_t y) { return kDotBits[y % 4][x % 2]; }

std::string braille(uint8_t dots) {
  // U+2800..U+28FF in UTF-8: E2, A0 + top two bits, 80 + the other six.
  return {static_cast<char>(0xE2), static_cast<char>(0xA0 + (dots >> 6)), static_cast<char>(0x80 + (dots & 0x3F))};
}

}  // namespace

Canvas::Canvas(size_t columns, size_t rows) : columns_(columns), rows_(rows), characters_(columns * rows) {}

Canvas::Character* Canvas::at(int64_t x, int64_t y) {
  if (x < 0 || y < 0 || x >= static_cast<int64_t>(dots_across()) || y >= static_cast<int64_t>(dots_down()))
    return nullptr;
  return &characters_[static_cast<size_t>(y / 4) * columns_ + static_cast<size_t>(x / 2)];
}

void Canvas::dot(int64_t x, int64_t y) {
  if (Character* character = at(x, y)) character->dots |= dot_bit(x, y);
}

void Canvas::shade(int64_t x, int64_t y) {
  if (Character* character = at(x, y)) character->shaded |= dot_bit(x, y);
}

void Canvas::letter(int64_t x, int64_t y, char mark) {
  if (Character* character = at(x, y)) character->mark = mark;
}

void Canvas::line(int64_t x0, int64_t y0, int64_t x1, int64_t y1) {
  const int64_t length = std::max<int64_t>({std::abs(x1 - x0), std::abs(y1 - y0), 1});
  for (int64_t i = 0; i <= length; ++i) {
    // Rounded to the nearest dot; the half keeps the rounding symmetric for rising and falling lines.
    const auto along = [&](int64_t from, int64_t to) {
      const int64_t twice = 2 * (to - from) * i + length;
      return from + (twice >= 0 ? twice / (2 * length) : -((-twice + 2 * length - 1) / (2 * length)));
    };
    dot(along(x0, x1), along(y0, y1));
  }
}

std::string Canvas::row(size_t index) const {
  std::string text;
  for (size_t column = 0; column < columns_; ++column) {
    const Character& character = characters_[index * columns_ + column];
    if (character.mark != 0) text += character.mark;
    else if (character.dots != 0) text += braille(character.dots);
    else if (std::popcount(character.shaded) >= 4) text += "░";
    else text += ' ';
  }
  return text;
}

}  // namespace atto

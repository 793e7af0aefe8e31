// A drawing surface of text: each character holds 2 × 4 braille dots, so lines are finer than letters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atto {

class Canvas {
 public:
  Canvas(size_t columns, size_t rows);  // in characters

  size_t dots_across() const { return 2 * columns_; }
  size_t dots_down() const { return 4 * rows_; }
  size_t rows() const { return rows_; }

  // Dot coordinates, y downwards; what lies outside is clipped.
  void dot(int64_t x, int64_t y);
  void line(int64_t x0, int64_t y0, int64_t x1, int64_t y1);
  // Background: a character mostly covered by it shows ░ where no dot is set.
  void shade(int64_t x, int64_t y);
  // A letter over the dots.
  void letter(int64_t x, int64_t y, char mark);

  std::string row(size_t index) const;

 private:
  struct Character {
    uint8_t dots = 0, shaded = 0;
    char mark = 0;
  };
  Character* at(int64_t x, int64_t y);

  size_t columns_, rows_;
  std::vector<Character> characters_;
};

}  // namespace atto

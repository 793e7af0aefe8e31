#include "app/terminal/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace atto {
namespace {

struct Glyph {
  std::string_view bytes;
  size_t width = 1;
};

bool within(char32_t code, std::initializer_list<std::pair<char32_t, char32_t>> ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](auto range) { return code >= range.first && code <= range.second; });
}

// Not wcwidth(): it answers by the locale of the process, and in the plain one knows nothing beyond ASCII.
size_t glyph_width(char32_t code) {
  if (within(code, {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}})) return 0;
  if (within(code, {{0x1100, 0x115F},
                    {0x2E80, 0x303E},
                    {0x3041, 0xA4CF},
                    {0xAC00, 0xD7A3},
                    {0xF900, 0xFAFF},
                    {0xFE30, 0xFE6F},
                    {0xFF00, 0xFF60},
                    {0xFFE0, 0xFFE6},
                    {0x1F300, 0x1FAFF},
                    {0x20000, 0x3FFFD}}))
    return 2;
  return 1;
}

// The first character of the text. Broken UTF-8 counts byte by byte, one column each.
Glyph first_glyph(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead < 0x80 ? 1 : lead >> 5 == 0x6 ? 2 : lead >> 4 == 0xE ? 3 : lead >> 3 == 0x1E ? 4 : 1;
  if (length == 1 || length > text.size()) return {text.substr(0, 1), 1};
  char32_t code = lead & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {text.substr(0, 1), 1};
    code = code << 6 | (next & 0x3F);
  }
  return {text.substr(0, length), glyph_width(code)};
}

// The longest beginning of at most `width` columns, with the marks that combine with its last character.
std::string_view prefix(std::string_view text, size_t width) {
  size_t bytes = 0, columns = 0;
  while (bytes < text.size()) {
    const Glyph glyph = first_glyph(text.substr(bytes));
    if (columns + glyph.width > width) break;
    columns += glyph.width;
    bytes += glyph.bytes.size();
  }
  return text.substr(0, bytes);
}

}  // namespace

size_t text_width(std::string_view utf8) {
  size_t width = 0;
  while (!utf8.empty()) {
    const Glyph glyph = first_glyph(utf8);
    width += glyph.width;
    utf8.remove_prefix(glyph.bytes.size());
  }
  return width;
}

std::string cut(std::string_view utf8, size_t width) {
  if (text_width(utf8) <= width) return std::string(utf8);
  if (width == 0) return "";
  return std::string(prefix(utf8, width - 1)) + "…";
}

std::string pad(std::string_view utf8, size_t width, Align align) {
  const size_t taken = text_width(utf8);
  const std::string space(taken < width ? width - taken : 0, ' ');
  return align == Align::left ? std::string(utf8) + space : space + std::string(utf8);
}

std::vector<std::string> wrap(std::string_view utf8, size_t width) {
  width = std::max<size_t>(width, 2);  // the widest character must fit
  std::vector<std::string> lines;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) lines.push_back(std::move(line));
    line.clear();
  };
  while (!utf8.empty()) {
    const size_t space = utf8.find_first_of(" \n");
    std::string_view word = utf8.substr(0, space);
    utf8.remove_prefix(space == std::string_view::npos ? utf8.size() : space + 1);
    if (word.empty()) continue;
    if (!line.empty() && text_width(line) + 1 + text_width(word) > width) end_line();
    while (text_width(word) > width) {
      const std::string_view piece = prefix(word, width);
      lines.emplace_back(piece);
      word.remove_prefix(piece.size());
    }
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  end_line();
  if (lines.empty()) lines.emplace_back();
  return lines;
}

std::string bytes_text(uint64_t bytes) {
  constexpr std::array kUnits = {"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return std::to_string(bytes) + " B";
  double size = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  while (size >= 999.95 && unit + 1 < kUnits.size()) {
    size /= 1000;
    ++unit;
  }
  return number_text(size, "%.1f ") + kUnits[unit];
}

std::string list_text(const std::vector<std::string>& names) {
  constexpr size_t kMostNamed = 10;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kMostNamed) text += " and " + std::to_string(names.size() - kMostNamed) + " more";
  return text;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

}  // namespace atto

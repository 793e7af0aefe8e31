#include "app/terminal/text_table.h"

#include <algorithm>

#include "base/error.h"

namespace atto {
namespace {

constexpr size_t kGap = 2;         // columns between two columns
constexpr size_t kNarrowest = 12;  // a wrapping column keeps at least this

std::string without_trailing_space(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

void Table::row(std::vector<TableCell> cells) {
  if (cells.size() != columns_.size()) throw Error(ErrorKind::internal, "a table row does not fit its columns");
  lines_.push_back({std::move(cells), {}});
}

void Table::note(std::string text) {
  if (!text.empty()) lines_.back().notes.push_back(std::move(text));
}

std::vector<size_t> Table::widths(size_t available) const {
  std::vector<size_t> width;
  for (const Column& column : columns_) width.push_back(text_width(column.title));
  for (const Line& line : lines_)
    for (size_t i = 0; i < width.size(); ++i) width[i] = std::max(width[i], text_width(line.cells[i].text));
  for (size_t i = 0; i < width.size(); ++i) {
    if (!columns_[i].wraps) continue;
    size_t others = 0;
    for (size_t j = 0; j < width.size(); ++j) others += j == i ? 0 : width[j] + kGap;
    const size_t left = available > others + kNarrowest ? available - others : kNarrowest;
    width[i] = std::min(width[i], left);
  }
  return width;
}

std::string Table::render(const Terminal& terminal) const {
  const std::vector<size_t> width = widths(terminal.width);
  std::string out;
  const auto put = [&](const std::vector<std::vector<std::string>>& parts, const std::vector<Style>& styles) {
    size_t height = 1;
    for (const auto& part : parts) height = std::max(height, part.size());
    for (size_t level = 0; level < height; ++level) {
      std::string line;
      for (size_t i = 0; i < parts.size(); ++i) {
        const std::string text = level < parts[i].size() ? parts[i][level] : "";
        const std::string padded = pad(text, width[i], columns_[i].align);
        line += (i == 0 ? "" : std::string(kGap, ' ')) + styled(padded, styles[i], terminal);
      }
      out += without_trailing_space(line) + "\n";
    }
  };

  std::vector<std::vector<std::string>> titles;
  for (const Column& column : columns_) titles.push_back({column.title});
  put(titles, std::vector<Style>(columns_.size(), Style::bold));

  for (const Line& line : lines_) {
    std::vector<std::vector<std::string>> parts;
    std::vector<Style> styles;
    for (size_t i = 0; i < columns_.size(); ++i) {
      parts.push_back(columns_[i].wraps ? wrap(line.cells[i].text, width[i]) : std::vector{line.cells[i].text});
      styles.push_back(line.cells[i].style);
    }
    put(parts, styles);
    const size_t indent = width[0] + kGap;
    const size_t room = terminal.width > indent + kNarrowest ? terminal.width - indent : kNarrowest;
    for (const std::string& text : line.notes)
      for (const std::string& piece : wrap(text, room))
        out += std::string(indent, ' ') + styled(piece, Style::dim, terminal) + "\n";
  }
  return out;
}

}  // namespace atto

// A table in plain text: aligned columns, one of which may wrap, and notes that run under a row.
#pragma once

#include <string>
#include <vector>

#include "app/terminal/terminal.h"
#include "app/terminal/text.h"

namespace atto {

struct Column {
  std::string title;
  Align align = Align::left;
  bool wraps = false;  // takes what the others leave of the width, and breaks its text
};

struct TableCell {
  std::string text;
  Style style = Style::plain;
  TableCell(std::string words, Style look = Style::plain) : text(std::move(words)), style(look) {}
  TableCell(const char* words) : text(words) {}
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void row(std::vector<TableCell> cells);  // one cell per column
  void note(std::string text);             // dimmed, wrapped, from the second column to the right edge
  std::string render(const Terminal& terminal) const;

 private:
  struct Line {
    std::vector<TableCell> cells;
    std::vector<std::string> notes;
  };

  std::vector<size_t> widths(size_t available) const;

  std::vector<Column> columns_;
  std::vector<Line> lines_;
};

}  // namespace atto

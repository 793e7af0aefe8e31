// How the cells of a figure share its panels and colours, and which of their runs are shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/figures/figure.h"

namespace atto {

// One cell in a panel: one line, one cloud of points.
struct Member {
  const CellResult* cell = nullptr;
  std::string label;  // what sets it apart within the panel: "vocab 10, rate 0.1"; "" when it is alone
  std::string color;  // the value of the colour's key, or `label` when no key was named
};

struct Panel {
  std::string title;  // what its cells have in common and others have not: "vocab = 100, width = 3"; may be ""
  std::vector<Member> members;
};

// Panels without a cell that has runs are left out. Panels come in the order of the filters, or of the sweep.
std::vector<Panel> arrange(const Panels& panels, const std::string& color, const FigureSource& source);

// The `color` channel for members: {"field": "color", "type": "ordinal" (numbers) | "nominal", "title": …, "sort":
// […]}; null when no panel has more than one member.
Json color_channel(const std::vector<Panel>& panels, const std::string& color_key);

// What a colour tells, in words and, where it is one, as a number.
struct Shade {
  std::string text;
  std::optional<double> number;
};
// The channel for these colours, each once: numbers by size, words as they come. A ramp for numbers and for more words
// than there are hues; no legend where it would be too long.
Json shade_channel(std::vector<Shade> shades, const Json& title);

// Value of a key in a cell, as text and, if it is one, as a number.
std::string value_text(const CellResult& cell, const std::string& key);
std::optional<double> value_number(const CellResult& cell, const std::string& key);

// Error(config) when a filter of the panels finds no cell.
void check_panels(const Panels& panels, const std::vector<Cell>& cells);

// These series of the runs of a cell, diverged ones included.
std::vector<Recording> load_runs(const FigureSource& source, const CellResult& cell,
                                 const std::vector<std::string>& addresses);
// Of how many seeds, and what became of the rest: "64 seeds", "8 to 32 seeds".
std::string seeds_text(const std::vector<Panel>& panels);
// "2 of 64 runs diverged and are not shown", or "".
std::string diverged_notice(const std::vector<Panel>& panels);

// Indices of `count` seeds of a cell that stand for all: those in the middle of `count` equal shares of the seeds that
// did not diverge, sorted by the final value of `address` (by number where it is not there). One seed is the median.
std::vector<size_t> typical_seeds(const CellResult& cell, const std::string& address, size_t count);

}  // namespace atto

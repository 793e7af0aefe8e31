// The few runs that a figure shows which has room for few: planes of embeddings, maps of attention.
#pragma once

#include <string>
#include <vector>

#include "lab/figures/panels/arrange.h"

namespace atto {

struct ShownRun {
  const CellResult* cell = nullptr;
  size_t seed = 0;     // index among the cell's runs
  int64_t number = 0;  // of the seed, as the study counts them
  std::string title;   // what sets it apart from the other runs shown; may be ""

  const std::string& id() const { return cell->runs[seed].id; }
};

struct ShownRuns {
  std::vector<ShownRun> runs;
  std::string caption;  // which seeds of how many, and how they were chosen: a sentence
  std::string notice;   // which cells are not shown, and why; or ""
};

// `seeds` typical runs of every cell of the panels, at most `most` runs in all. They are typical by the final value of
// the observable `by`, or of perplexity or loss without one.
ShownRuns typical_runs(const std::vector<Panel>& panels, const FigureSource& source, const std::string& by,
                       int64_t seeds, size_t most);

inline constexpr char kTypicalHelp[] =
    "observable by whose final value the seeds are typical (default: perplexity, else loss)";

// What such a figure of this series reads of its runs.
SeriesNeeds with_typical(const SeriesNeed& shown, const std::string& typical);

}  // namespace atto

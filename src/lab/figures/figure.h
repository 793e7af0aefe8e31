// Figures of a study: what it asks for ([[figure]] in its file), and the Vega-Lite specification drawn of it from
// recorded runs. docs/adding-a-figure.md shows how to add a kind.
//
// A kind draws data, not looks: colours, fonts and backgrounds come from web/report/look.json when the figure is
// rendered, so a specification names no colour but `color` scales of type nominal (categories) or ordinal (sizes), and
// ramps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/figures/settings.h"
#include "lab/results/json.h"
#include "lab/results/recordings.h"
#include "lab/results/results.h"
#include "observe/run_source.h"

namespace atto {

// Beyond this a browser grows slow and a reader sees nothing more; kinds thin their data to stay below.
inline constexpr size_t kMostMarks = 10'000;

// What a figure is drawn from: the cells its `where` chose, in the order of the sweep. Cells may have no runs yet, and
// runs may have diverged.
struct FigureSource {
  const StudyResult& result;
  const RunSource& runs;
  std::vector<const CellResult*> cells;

  // These series of a run of a cell, quantities of the study among them.
  Recording load(const CellResult& cell, const std::string& run_id, const std::vector<std::string>& addresses) const {
    return load_series({result.study, runs, cell.cell.config}, run_id, addresses);
  }
};

// How the panels of a figure share the page, in pixels; web/report/fit.ts makes it fit narrower or wider pages.
struct PanelLayout {
  int64_t panels = 1, columns = 1;
  int64_t width = 280, height = 210;  // of one panel, without its axes
  int64_t extra = 70;                 // beside it, for axis and title
  int64_t smallest = 180;             // width below which fewer panels stand side by side
  bool keep_aspect = false;           // the plane of an embedding, a map
};

struct Drawing {
  Json spec;         // without config; null when there is nothing to draw, and `notice` says why
  size_t marks = 0;  // rows of data that become marks
  PanelLayout layout;
  std::vector<int64_t> frames;  // training steps of an animation, whose top-level param `frame` counts from 0; or none
  std::string caption;          // what is drawn, of how many seeds
  std::string how;              // "how to read this" where the picture is unusual, or ""
  std::string notice;           // what is not there: diverged runs, runs not trained yet; or ""
};

class FigureKind {
 public:
  virtual ~FigureKind() = default;
  // What it shows, in a line.
  virtual std::string help() const = 0;
  // The keys of its own in [[figure]], bound to it.
  virtual void describe(FigureSettings& settings) = 0;
  // Series it reads: the study must observe them, and is refused where they have another shape. A kind that takes what
  // there is reads none in particular.
  virtual SeriesNeeds needs() const { return {}; }
  // What only the study as a whole can tell: Error(config).
  virtual void check(const Study& study, const std::vector<Cell>& cells) const;
  // Does this figure show what the claim speaks of? The first that does is where the table of claims leads to.
  virtual bool shows(const Claim& claim, const Study& study) const;
  virtual Drawing draw(const FigureSource& source) const = 0;
};

// Addresses in which the phenomenon that the claim speaks of is looked for; none for other claims.
std::vector<std::string> read_for(const Claim& claim, const Study& study);

// A fresh kind by its registered name; Error(config) with the nearest name.
std::unique_ptr<FigureKind> make_figure_kind(const std::string& name);
std::vector<std::string> figure_kind_names();

// The figure as `atto figure --spec` prints it and the report embeds it: the drawing's specification with its schema,
// description and, under usermeta.atto, name, marks, layout and frames.
struct Figure {
  FigurePlan plan;
  Drawing drawing;
  std::string setting;  // of its runs, in a sentence
  Json spec;            // null like the drawing's
};
Figure draw_figure(const FigurePlan& plan, const StudyResult& result, const RunSource& runs);

// The name of the first figure that shows what the claim speaks of, in cells that it may speak of.
std::optional<std::string> figure_of(const Claim& claim, const Study& study);

}  // namespace atto

// Experiments that choose their next runs: round by round, a rule looks at what the runs so far have shown and says
// which cells get more of them.
//
// Which runs are chosen follows from the study, the rule and the budget alone, and not from what the store holds, the
// number of threads or when it was stopped: an exploration that is asked for again takes the same rounds over what is
// stored and goes on where it ended.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/explore/next_cells.h"
#include "lab/results/results.h"
#include "lab/sweep/scheduler.h"

namespace atto {

// What an exploration may cost at most; whichever ends first.
struct ExploreBudget {
  std::optional<int64_t> runs, steps;
};

// Why no more runs came.
enum class ExploreEnd { decided, budget, most_runs };
template <>
struct EnumWords<ExploreEnd> {
  static constexpr std::array words{"decided", "budget", "most runs"};
};

// What a rule says of one cell in the end.
struct ExploredCell {
  int64_t runs = 0;
  double estimate = 0, low = 0, high = 0;  // NaN without runs
  std::string standing;                    // "above", "below", "open"; "best", "worse"
  bool inferred = false;                   // from the cells around it, which agree: it has no runs of its own
};

// Which cells are worth more runs.
class ExploreRule {
 public:
  virtual ~ExploreRule() = default;
  // Places of cells, the one first that tells most; none when all is known. `cells` are all of the study, most of them
  // without runs at first.
  virtual std::vector<size_t> next(const std::vector<CellResult>& cells) = 0;
  // In how many rounds at most a cell gets runs at once is the driver's; so many runs it gets each time.
  virtual int64_t batch(const CellResult& cell) const = 0;
  virtual std::vector<ExploredCell> summary(const std::vector<CellResult>& cells) const = 0;
  // Of a contour: pairs of cells between which it passes, as near as is known; the one above comes first.
  virtual std::vector<std::pair<size_t, size_t>> crossings(const std::vector<CellResult>&) const { return {}; }
};

// Where the share of runs that show a quantity passes `level`, over the plane of a study's two axes: each cell's side
// is known up to `tolerance`. Cells far from the contour get a few runs, those near it more; a coarse grid comes first,
// and a finer point only where the points around it lie on different sides. In a refined study (StudyOptions::refine)
// that goes on between the study's own points. Error(usage) where the study has no such plane or the quantity does not
// answer yes or no.
std::unique_ptr<ExploreRule> level_rule(const Study& study, const std::vector<Cell>& cells, const std::string& quantity,
                                        double level, double tolerance, int64_t batch);

// The cell with the least (or largest) median of a quantity: runs go to the best so far and to those that may still be
// better, by intervals that hold at every number of runs for all cells together.
std::unique_ptr<ExploreRule> optimum_rule(const Study& study, const std::string& quantity, bool largest, int64_t batch);

struct ExploreOptions {
  ExploreBudget budget;
  int64_t most = 4096;  // runs of a cell
  SweepOptions sweep;
  // Who trains what the store lacks of a round, and files it there.
  std::function<SweepResult(const Study&, const std::vector<Run>&, Store&, const SweepOptions&)> train = run_all;
  std::function<void(const std::vector<Run>&)> on_plan;                  // all runs so far, before each round
  std::function<void(int round, int64_t runs, int64_t cells)> on_round;  // after each
};

struct Exploration {
  std::vector<Run> runs;
  std::optional<StudyResult> result;                 // none when it was stopped
  std::vector<ExploredCell> cells;                   // in the order of the study's
  std::vector<std::pair<size_t, size_t>> crossings;  // ExploreRule::crossings
  int rounds = 0;
  int64_t steps = 0;                     // of training, of all its runs
  ExploreEnd end = ExploreEnd::decided;  // `most_runs`: all cells that are worth more have as many as they may
  Progress progress;
};

Exploration explore(const Study& study, const std::vector<Cell>& cells, Store& store, ExploreRule& rule,
                    const ExploreOptions& options);

// A quantity that the detectors of a study report; Error(usage) with the nearest name for others.
void require_quantity(const Study& study, const std::string& quantity);

}  // namespace atto

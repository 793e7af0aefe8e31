// A study: one TOML file that says which runs to train, what to measure, which phenomena to look for and which claims
// to judge. docs/writing-a-study.md describes the file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/study/figure_plan.h"
#include "math/expression/expression.h"
#include "observe/measure_plan.h"
#include "phenomena/claims/claim.h"
#include "phenomena/detectors/detector.h"
#include "spec/run_config.h"

namespace atto {

// Beyond these a study is refused: a slip in an axis or a schedule should not fill the memory.
inline constexpr int64_t kMaxRuns = 10'000'000;   // of one study
inline constexpr int64_t kMaxPoints = 1'000'000;  // measurements of one observable in one run

class NumberFiles;  // lab/study/run_files.h
struct OwnParts;    // lab/study/own_parts.h

using Overrides = std::vector<std::pair<std::string, Value>>;

// The sweep is the product of its grid axes, its zipped groups and its list of cells.
struct Sweep {
  struct Axis {
    std::string key;
    std::vector<Value> values;
    // Of a refined axis (StudyOptions::refine), whose values are in order: where each of them stands. The study's own
    // stand at multiples of `step`, and those between them where halving puts them; not every place has one.
    std::vector<int64_t> places = {};
    int64_t step = 1;
  };
  std::vector<Axis> grid;               // every combination
  std::vector<std::vector<Axis>> zips;  // axes of one group advance together
  std::vector<Overrides> cells;         // an explicit list
};

// Which seeds differ between the runs of a cell.
enum class Vary { both, init, data };
template <>
struct EnumWords<Vary> {
  static constexpr std::array words{"both", "init", "data"};
};

// Whether a cell has a fixed number of runs, or gets more of them until the claims about it are decided.
enum class Until { count, decided };
template <>
struct EnumWords<Until> {
  static constexpr std::array words{"count", "decided"};
};

struct SeedPlan {
  int64_t count = 32;  // of a cell; with `until = "decided"` those of the first look
  int64_t first = 1;
  Vary vary = Vary::both;
  Until until = Until::count;
  int64_t most = 256;  // runs of a cell, with `until = "decided"`
  // Cells that get another number of seeds (the largest networks); the first match counts.
  std::vector<std::pair<CellFilter, int64_t>> exceptions;
};

// The settings of a plan but for the exceptions.
const Schema<SeedPlan>& seed_plan_schema();

// Looks that are taken at most: one where the number of runs is fixed.
int look_count(const SeedPlan& plan);
// Runs of a cell, which has `count` of them at the first look (0): half as many again at each further look, up to
// `most`. The numbers are fixed beforehand, so the planned looks can share the error.
int64_t seeds_at_look(const SeedPlan& plan, int64_t count, int look);

struct Phenomenon {
  std::string name;  // as claims call it; the detector's name unless the study says otherwise
  std::shared_ptr<const Detector> detector;
  std::string detector_name;
  Overrides settings = {};  // those of the detector that are not its defaults
};

// A series that is computed from what runs record, never trained for and no part of a run's id: an expression over what
// is observed, other quantities, the numeric keys of a run, and best_loss and the like.
struct DerivedQuantity {
  std::string name;  // "excess": an address like those of observables
  Expression expression;
};

// What has one value in a run: a numeric key, best_loss, or another reference loss of its task (guess_loss). Nothing
// for other names; NaN for a best_loss that is not known.
std::optional<double> constant_of_run(const RunConfig& config, std::optional<double> best_loss,
                                      const std::string& name);

// A power law over the cells of a sweep: quantity = constant · Π term^exponent. Claims call its numbers
// `name.constant`, `name.r2` and `name.exponent.TERM`.
struct Fit {
  struct Term {
    std::string name;
    Expression expression;  // over the keys of a run: "data.context / network.width"
  };
  std::string name;
  std::string quantity;  // "emerged.step" or "excess", as claims write it
  std::vector<Term> terms;
  CellFilter where;                                      // cells it is fitted over
  std::vector<std::pair<std::string, double>> expected;  // exponents that theory gives, by term
};

// A term's value in one cell; may be infinite or NaN.
double term_value(const Fit::Term& term, const RunConfig& config);
// "law.constant", "law.r2", "law.exponent.length": what claims can speak of.
std::vector<std::string> fit_quantities(const Fit& fit);

// Choices that a publication leaves open. Each combination is a recipe, in which the claims are judged again.
struct Multiverse {
  std::vector<Sweep::Axis> choices;
  std::vector<std::string> claims;  // their ids
  int64_t seeds = 24;               // of each cell
};
inline constexpr int64_t kMaxRecipes = 5'000;

struct Study {
  std::string name;  // file stem
  std::string path;  // where it came from
  std::string title, source, summary;
  Provenance provenance;           // of claims that do not say otherwise
  std::vector<std::string> scale;  // keys whose values tell how far a claim is scaled down
  std::string calibrated;          // a sentence, where the recipe was chosen to match figures that claims are read from
  std::string profile;             // the one it was read with
  std::vector<std::string> profiles;  // quick, full, and the names of its own
  RunConfig base;
  ObservePlan observe;
  Sweep sweep;
  SeedPlan seeds;
  std::vector<DerivedQuantity> quantities;  // each after those it reads
  std::vector<Phenomenon> phenomena;
  std::vector<Fit> fits;
  std::vector<Claim> claims;
  std::vector<FigurePlan> figures;
  std::optional<Multiverse> multiverse;
  std::shared_ptr<NumberFiles> files;     // that runs name, each read once
  std::shared_ptr<const OwnParts> parts;  // that the study names and were brought along
  // What the file says under each of its profiles, quick first, with nothing changed on the command line. Only what the
  // file alone can show is checked: a profile that was not asked for may have cells that are no valid runs.
  std::shared_ptr<const std::vector<Study>> written;
};

// What the command line changes in a study.
struct StudyOptions {
  std::string profile = "quick";
  // The profile of studies that lack that one; without it they are refused. quick and full every study has.
  std::optional<std::string> otherwise;
  // "network.width=3", applied last, to every cell. An axis of that key disappears, and so do claims about cells that
  // no longer exist.
  std::vector<std::string> set;
  std::optional<int64_t> seeds;  // replaces every count
  std::optional<Until> until;    // replaces that of the seeds
  std::optional<int64_t> most;   // and their budget
  // The gaps between the numbers of each grid axis are halved so many times. Such a study is there to be explored: it
  // has none of the claims, fits and figures that speak of the study's own cells.
  int64_t refine = 0;
};
inline constexpr int64_t kMostHalvings = 8;

// The name under which a store keeps the results of a study: its profile, and what the options changed in it.
std::string variant_name(const Study& study, const StudyOptions& options);

// Throws Error(config) "path:line:column: what is wrong" or Error(missing). The study that comes back is wholly
// checked: every cell is a valid run, offers what is observed, and every claim has cells to speak of.
Study read_study(const std::string& path, const StudyOptions& options);
// `parts` are what the study names besides, if it does.
Study parse_study(const std::string& text, const std::string& path, const StudyOptions& options,
                  std::shared_ptr<const OwnParts> parts = nullptr);

// A study as its file says it, for lists: no cell is made and nothing is said about the runs. A file that is no TOML,
// has an unknown key or a value that is not allowed is refused as above; what only cells can show is not looked for.
struct StudyOutline {
  struct Profile {
    std::string name;
    int64_t cells = 0;                         // combinations of the sweep
    int64_t fewest_seeds = 0, most_seeds = 0;  // of a cell
  };
  Study study;                    // as the quick profile reads it; without the default figures
  std::vector<Profile> profiles;  // quick, full, and its own
};
StudyOutline outline_study(const std::string& path);
StudyOutline parse_outline(const std::string& text, const std::string& path);

// The path of a study given by name ("sticky-plateau": the first folder that holds sticky-plateau.toml) or by path
// (with a
// '/' or ending in .toml). Error(missing) with the nearest name.
std::string find_study(const std::string& name_or_path, const std::vector<std::string>& folders);
// Names of the studies in a folder, sorted; Error(missing) when there is no such folder.
std::vector<std::string> list_studies(const std::string& folder);

// One cell of the sweep: the values that set it apart and the configuration they give.
struct Cell {
  Overrides overrides;
  RunConfig config;  // seeds not yet set
  int64_t seeds = 0;
};

// One run to train: a cell, a seed number, and the full configuration.
struct Run {
  size_t cell = 0;
  int64_t seed = 0;  // 0-based within the cell
  RunConfig config;
  std::string id;  // run_id(config, study.observe)
};

// Where a run stands in its study.
struct RunPlace {
  size_t cell = 0;
  int64_t seed = 0;

  bool operator==(const RunPlace&) const = default;
};

int64_t count_cells(const Sweep& sweep);             // combinations; expand_cells drops those that repeat a run
std::vector<Cell> expand_cells(const Study& study);  // Error(config) on an empty sweep or an invalid cell
std::vector<Run> expand_runs(const Study& study, const std::vector<Cell>& cells);  // Error(config) on zero seeds
// Some of them, also seeds that only a later look has. Error(usage) where there is no such cell.
std::vector<Run> expand_runs(const Study& study, const std::vector<Cell>& cells, const std::vector<RunPlace>& places);

// "data.vocab=4, network.width=2": a cell in words; "base" for the only cell of a study without a sweep.
std::string cell_text(const Overrides& overrides);

bool matches(const CellFilter& filter, const RunConfig& config);  // do the named keys have the named values?

// The canonical texts of runs that are observed alike: JSON with sorted keys, every field and the observe plan. The
// store keeps them beside the runs. What runs have in common with the one before them is not written again: nothing but
// the seeds, where they are of one cell.
class CanonicalTexts {
 public:
  explicit CanonicalTexts(const ObservePlan& plan);

  std::string of(const RunConfig& config);

 private:
  struct Entry {
    const std::string* key;
    const RunField* field;  // nullptr: the plan
    Value value;            // of the last run
    std::string text;       // of that value, or the plan's
  };
  std::string written(size_t first, size_t last, const RunConfig& config);

  std::vector<Entry> entries_;                // by key
  size_t first_seed_ = 0, behind_seeds_ = 0;  // where those of the seeds stand
  std::optional<RunConfig> last_;             // of which these are the texts
  std::string before_, after_;                // what stands around the seeds
};
std::string canonical_text(const RunConfig& config, const ObservePlan& plan);

// Content address: 32 hex digits of the hash of a canonical text.
std::string run_id(const std::string& canonical_text);
std::string run_id(const RunConfig& config, const ObservePlan& plan);

}  // namespace atto

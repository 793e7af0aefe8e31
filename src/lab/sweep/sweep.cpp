// From a study to its cells, and from cells to runs.
#include <algorithm>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/machine.h"
#include "base/saturating.h"
#include "lab/study/own_parts.h"
#include "lab/study/parts.h"
#include "lab/study/run_files.h"
#include "spec/run_spec.h"

namespace atto {
namespace {

// One factor of the product: the alternatives among which a cell has one of each factor.
using Factor = std::vector<Overrides>;

std::vector<Factor> factors_of(const Sweep& sweep) {
  std::vector<Factor> factors;
  for (const Sweep::Axis& axis : sweep.grid) {
    Factor factor;
    for (const Value& value : axis.values) factor.push_back({{axis.key, value}});
    factors.push_back(std::move(factor));
  }
  for (const auto& group : sweep.zips) {
    Factor factor(group.empty() ? 0 : group.front().values.size());
    for (const Sweep::Axis& axis : group) {
      if (axis.values.size() != factor.size())
        throw Error(ErrorKind::config, "zipped axes " + group.front().key + " and " + axis.key + " differ in length");
      for (size_t i = 0; i < factor.size(); ++i) factor[i].emplace_back(axis.key, axis.values[i]);
    }
    factors.push_back(std::move(factor));
  }
  if (!sweep.cells.empty()) factors.push_back(sweep.cells);
  return factors;
}

// A cell takes some kilobytes; a slip in two axes should not fill the memory before anybody is told.
constexpr size_t kMaxCells = 1'000'000;

// The product of all factors; the last factor advances fastest, as in nested loops.
std::vector<Overrides> product(const std::vector<Factor>& factors) {
  size_t count = 1;
  for (const Factor& factor : factors) {
    if (factor.empty()) throw Error(ErrorKind::config, "the sweep is empty: one of its axes has no values");
    count *= factor.size();
    if (count > kMaxCells)
      throw Error(ErrorKind::config, "the sweep has more than " + std::to_string(kMaxCells) + " cells",
                  "shorten its axes, or zip some of them");
  }
  std::vector<Overrides> cells{{}};
  cells.reserve(count);
  for (const Factor& factor : factors) {
    std::vector<Overrides> longer;
    longer.reserve(cells.size() * factor.size());
    for (const Overrides& cell : cells) {
      for (const Overrides& choice : factor) {
        longer.push_back(cell);
        longer.back().insert(longer.back().end(), choice.begin(), choice.end());
      }
    }
    cells = std::move(longer);
  }
  return cells;
}

Run make_run(const Study& study, const std::vector<Cell>& cells, const RunPlace& place, CanonicalTexts& texts) {
  Run run{place.cell, place.seed, cells[place.cell].config, ""};
  run.config.seeds.init = study.seeds.first + (study.seeds.vary == Vary::data ? 0 : place.seed);
  run.config.seeds.data = study.seeds.first + (study.seeds.vary == Vary::init ? 0 : place.seed);
  run.id = run_id(texts.of(run.config));
  return run;
}

int64_t seeds_of(const SeedPlan& plan, const RunConfig& config) {
  for (const auto& [filter, count] : plan.exceptions)
    if (matches(filter, config)) return count;
  return plan.count;
}

// Listing runs takes memory, too, of which a study of millions of them may want more than there is.
void require_room_for(int64_t runs) {
  constexpr int64_t kOfEach = sizeof(Run) + 512;  // with what its texts and tables hold
  const auto bytes = static_cast<size_t>(runs * kOfEach);
  if (runs < 100'000 || bytes < available_memory()) return;
  throw Error(ErrorKind::resources,
              "the list of " + std::to_string(runs) + " runs alone takes " + std::to_string(bytes >> 30) +
                  " GB of memory, more than the machine has left",
              "split the study: fix one of its axes with --set, or ask for fewer --seeds");
}

}  // namespace

int64_t count_cells(const Sweep& sweep) {
  size_t count = 1;  // of axes that nobody has checked, so it may be more than any number
  for (const Sweep::Axis& axis : sweep.grid) count = saturating_product(count, axis.values.size());
  for (const auto& group : sweep.zips)
    count = saturating_product(count, group.empty() ? 0 : group.front().values.size());
  if (!sweep.cells.empty()) count = saturating_product(count, sweep.cells.size());
  return static_cast<int64_t>(std::min<size_t>(count, std::numeric_limits<std::ptrdiff_t>::max()));
}

std::vector<Cell> expand_all_cells(const Study& study) {
  std::vector<Cell> cells;
  for (Overrides& overrides : product(factors_of(study.sweep))) {
    Cell cell{std::move(overrides), study.base, 0};
    for (const auto& [key, value] : cell.overrides) run_schema().at(key).set(cell.config, value);
    if (study.files) attach_files(cell.config, *study.files);
    if (study.parts) attach_parts(cell.config, *study.parts);
    cell.seeds = seeds_of(study.seeds, cell.config);
    cells.push_back(std::move(cell));
  }
  return cells;
}

std::vector<Cell> expand_cells(const Study& study) {
  std::vector<Cell> cells;
  std::set<std::string> seen;
  CanonicalTexts texts({});
  for (Cell& cell : expand_all_cells(study)) {
    try {
      RunSpec{cell.config};
    } catch (const Error& error) {
      throw Error(error.kind(), "cell " + cell_text(cell.overrides) + ": " + error.what(), error.remedy());
    }
    if (seen.insert(texts.of(cell.config)).second) cells.push_back(std::move(cell));
  }
  return cells;
}

std::vector<Run> expand_runs(const Study& study, const std::vector<Cell>& cells) {
  std::vector<Run> runs;
  int64_t all = 0;
  for (const Cell& cell : cells) all += std::clamp<int64_t>(cell.seeds, 0, kMaxRuns);
  require_room_for(std::min(all, kMaxRuns));
  CanonicalTexts texts(study.observe);
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].seeds < 1)
      throw Error(ErrorKind::config, "cell " + cell_text(cells[i].overrides) + " has no seeds", "ask for at least one");
    for (int64_t seed = 0; seed < cells[i].seeds; ++seed) {
      if (static_cast<int64_t>(runs.size()) == kMaxRuns)
        throw Error(ErrorKind::config, "the study has more than " + std::to_string(kMaxRuns) + " runs",
                    "lower the number of seeds or of cells");
      runs.push_back(make_run(study, cells, {i, seed}, texts));
    }
  }
  return runs;
}

std::vector<Run> expand_runs(const Study& study, const std::vector<Cell>& cells, const std::vector<RunPlace>& places) {
  std::vector<Run> runs;
  CanonicalTexts texts(study.observe);
  for (const RunPlace& place : places) {
    if (place.cell >= cells.size() || place.seed < 0)
      throw Error(ErrorKind::usage,
                  "the study has no cell " + std::to_string(place.cell) + ", seed " + std::to_string(place.seed));
    runs.push_back(make_run(study, cells, place, texts));
  }
  return runs;
}

std::string cell_text(const Overrides& overrides) {
  std::string text;
  for (const auto& [key, value] : overrides) text += (text.empty() ? "" : ", ") + key + "=" + to_text(value);
  return text.empty() ? "base" : text;
}

bool matches(const CellFilter& filter, const RunConfig& config) {
  return std::all_of(filter.begin(), filter.end(),
                     [&](const auto& wanted) { return run_schema().at(wanted.first).get(config) == wanted.second; });
}

}  // namespace atto

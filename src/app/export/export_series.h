// What was measured, in files for other programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/results/json.h"
#include "lab/store/store.h"

namespace atto {

struct PickedRun {
  int64_t seed = 0;  // its number, as the study counts its seeds: files are joined by it
  std::string id;
};

struct PickedCell {
  Overrides overrides;
  Json config;
  std::vector<PickedRun> runs;
  RunConfig settings = {};  // the same as `config`, for the quantities of a study
};

// What is exported: the stored runs of a study, or one run alone.
struct Selection {
  std::string name;  // of the files
  Json origin;       // study, title, source, profile
  std::vector<PickedCell> cells;
  Study study = {};  // whose quantities are exported with what was measured; empty for a run alone
};

// Addresses that the runs of a cell have.
std::vector<std::string> recorded(const Selection& selection, const PickedCell& cell, const Store& store);

// `observables` restricts what is written; empty: everything the format can hold.
//
// CSV in long form, one value a line: study, the cell's keys, seed, run, observable, step, value. Scalars only.
void write_csv(const std::filesystem::path& path, const Selection& selection, const Store& store,
               const std::vector<std::string>& observables);
// NPZ: cellN/seeds [S], cellN/ADDRESS/steps [T], cellN/ADDRESS/values [S, T, ...]; NaN where a run was not measured.
void write_npz(const std::filesystem::path& path, const Selection& selection, const Store& store,
               const std::vector<std::string>& observables);

}  // namespace atto

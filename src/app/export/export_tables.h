// A study as tables for databases and data frames: Parquet files of what was measured, of what each run answered, and
// of the verdicts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/export/export_series.h"
#include "lab/results/results.h"

namespace atto {

// A row for each number: study, the cell's keys, seed, run, observable, step, value. Matrices are left out.
void write_scalars(const std::filesystem::path& path, const Selection& selection, const Store& store,
                   const std::vector<std::string>& observables);
// A row for each run and quantity: study, the cell's keys, seed, run, quantity, value, censored, diverged. The value is
// missing where the run has none.
void write_outcomes(const std::filesystem::path& path, const StudyResult& result);
// A row for each claim, with the keys of `atto reproduce --json` that hold one value, and the region's ends.
void write_verdicts(const std::filesystem::path& path, const StudyResult& result);

}  // namespace atto

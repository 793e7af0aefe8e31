// What the runs of a study have recorded, and the quantities that the study derives from it: every reader of results
// loads runs through here, so a [[quantity]] is a series like any other.
#pragma once

#include <string>
#include <vector>

#include "lab/study/study.h"
#include "observe/run_source.h"

namespace atto {

// Whose runs: the study, what holds them, and the configuration of their cell.
struct RecordedCell {
  const Study& study;
  const RunSource& source;
  const RunConfig& config;
};

// The series that a run has, stored and derived; without values.
std::vector<Series> series_of(const RecordedCell& cell, const std::string& run_id);

// These series of a run, without weights. An address is that of something observed or the name of a quantity; with an
// index behind it, "spectrum[2]", that entry of a vector. Errors as RunSource::load.
Recording load_series(const RecordedCell& cell, const std::string& run_id, const std::vector<std::string>& addresses);

// "spectrum[2]": entry 2 of the vector `address`.
std::string entry_address(const std::string& address, int64_t entry);

}  // namespace atto

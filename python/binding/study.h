// A study that was read and checked, as Python holds it.
#pragma once

#include <utility>
#include <vector>

#include "lab/results/json.h"
#include "lab/study/study.h"
#include "parts.h"

namespace atto::python {

struct CheckedStudy {
  Study study;
  std::vector<Cell> cells;
  std::vector<Run> runs;  // of the first look, or those that were picked
  bool picked = false;    // they are a part of the study, which whoever picked them judges as a whole
  std::string variant;    // the name of its results in a store
  std::shared_ptr<DetectorFailures> failures = std::make_shared<DetectorFailures>();
  std::shared_ptr<HostCalls> calls = std::make_shared<HostCalls>();  // to its parts in Python
};

// Places of runs, as Python has them: cell and seed.
std::vector<RunPlace> places_of(const std::vector<std::pair<size_t, int64_t>>& pairs);
std::vector<std::pair<size_t, int64_t>> pairs_of(const std::vector<RunPlace>& places);

// What json.dumps() wrote; Error(config) for what only Python takes for text.
Json parse_json(const std::string& text);

// A configuration from {"data.vocab": 4, ...} as JSON, with what it names of the parts; Error(config) for unknown keys
// and values that are not allowed.
RunConfig config_of(const std::string& json, const OwnParts& parts = {});

}  // namespace atto::python

// Parts of a study that are not in its file and not in the program: what whoever embeds the lab brings along, such as
// functions and arrays in Python. A study names them, with version and hash, and cannot be read without them.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "data/block_source.h"
#include "data/files/number_file.h"
#include "observe/weight_function.h"
#include "phenomena/detectors/function_detector.h"
#include "spec/run_config.h"

namespace atto {

struct OwnParts {
  std::map<std::string, std::shared_ptr<const NumberFile>> arrays;  // by what data.file calls them
  std::map<std::string, std::shared_ptr<const BlockSource>> tasks;  // by data.function
  std::map<std::string, std::shared_ptr<const WeightFunction>> observables;
  CurveFunctions detectors;
  bool reads_files = true;  // false: the study came from somebody who has no business with the files here
};

// data.file = "python:pairs": arrays and no file.
inline constexpr const char* kArraysPrefix = "python:";

// Gives a run the functions that it names, where they are there; what is missing its task refuses.
void attach_parts(RunConfig& config, const OwnParts& parts);

}  // namespace atto

// What --output names, looked at before anything is done for it: slips that would otherwise make a folder of an odd
// name, mix two things in one stream, or show only after hours of training.
#pragma once

#include <string>

#include "app/options.h"

namespace atto {

// Throws Error(usage) where `output` ends as a file of another format than `format`, which ends with `ending` and is
// asked for by `option`. A folder that is there may be called anything.
void check_ending(const std::string& output, const std::string& ending, const std::string& option);

// Error(usage) for a folder, Error(resources) for a file that cannot be written. Makes missing folders, and no file.
void require_writable(const std::string& output);

// Throws Error(usage) where the file and the JSON about it would go to the same place.
void check_json_apart(const Options& options);

}  // namespace atto

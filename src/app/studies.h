// Where the studies are.
#pragma once

#include <string>

#include "app/options.h"

namespace atto {

// --studies, else $ATTO_STUDIES, else ./studies, else the folder beside the program. Error(missing) when there is none.
std::string studies_folder(const Options& options);

// The file of a study given by name or by path; only a name needs a studies folder.
std::string study_path(const std::string& name_or_path, const Options& options);

}  // namespace atto

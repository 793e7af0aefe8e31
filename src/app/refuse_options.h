// Options that would change nothing in this command. Left alone they would look as if they had worked.
#pragma once

#include "app/options.h"

namespace atto {

// Error(usage) where one of `names` stands in the command: "--seeds has no effect " and why.
void refuse_options(const Options& options, const std::vector<std::string>& names, const std::string& why,
                    const std::string& remedy);

}  // namespace atto

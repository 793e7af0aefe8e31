// What --output names, looked at before anything is trained for it.
#pragma once

#include <string>

namespace atto {

// Error(usage) for a folder, Error(resources) for a file that cannot be written. Makes missing folders, and no file.
void require_writable(const std::string& output);

}  // namespace atto

// Files of a folder that many machines read and write, often over a network: each appears under its name at once and
// whole, so nobody needs a lock.
#pragma once

#include <filesystem>
#include <string>

namespace atto {

// Error(resources) with what the system says: the disk is full, or the folder is not writable.
void publish_text(const std::filesystem::path& path, const std::string& text);
void publish_copy(const std::filesystem::path& from, const std::filesystem::path& path);

// Error(missing) where it cannot be read.
std::string text_of_file(const std::filesystem::path& path);

}  // namespace atto

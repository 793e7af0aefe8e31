// What the machine has to offer.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace atto {

// Bytes that can still be used without swapping, within the limits of the control groups this process is in.
size_t available_memory();

// Cores this process may run on: no more than it is bound to, nor than a quota of processor time pays for (containers).
int usable_cores();
// The cores that the quotas of control groups pay for, rounded up; nothing where no group has one. `groups` is the text
// of /proc/self/cgroup, and their folders stand below `root`.
std::optional<int> quota_of_cores(const std::string& groups, const std::filesystem::path& root);

}  // namespace atto

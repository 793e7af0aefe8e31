#include "lab/sweep/machine.h"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

namespace atto {
namespace {

constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();

// A file with one number; nothing when it is not there or says "max".
std::optional<uint64_t> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

size_t free_memory() {
  std::ifstream file("/proc/meminfo");
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    uint64_t kibibytes = 0;
    if (words >> name >> kibibytes && name == "MemAvailable:") return kibibytes * 1024;
  }
  return kUnlimited;
}

// What a group leaves, and every group it is part of: each may set a limit of its own.
size_t left_in_groups(const std::filesystem::path& root, const std::string& group, const char* limit_file,
                      const char* used_file) {
  size_t left = kUnlimited;
  for (std::filesystem::path inside = std::filesystem::path(group).relative_path();; inside = inside.parent_path()) {
    if (const auto limit = number_in(root / inside / limit_file)) {
      const uint64_t used = number_in(root / inside / used_file).value_or(0);
      left = std::min(left, *limit > used ? *limit - used : 0);
    }
    if (inside.empty()) return left;
  }
}

// Lines "number:controllers:group"; version 2 has the number 0 and no controllers.
size_t left_in_control_groups() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  size_t left = kUnlimited;
  while (std::getline(file, line)) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty())
      left = std::min(left, left_in_groups("/sys/fs/cgroup", group, "memory.max", "memory.current"));
    else if (controllers == "memory")
      left = std::min(left,
                      left_in_groups("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", "memory.usage_in_bytes"));
  }
  return left;
}

}  // namespace

size_t available_memory() { return std::min(free_memory(), left_in_control_groups()); }

int usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace atto

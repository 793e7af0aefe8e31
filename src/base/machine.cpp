#include "base/machine.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
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

// Lines "number:controllers:group"; version 2 has the number 0 and no controllers. visit(controllers, group).
template <class Visit>
void each_control_group(std::istream& lines, Visit visit) {
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    visit(line.substr(first + 1, second - first - 1), line.substr(second + 1));
  }
}

size_t left_in_control_groups() {
  std::ifstream file("/proc/self/cgroup");
  size_t left = kUnlimited;
  each_control_group(file, [&](const std::string& controllers, const std::string& group) {
    if (controllers.empty())
      left = std::min(left, left_in_groups("/sys/fs/cgroup", group, "memory.max", "memory.current"));
    else if (controllers == "memory")
      left = std::min(left,
                      left_in_groups("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", "memory.usage_in_bytes"));
  });
  return left;
}

// Processor time a period, in microseconds, of one group: "150000 100000" or "max 100000" in version 2, two files in
// version 1, where -1 means no limit. Nothing where there is none, or nonsense.
std::optional<double> quota_of(const std::filesystem::path& folder, bool version_2) {
  double quota = 0, period = 0;
  if (version_2) {
    std::ifstream file(folder / "cpu.max");
    file >> quota >> period;
  } else {
    std::ifstream(folder / "cpu.cfs_quota_us") >> quota;
    std::ifstream(folder / "cpu.cfs_period_us") >> period;
  }
  if (!(quota > 0 && period > 0)) return std::nullopt;
  return quota / period;
}

}  // namespace

std::optional<int> quota_of_cores(const std::string& groups, const std::filesystem::path& root) {
  std::optional<double> least;
  std::istringstream lines(groups);
  each_control_group(lines, [&](const std::string& controllers, const std::string& group) {
    const bool version_2 = controllers.empty();
    if (!version_2 && ("," + controllers + ",").find(",cpu,") == std::string::npos) return;
    const std::filesystem::path folder = version_2 ? root : root / controllers;
    for (std::filesystem::path inside = std::filesystem::path(group).relative_path();; inside = inside.parent_path()) {
      if (const auto quota = quota_of(folder / inside, version_2)) least = std::min(least.value_or(*quota), *quota);
      if (inside.empty()) return;
    }
  });
  constexpr double kMost = 1e6;  // what nobody has, and an int holds
  if (!least) return std::nullopt;
  return static_cast<int>(std::ceil(std::min(*least, kMost)));
}

size_t available_memory() { return std::min(free_memory(), left_in_control_groups()); }

int usable_cores() {
  int count = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) count = std::max(1, CPU_COUNT(&cores));
  std::ifstream file("/proc/self/cgroup");
  const std::string groups{std::istreambuf_iterator<char>(file), {}};
  return std::min(count, quota_of_cores(groups, "/sys/fs/cgroup").value_or(count));
}

}  // namespace atto

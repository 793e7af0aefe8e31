#include "kernels/simd/target.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"

namespace atto {
namespace {

std::string name_of(int64_t target) {
  std::string name = hwy::TargetName(target);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

// Highway keeps the choice of the process; it does not keep who made it.
bool pinned = false;

}  // namespace

std::vector<std::string> supported_targets() {
  // Ask for what the machine has, not for what an earlier choice left of it.
  const std::string before = active_target();
  hwy::SetSupportedTargetsForTest(0);
  std::vector<std::string> names;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) names.push_back(name_of(target));
  prefer_target(before);
  return names;
}

void pin_target(std::string_view name) {
  prefer_target(name);
  pinned = !name.empty();
}

bool target_is_pinned() { return pinned; }

void prefer_target(std::string_view name) {
  const std::string before = active_target();
  hwy::SetSupportedTargetsForTest(0);
  int64_t chosen = 0;
  std::string known;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name_of(target) == name) chosen = target;
    known += (known.empty() ? "" : ", ") + name_of(target);
  }
  if (!name.empty() && chosen == 0) {
    prefer_target(before);
    throw Error(ErrorKind::usage, "instruction set '" + std::string(name) + "' is not available here",
                "set ATTO_TARGET to one of " + known + ", or leave it unset");
  }
  hwy::SetSupportedTargetsForTest(chosen);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::string active_target() { return name_of(hwy::SupportedAndGeneratedTargets().front()); }

}  // namespace atto

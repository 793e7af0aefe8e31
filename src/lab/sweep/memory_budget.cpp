#include "lab/sweep/memory_budget.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/machine.h"
#include "base/saturating.h"
#include "observe/memory.h"

namespace atto {
namespace {

std::string gigabytes(size_t bytes) {
  const size_t tenths = std::max<size_t>(1, bytes / 100'000'000);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

}  // namespace

SweepMemory sweep_memory(const std::vector<const Run*>& runs, const ObservePlan& plan, size_t threads, size_t waiting) {
  SweepMemory memory;
  memory.threads = threads;
  memory.available = available_memory();
  std::map<size_t, size_t> cell_bytes;  // the runs of a cell differ in nothing but their seeds
  std::vector<size_t> needs;
  for (const Run* run : runs) {
    const auto [entry, fresh] = cell_bytes.try_emplace(run->cell, 0);
    if (fresh) {
      const RunMemory one = estimate_memory(RunSpec(run->config), plan);
      memory.largest_run = std::max(memory.largest_run, one.total());
      memory.largest_recording = std::max(memory.largest_recording, one.recording());
      // The checkpoint in hand, and those (or recordings) that wait.
      entry->second = saturating_sum(saturating_sum(one.total(), one.checkpoint),
                                     saturating_product(waiting, std::max(one.recording(), one.checkpoint)));
    }
    needs.push_back(entry->second);
  }
  std::sort(needs.rbegin(), needs.rend());
  for (size_t i = 0; i < threads; ++i) {
    memory.together = saturating_sum(memory.together, needs[i]);
    if (memory.together <= memory.available) memory.fitting = i + 1;
  }
  return memory;
}

size_t detection_memory(const Study& study, const std::vector<Run>& runs) {
  size_t most = 0;
  std::set<size_t> seen;  // the runs of a cell differ in nothing but their seeds
  for (const Run& run : runs)
    if (seen.insert(run.cell).second)
      for (const Phenomenon& phenomenon : study.phenomena)
        most = std::max(most, phenomenon.detector->bytes(run.config));
  return most;
}

void require_judging_memory(size_t needed, size_t available) {
  if (needed <= available) return;
  throw Error(
      ErrorKind::resources,
      "the detectors need " + gigabytes(needed) + " of memory for one run, and " + gigabytes(available) + " are left",
      "choose a smaller data.vocab, or leave out detectors that compare all pairs of tokens (continuity)");
}

void require_memory(const SweepMemory& memory) {
  require_judging_memory(memory.judging, memory.available);
  if (memory.fitting == memory.threads) return;
  throw Error(
      ErrorKind::resources,
      std::to_string(memory.threads) + (memory.threads == 1 ? " run needs " : " runs at a time need ") +
          gigabytes(memory.together) + " of memory, and " + gigabytes(memory.available) + " are left",
      std::string(memory.fitting > 0 ? "use --threads " + std::to_string(memory.fitting) + ", or choose" : "choose") +
          " smaller data, networks or training.batch, or measure less often");
}

}  // namespace atto

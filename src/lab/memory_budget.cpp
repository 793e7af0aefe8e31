#include "lab/memory_budget.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "lab/machine.h"
#include "numeric/error.h"
#include "observe/observable.h"

namespace atto {
namespace {

// Estimates of absurd requests must not wrap around to modest ones.
size_t sum(size_t a, size_t b) {
  size_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<size_t>::max() : result;
}
size_t product(size_t a, size_t b) {
  size_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<size_t>::max() : result;
}

// At most this many measurements, counted without listing the steps: there may be too many to list.
size_t measurements(const Schedule& when, int64_t steps) {
  constexpr double kDefaultAndEnds = 152;
  const auto all = static_cast<double>(steps) + 1;
  const double asked = (when.every > 0 ? all / static_cast<double>(when.every) + 1 : 0) +
                       static_cast<double>(when.linear) + static_cast<double>(when.log) +
                       static_cast<double>(when.at.size()) + kDefaultAndEnds;
  return static_cast<size_t>(std::min(asked, all));
}

size_t recording_bytes(const RunConfig& config, const ObservePlan& plan) {
  const std::unique_ptr<Trajectory> probe = make_trajectory(config);
  std::map<std::string, size_t> blocks;
  for (const Observable& offer : all_observables(*probe)) {
    size_t& block = blocks[offer.address] = 1;
    for (const int64_t extent : offer.shape) block = product(block, static_cast<size_t>(extent));
  }
  size_t bytes = 0;
  for (const Observation& observation : plan) {
    const size_t count = measurements(observation.when, config.training.steps);
    for (const std::string& address : observation.what)
      bytes = sum(bytes, product(count, sum(sizeof(int64_t), product(sizeof(double), blocks[address]))));
  }
  return bytes;
}

std::string gigabytes(size_t bytes) {
  const size_t tenths = std::max<size_t>(1, bytes / 100'000'000);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

}  // namespace

void require_memory(const std::vector<const Run*>& runs, const ObservePlan& plan, size_t threads, size_t recordings) {
  const size_t available = available_memory();
  std::map<size_t, size_t> cell_bytes;  // the runs of a cell differ in nothing but their seeds
  std::vector<size_t> needs;
  for (const Run* run : runs) {
    const auto [entry, fresh] = cell_bytes.try_emplace(run->cell, 0);
    if (fresh) {
      entry->second = estimate_memory(run->config);
      if (entry->second <=
          available)  // else it is refused already, and asking the network for its shapes would be unwise
        entry->second = sum(entry->second, product(recordings, recording_bytes(run->config, plan)));
    }
    needs.push_back(entry->second);
  }
  std::sort(needs.rbegin(), needs.rend());
  size_t together = 0, fitting = 0;
  for (size_t i = 0; i < threads; ++i) {
    together = sum(together, needs[i]);
    if (together <= available) fitting = i + 1;
  }
  if (fitting == threads) return;
  throw Error(ErrorKind::resources,
              std::to_string(threads) + (threads == 1 ? " run needs " : " runs at a time need ") + gigabytes(together) +
                  " of memory, and " + gigabytes(available) + " are left",
              std::string(fitting > 0 ? "use --threads " + std::to_string(fitting) + ", or choose" : "choose") +
                  " smaller data, networks or training.batch, or measure less often");
}

}  // namespace atto

#include "lab/sweep/forecast.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/machine.h"
#include "base/saturating.h"
#include "spec/run_spec.h"

namespace atto {

double RunCosts::of(const Run& run) {
  const auto [entry, fresh] = by_cell_.try_emplace(run.cell, 0);
  if (fresh) entry->second = RunSpec(run.config).cost();
  return entry->second;
}

Forecast forecast_sweep(const Study& study, const std::vector<Run>& runs, const Store* store, int threads) {
  if (threads < 0)
    throw Error(ErrorKind::usage, "--threads " + std::to_string(threads) + " is negative", "0 uses every core");
  Forecast forecast;
  const auto checkpoints = store != nullptr ? store->checkpoint_steps() : std::map<std::string, int64_t>();
  std::set<std::string> seen;
  RunCosts costs;
  for (const Run& run : runs) {
    if (!seen.insert(run.id).second) continue;
    const int64_t steps = run.config.training.steps;
    ++forecast.runs;
    forecast.steps += steps;
    if (store != nullptr && store->has(run.id)) {
      ++forecast.stored;
      continue;
    }
    const auto checkpoint = checkpoints.find(run.id);
    const int64_t done = checkpoint == checkpoints.end() ? 0 : std::clamp<int64_t>(checkpoint->second, 0, steps);
    if (done > 0) ++forecast.unfinished;
    forecast.steps_left += steps - done;
    const double share_left = 1 - static_cast<double>(done) / static_cast<double>(std::max<int64_t>(steps, 1));
    forecast.pending.push_back({&run, done, costs.of(run) * share_left});
  }
  std::stable_sort(forecast.pending.begin(), forecast.pending.end(),
                   [](const PendingRun& a, const PendingRun& b) { return a.cost > b.cost; });
  std::vector<const Run*> missing;
  for (const PendingRun& pending : forecast.pending) missing.push_back(pending.run);
  const size_t at_a_time = std::min(missing.size(), static_cast<size_t>(threads > 0 ? threads : usable_cores()));
  forecast.memory = sweep_memory(missing, study.observe, at_a_time, 2 * kWaitingPerThread);
  forecast.memory.judging = saturating_sum(forecast.memory.largest_recording, detection_memory(study, runs));
  return forecast;
}

}  // namespace atto

#include "lab/sweep/forecast.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/saturating.h"
#include "data/regression.h"
#include "lab/sweep/machine.h"

namespace atto {

double estimated_cost(const RunConfig& config) {
  if (config.network.form == Form::scores) {
    const auto d = static_cast<double>(config.data.dimension), length = static_cast<double>(config.data.context);
    constexpr double kFlowStep = 100;
    if (config.training.optimizer == "flow") return static_cast<double>(config.training.steps) * kFlowStep;
    const double samples =
        config.training.gradient == GradientKind::expected ? 1 : static_cast<double>(config.training.batch);
    return static_cast<double>(config.training.steps) * (4 * samples * d * d + 16 * length);
  }
  const NetworkConfig& network = config.network;
  const auto vocab = static_cast<double>(config.data.vocab), width = static_cast<double>(network.width);
  const auto context = static_cast<double>(config.data.context > 0 ? config.data.context : 2 * config.data.pairs + 1);
  const double asked = config.data.targets == Targets::last ? 1 : context;  // positions with a query and logits
  // Keys and values of each position; queries, scores, their weighted sum and logits of each asked one.
  double sequence = 2 * context * width * width + asked * width * (width + 2 * context + vocab);
  // The blocks before the last have everything at every position.
  const double hidden = network.mlp == Activation::none ? 0 : static_cast<double>(network.mlp_factor) * width;
  sequence += static_cast<double>(network.layers - 1) * context * width * (4 * width + 2 * hidden + 2 * context);
  sequence += asked * 2 * hidden * width;
  return static_cast<double>(config.training.steps) * static_cast<double>(sequences_a_step(config)) * sequence;
}

Forecast forecast_sweep(const Study& study, const std::vector<Run>& runs, const Store* store, int threads) {
  if (threads < 0)
    throw Error(ErrorKind::usage, "--threads " + std::to_string(threads) + " is negative", "0 uses every core");
  Forecast forecast;
  const auto checkpoints = store != nullptr ? store->checkpoint_steps() : std::map<std::string, int64_t>();
  std::set<std::string> seen;
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
    const int64_t done = checkpoint == checkpoints.end() ? 0 : checkpoint->second;
    if (done > 0) ++forecast.unfinished;
    forecast.steps_left += steps - done;
    const double share_left = 1 - static_cast<double>(done) / static_cast<double>(std::max<int64_t>(steps, 1));
    forecast.pending.push_back({&run, done, estimated_cost(run.config) * share_left});
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

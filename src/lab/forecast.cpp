#include "lab/forecast.h"

#include <algorithm>
#include <set>

#include "data/regression.h"
#include "lab/machine.h"
#include "numeric/error.h"

namespace atto {

namespace {

// Multiplications of a step of the network of free scores.
double scores_step(const RunConfig& config) {
  const auto d = static_cast<double>(config.data.dimension), length = static_cast<double>(config.data.context);
  constexpr double kFlowStep = 100;
  if (config.training.optimizer == "flow") return kFlowStep;
  const double samples = config.training.gradient == "expected" ? 1 : static_cast<double>(config.training.batch);
  return 4 * samples * d * d + 16 * length;
}

double network_step(const RunConfig& config) {
  const DataConfig& data = config.data;
  const NetworkConfig& network = config.network;
  const bool vectors = is_regression(data);
  // recall leaves its context to the number of pairs
  const auto context = static_cast<double>(data.context > 0 ? data.context : 2 * data.pairs + 1);
  const auto width = static_cast<double>(network.width);
  const double asked = !vectors && data.targets == "every" ? context : 1;
  const auto outputs = static_cast<double>(vectors ? data.dimension : data.vocab);
  const double hidden = network.mlp == "none" ? 0 : 2 * static_cast<double>(network.mlp_factor) * width;
  // Keys and values of each position; queries, scores, their weighted sum, projection and MLP of each that is asked,
  // which in all layers but the last is every one.
  const double keys = 2 * context * width * width;
  const double query = width * (width + 2 * context + hidden + (network.output ? width : 0));
  const double layers = static_cast<double>(network.layers);
  const double sequence = layers * keys + (layers - 1) * context * query + asked * (query + width * outputs);
  return static_cast<double>(config.training.batch) * sequence;
}

}  // namespace

double estimated_cost(const RunConfig& config) {
  const double step = config.network.form == "scores" ? scores_step(config) : network_step(config);
  return static_cast<double>(config.training.steps) * step;
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
  forecast.memory = sweep_memory(missing, study.observe, at_a_time, kWaitingPerThread);
  return forecast;
}

}  // namespace atto

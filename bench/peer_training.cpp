#include "peer_training.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>

#include "lab/sweep/scheduler.h"
#include "spec/live_run.h"

namespace atto::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double mean_of_last_tenth(const std::vector<double>& losses) {
  const auto count = std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(losses.size() / 10));
  return std::accumulate(losses.end() - count, losses.end(), 0.0) / static_cast<double>(count);
}

Study study_of(const std::vector<RunConfig>& shapes, int64_t runs) {
  Study study;
  study.name = "peers";
  study.base = shapes.front();
  study.seeds.count = runs;
  study.seeds.first = study.base.seeds.init;
  for (const RunConfig& shape : shapes)
    study.sweep.cells.push_back({{"data.vocab", Value(shape.data.vocab)},
                                 {"data.context", Value(shape.data.context)},
                                 {"network.width", Value(shape.network.width)}});
  // The loss of every step, as the peers return it.
  Observation losses{{"loss"}, {}};
  losses.when.every = 1;
  study.observe = {losses};
  return study;
}

}  // namespace

Trained train_one(const RunConfig& config) {
  LiveRun live{RunSpec(config)};
  Trainer& run = live.trainer();
  run.evaluate();  // tables that are made when first used; the step itself is taken anew below
  std::vector<double> losses(static_cast<size_t>(config.training.steps));
  const Clock::time_point start = Clock::now();
  for (double& loss : losses) {
    loss = run.evaluate().loss;
    run.update();
  }
  return {seconds_since(start), {mean_of_last_tenth(losses)}};
}

Trained train_all(const std::vector<RunConfig>& shapes, int64_t runs, int threads,
                  const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "peers.sqlite";
  std::filesystem::remove(file);
  const Study study = study_of(shapes, runs);
  SweepOptions options;
  options.threads = threads;

  Trained result;
  const Clock::time_point start = Clock::now();
  const std::vector<Run> all = expand_runs(study, expand_cells(study));
  Store store(file.string(), Store::Mode::write);
  run_all(study, all, store, options);
  result.seconds = seconds_since(start);
  for (const Run& run : all) {
    Recording recording = store.load(run.id, {"loss"});
    std::vector<double>& losses = recording.series.front().values;
    losses.pop_back();  // after the last update, where peers measure no more
    result.losses.push_back(mean_of_last_tenth(losses));
  }
  return result;
}

}  // namespace atto::bench

#include "lab/sweep/time_forecast.h"

#include <algorithm>
#include <map>

#include "lab/sweep/clock.h"
#include "observe/recorder.h"

namespace atto {
namespace {

// The part of a run's cost that `done` of its steps have.
double part_of(double cost, const RunConfig& config, int64_t done) {
  const auto steps = static_cast<double>(std::max<int64_t>(config.training.steps, 1));
  return cost * static_cast<double>(done) / steps;
}

struct Speed {
  double cost = 0, seconds = 0;
  int64_t runs = 0;
  bool known() const { return cost > 0 && seconds > 0; }
};

Speed stored_speed(const std::vector<Run>& runs, const Store& store) {
  std::map<std::string, const Run*> wanted;
  for (const Run& run : runs) wanted.emplace(run.id, &run);
  Speed speed;
  RunCosts costs;
  for (const RunSummary& stored : store.runs()) {
    const auto run = wanted.find(stored.id);
    if (run == wanted.end() || stored.engine_revision != kEngineRevision) continue;
    speed.cost += part_of(costs.of(*run->second), run->second->config, stored.steps_done);
    speed.seconds += stored.seconds;
    ++speed.runs;
  }
  return speed;
}

// Building the network does not count, unless the run is over before the first report.
Speed calibrate(const Study& study, const RunConfig& config, double most) {
  const Clock::time_point start = Clock::now();
  const RunSpec spec(config);
  std::optional<Clock::time_point> first;
  int64_t steps_before = 0;
  Speed speed;
  const RecordResult result = record_run(spec, study.observe, [&](const StepReport& report) {
    if (!first) {
      first = Clock::now();
      steps_before = report.steps_done;
      return true;
    }
    speed = {part_of(spec.cost(), config, report.steps_done - steps_before), seconds_since(*first), 1};
    return seconds_since(*first) < most;
  });
  if (result.finished && !speed.known())
    speed = {part_of(spec.cost(), config, result.recording.steps_done), seconds_since(start), 1};
  return speed;
}

}  // namespace

TimeForecast forecast_time(const Study& study, const std::vector<Run>& runs, const Forecast& forecast,
                           const Store* store, double calibrate_for) {
  TimeForecast time;
  const std::vector<PendingRun>& pending = forecast.pending;  // longest first
  if (pending.empty()) return time;
  Speed speed;
  if (store != nullptr && forecast.stored > 0) speed = stored_speed(runs, *store);
  time.basis = TimeForecast::Basis::stored;
  time.stored = speed.runs;
  if (!speed.known()) {
    time.basis = TimeForecast::Basis::none;
    if (!forecast.memory.fits() || calibrate_for <= 0) return time;
    speed = calibrate(study, pending[pending.size() / 2].run->config, calibrate_for);
    if (!speed.known()) return time;
    time.basis = TimeForecast::Basis::calibrated;
    time.calibration = speed.seconds;
  }
  double cost = 0;
  for (const PendingRun& one : pending) cost += one.cost;
  // A run has one thread, so that the longest sets a limit.
  const auto threads = static_cast<double>(std::max<size_t>(forecast.memory.threads, 1));
  time.seconds = std::max(cost / threads, pending.front().cost) * speed.seconds / speed.cost;
  return time;
}

}  // namespace atto

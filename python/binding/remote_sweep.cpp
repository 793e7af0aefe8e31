#include "remote_sweep.h"

#include <algorithm>

#include "base/error.h"
#include "base/machine.h"
#include "lab/sweep/clock.h"
#include "lab/sweep/time_forecast.h"

namespace atto::python {
namespace {

// What a unit of cost takes, by the clock, where a pack is trained on so many threads.
double seconds_of_cost(const Study& study, const std::vector<Run>& runs, const Forecast& forecast, const Store& store,
                       int threads) {
  const TimeForecast time = forecast_time(study, runs, forecast, &store);
  double cost = 0;
  for (const PendingRun& one : forecast.pending) cost += one.cost;
  return cost > 0 ? time.seconds / cost / (threads > 0 ? threads : usable_cores()) : 0;
}

}  // namespace

SweepResult RemoteSweep::run(const Study& study, const std::vector<Run>& runs, Store& store,
                             const SweepOptions& options) {
  const Forecast forecast = forecast_sweep(study, runs, &store, 1);
  SweepResult result;
  result.progress.total = forecast.runs;
  result.progress.cached = forecast.stored;
  const double speed = seconds_of_cost(study, runs, forecast, store, options_.threads);
  Sweep sweep{{}, store, options, 0, 0, result.progress};
  for (const PendingRun& one : forecast.pending) {
    sweep.missing[{one.run->cell, one.run->seed}] = &one;
    sweep.cost += one.cost;
  }
  if (options.on_progress) options.on_progress(sweep.progress);
  const Clock::time_point start = Clock::now();
  std::unique_lock lock(mutex_);
  const bool stopped = options.stop != nullptr && options.stop->load();  // then nobody might call finish() any more
  if (!forecast.pending.empty() && !stopped && !abandoned_) {
    offered_.clear();
    for (const Pack& pack : packs_of(forecast.pending, speed, options_.length)) {
      offered_.emplace_back();
      for (const Run* one : pack.runs) offered_.back().push_back({one->cell, one->seed});
    }
    sweep_ = &sweep;
    change_.wait(lock, [this] { return sweep_ == nullptr || abandoned_; });
    sweep_ = nullptr;
  }
  result.progress = sweep.progress;
  result.progress.seconds = seconds_since(start);
  result.interrupted = !sweep.missing.empty();
  return result;
}

void RemoteSweep::abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  change_.notify_all();
}

std::vector<std::vector<RunPlace>> RemoteSweep::take_packs() {
  const std::lock_guard lock(mutex_);
  return std::exchange(offered_, {});
}

std::vector<RunPlace> RemoteSweep::merge(const std::string& path, const std::vector<RunPlace>& pack) {
  const std::lock_guard lock(mutex_);
  if (sweep_ == nullptr) return {};  // it is over, and what comes now comes too late
  const Store from(path, Store::Mode::read);
  sweep_->store.merge(from);
  std::map<std::string, bool> diverged;
  for (const RunSummary& run : from.runs()) diverged[run.id] = run.diverged_at.has_value();
  std::vector<RunPlace> missing;
  for (const RunPlace& place : pack) {
    const auto entry = sweep_->missing.find({place.cell, place.seed});
    if (entry == sweep_->missing.end()) continue;
    const PendingRun& run = *entry->second;
    const auto came = diverged.find(run.run->id);
    if (came == diverged.end()) {
      missing.push_back(place);
      continue;
    }
    ++sweep_->progress.done;
    sweep_->progress.diverged += came->second ? 1 : 0;
    sweep_->done += run.cost;
    sweep_->missing.erase(entry);
  }
  sweep_->progress.steps_fraction = sweep_->cost > 0 ? sweep_->done / sweep_->cost : 1;
  if (sweep_->options.on_progress) sweep_->options.on_progress(sweep_->progress);
  return missing;
}

void RemoteSweep::finish() {
  const std::lock_guard lock(mutex_);
  sweep_ = nullptr;
  change_.notify_all();
}

}  // namespace atto::python

#include "observe/recorder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/error.h"
#include "base/names.h"
#include "observe/observable.h"

namespace atto {
namespace {

// One observable and the steps at which it is due.
struct Track {
  Observable observable;
  std::vector<int64_t> due;
  size_t next = 0;
  Series series;

  int64_t next_due() const { return next < due.size() ? due[next] : std::numeric_limits<int64_t>::max(); }
};

const Observable& find_observable(const std::vector<Observable>& offers, const std::string& address) {
  std::vector<std::string> names;
  for (const Observable& offer : offers) {
    if (offer.address == address) return offer;
    names.push_back(offer.address);
  }
  const std::string near = nearest_name(address, names);
  throw Error(
      ErrorKind::config,
      "this network has no observable '" + address + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
      "`atto help observables` lists them");
}

std::vector<Track> make_tracks(const ObservePlan& plan, const RunSpec& spec) {
  const std::vector<Observable> offers = all_observables(spec, plan);
  std::vector<Track> tracks;
  for (const Observation& observation : plan) {
    for (const std::string& address : observation.what) {
      const Observable& observable = find_observable(offers, address);
      Track track{observable, observation.when.resolve(spec.training().steps, observable.default_points), 0, {}};
      track.series.address = address;
      track.series.shape = track.observable.shape;
      track.series.steps.reserve(track.due.size());
      track.series.values.reserve(track.due.size() * track.series.block());
      tracks.push_back(std::move(track));
    }
  }
  return tracks;
}

// A copy of the weights, once for all who are going to measure them.
void keep_weights(const Trainer& run, WeightHistory& history) {
  if (!history.steps.empty() && history.steps.back() == run.step()) return;
  history.steps.push_back(run.step());
  history.weights.insert(history.weights.end(), run.parameters().begin(), run.parameters().end());
}

// Measures the tracks that are due at this step, or all of them.
void measure_due(std::vector<Track>& tracks, Observer& observer, const Trainer& run, const BatchResult& batch, bool all,
                 WeightHistory& history) {
  const int64_t step = run.step();
  for (Track& track : tracks) {
    const bool due = track.next_due() == step;
    if (due) ++track.next;
    if (!due && !all) continue;
    Series& series = track.series;
    const size_t block = series.block();
    series.steps.push_back(step);
    series.values.resize(series.values.size() + block);
    if (track.observable.outside) keep_weights(run, history);
    else observer.measure(track.observable, batch, series.values.data() + series.values.size() - block);
  }
}

// The next step at which one of them is due.
int64_t next_due(const std::vector<Track>& tracks) {
  int64_t next = std::numeric_limits<int64_t>::max();
  for (const Track& track : tracks) next = std::min(next, track.next_due());
  return next;
}

// Before anything is measured at this step.
Checkpoint take_checkpoint(const Trainer& run, const std::vector<Track>& tracks) {
  Checkpoint checkpoint{run.snapshot(), {}};
  size_t count = 0;
  for (const Track& track : tracks) count += track.series.values.size();
  checkpoint.measured.reserve(count);
  for (const Track& track : tracks)
    checkpoint.measured.insert(checkpoint.measured.end(), track.series.values.begin(), track.series.values.end());
  return checkpoint;
}

void resume_from(const Checkpoint& checkpoint, Trainer& run, int64_t steps, std::vector<Track>& tracks) {
  const CheckpointMisfit misfit("the checkpoint is of a run that measures other things");
  if (checkpoint.snapshot.step < 0 || checkpoint.snapshot.step > steps)
    throw CheckpointMisfit("the checkpoint is of a step that the run does not have");
  try {
    run.restore(checkpoint.snapshot);
  } catch (const Error& error) {
    throw CheckpointMisfit(error.what());
  }
  std::span<const double> left = checkpoint.measured;
  for (Track& track : tracks) {
    const auto next = std::lower_bound(track.due.begin(), track.due.end(), checkpoint.snapshot.step);
    track.next = static_cast<size_t>(next - track.due.begin());
    const size_t count = track.next * track.series.block();
    if (left.size() < count) throw CheckpointMisfit(misfit);
    track.series.steps.assign(track.due.begin(), next);
    track.series.values.assign(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(count));
    left = left.subspan(count);
  }
  if (!left.empty()) throw CheckpointMisfit(misfit);
}

std::vector<WeightMatrix> copy_weights(const Trainer& run) {
  std::vector<WeightMatrix> weights;
  for (const WeightView& view : run.weights())
    weights.push_back({view.name, view.rows, view.columns, {view.values.begin(), view.values.end()}});
  return weights;
}

}  // namespace

RecordResult record_run(const RunSpec& spec, const ObservePlan& plan, const StepCallback& on_progress,
                        std::optional<Checkpoint> resume) {
  // A step of a tiny network takes microseconds, one of a wide network up to seconds.
  const bool wide = spec.attention() != nullptr && spec.attention()->network->wide();
  const int64_t report_every = wide ? 1 : 64, steps = spec.training().steps;
  std::vector<Track> tracks = make_tracks(plan, spec);  // the long list of what is offered is gone when the run begins
  LiveRun live(spec);
  Trainer& run = live.trainer();
  Observer observer(live);
  if (resume) resume_from(*resume, run, steps, tracks);
  resume.reset();  // a long run does not hold on to it
  RecordResult result;
  Recording& recording = result.recording;
  // By itself, which gives the same as together with others.
  const auto measure_history = [&] {
    if (result.history.steps.empty()) return;
    HistoryOfRun own{&result.history, {}, place_of(spec.config().seeds, rows_together(spec, plan))};
    for (Track& track : tracks) own.series.push_back(&track.series);
    measure_histories(spec, plan, {own});
    result.history = {};
  };
  const auto checkpoint = [&] {
    measure_history();
    return take_checkpoint(run, tracks);
  };
  int64_t next = next_due(tracks);
  recording.best_loss = run.best_loss();

  int64_t report = (run.step() / report_every + 1) * report_every;
  BatchResult batch = run.evaluate();
  while (true) {
    if (!std::isfinite(batch.loss)) {
      recording.diverged_at = run.step();
      break;
    }
    const bool last = run.step() == steps || run.should_stop();
    if (last || run.step() == next) {
      measure_due(tracks, observer, run, batch, last, result.history);
      if (result.history.bytes() > kHistoryBytes) measure_history();
      next = next_due(tracks);
    }
    if (last) break;
    batch = run.advance(std::min({steps, next, report}));
    if (run.step() < report) continue;
    report += report_every;
    if (on_progress && !on_progress({run.step(), checkpoint})) return result;
  }

  recording.steps_done = run.step();
  recording.stopped_early = !recording.diverged_at && run.step() < steps;
  for (Track& track : tracks) recording.series.push_back(std::move(track.series));
  recording.weights = copy_weights(run);
  result.finished = true;
  return result;
}

void validate(const ObservePlan& plan, const RunSpec& spec) { make_tracks(plan, spec); }

}  // namespace atto

#include "observe/recorder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "numeric/error.h"
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

std::vector<Track> make_tracks(const ObservePlan& plan, const Trajectory& run) {
  const std::vector<Observable> offers = all_observables(run);
  std::vector<Track> tracks;
  for (const Observation& observation : plan) {
    for (const std::string& address : observation.what) {
      const Observable& observable = find_observable(offers, address);
      Track track{observable, observation.when.resolve(run.config().training.steps, observable.default_points), 0, {}};
      track.series.address = address;
      track.series.shape = track.observable.shape;
      track.series.steps.reserve(track.due.size());
      track.series.values.reserve(track.due.size() * track.series.block());
      tracks.push_back(std::move(track));
    }
  }
  return tracks;
}

void measure(Track& track, const Moment& moment) {
  Series& series = track.series;
  const size_t block = series.block();
  series.steps.push_back(moment.run.step());
  series.values.resize(series.values.size() + block);
  track.observable.measure(moment, series.values.data() + series.values.size() - block);
}

// Measures the tracks that are due, or all of them, and returns the next step at which one will be.
int64_t measure_due(std::vector<Track>& tracks, const Moment& moment, bool all) {
  int64_t next = std::numeric_limits<int64_t>::max();
  for (Track& track : tracks) {
    const bool due = track.next_due() == moment.run.step();
    if (due) ++track.next;
    if (due || all) measure(track, moment);
    next = std::min(next, track.next_due());
  }
  return next;
}

std::vector<WeightMatrix> copy_weights(const Trajectory& run) {
  std::vector<WeightMatrix> weights;
  for (const WeightView& view : run.weights())
    weights.push_back({view.name, view.rows, view.columns, {view.values.begin(), view.values.end()}});
  return weights;
}

}  // namespace

RecordResult record_run(const RunConfig& config, const ObservePlan& plan, const StepCallback& on_progress) {
  constexpr int64_t kProgressEvery = 64;
  const std::unique_ptr<Trajectory> run = make_trajectory(config);
  Probes probes;
  std::vector<Track> tracks = make_tracks(plan, *run);
  int64_t next_due = 0;  // of any track; step 0 looks
  RecordResult result;
  Recording& recording = result.recording;
  recording.best_loss = run->best_loss();

  while (true) {
    const BatchResult batch = run->evaluate();
    if (!std::isfinite(batch.loss)) {
      recording.diverged_at = run->step();
      break;
    }
    const bool last = run->step() == config.training.steps || run->should_stop();
    if (last || run->step() == next_due) next_due = measure_due(tracks, {*run, batch, probes}, last);
    if (last) break;
    run->update();
    if (on_progress && run->step() % kProgressEvery == 0 && !on_progress(run->step())) return result;
  }

  recording.steps_done = run->step();
  recording.stopped_early = !recording.diverged_at && run->step() < config.training.steps;
  for (Track& track : tracks) recording.series.push_back(std::move(track.series));
  recording.weights = copy_weights(*run);
  result.finished = true;
  return result;
}

void validate(const ObservePlan& plan, const RunConfig& config) { make_tracks(plan, *make_trajectory(config)); }

std::vector<AddressHelp> known_addresses(const RunConfig& config) {
  std::vector<AddressHelp> addresses;
  for (const Observable& offer : all_observables(*make_trajectory(config)))
    addresses.push_back({offer.address, offer.help});
  return addresses;
}

}  // namespace atto

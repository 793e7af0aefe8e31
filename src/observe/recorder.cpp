#include "observe/recorder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "base/error.h"
#include "base/names.h"
#include "observe/observable.h"

namespace atto {

namespace {

const Observable& find_observable(const std::vector<Observable>& offers, const std::string& address) {
  for (const Observable& offer : offers)
    if (offer.address == address) return offer;
  std::vector<std::string> names;
  for (const Observable& offer : offers) names.push_back(offer.address);
  const std::string near = nearest_name(address, names);
  throw Error(
      ErrorKind::config,
      "this network has no observable '" + address + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
      "`atto help observables` lists them");
}

// A copy of the weights, once for all who are going to measure them.
void keep_weights(const Trainer& run, WeightHistory& history) {
  if (!history.steps.empty() && history.steps.back() == run.step()) return;
  history.steps.push_back(run.step());
  history.weights.insert(history.weights.end(), run.parameters().begin(), run.parameters().end());
}

std::vector<WeightMatrix> copy_weights(const Trainer& run) {
  std::vector<WeightMatrix> weights;
  for (const WeightView& view : run.weights())
    weights.push_back({view.name, view.rows, view.columns, {view.values.begin(), view.values.end()}});
  return weights;
}

}  // namespace

struct SeriesPlan::Content {
  // One observable and which of `schedules` holds the steps at which it is due.
  struct Planned {
    Observable observable;
    size_t schedule;
    size_t block;  // numbers of a measurement
  };
  ObservePlan observe;
  std::vector<Planned> series;
  // A run looks at these and not at each series to find out what is due: a study measures dozens of series by a few.
  std::vector<std::vector<int64_t>> schedules;

  const std::vector<int64_t>& due(const Planned& one) const { return schedules[one.schedule]; }
};

SeriesPlan::SeriesPlan(const ObservePlan& plan, const RunSpec& spec) {
  const std::vector<Observable> offers = all_observables(spec, plan);
  auto content = std::make_shared<Content>();
  content->observe = plan;
  for (const Observation& observation : plan) {
    std::map<int64_t, size_t> schedules;  // by the number of points, which most have in common
    for (const std::string& address : observation.what) {
      const Observable& observable = find_observable(offers, address);
      const int64_t points = observable.default_points;
      const auto [schedule, fresh] = schedules.try_emplace(points, content->schedules.size());
      if (fresh) content->schedules.push_back(observation.when.resolve(spec.training().steps, points));
      size_t block = 1;
      for (const int64_t extent : observable.shape) block *= static_cast<size_t>(extent);
      content->series.push_back({observable, schedule->second, block});
    }
  }
  content_ = std::move(content);
}

const ObservePlan& SeriesPlan::observe() const { return content_->observe; }

std::vector<PlannedSeries> SeriesPlan::series() const {
  std::vector<PlannedSeries> list;
  for (const auto& one : content_->series)
    list.push_back({one.observable.address, one.observable.shape, std::ssize(content_->due(one))});
  return list;
}

Recorder::Recorder(const RunSpec& spec, SeriesPlan plan, std::optional<Checkpoint> resume)
    : plan_(std::move(plan)), past_(plan_.content_->schedules.size()), due_now_(past_.size()) {
  const SeriesPlan::Content& content = *plan_.content_;
  recording_.series.reserve(content.series.size());
  for (const auto& one : content.series) {
    Series& series = recording_.series.emplace_back();
    series.address = one.observable.address;
    series.shape = one.observable.shape;
    series.steps.reserve(content.due(one).size());
    series.values.reserve(content.due(one).size() * one.block);
  }
  live_ = std::make_unique<LiveRun>(spec);
  observer_ = std::make_unique<Observer>(*live_);
  if (resume) resume_from(*resume);
  resume.reset();  // a long run does not hold on to it
  Trainer& run = live_->trainer();
  recording_.best_loss = run.best_loss();
  recording_.steps_done = run.step();
  next_ = next_due();
  batch_ = run.evaluate();
}

Recorder::~Recorder() = default;

const RunSpec& Recorder::spec() const { return live_->spec(); }
int64_t Recorder::step() const { return live_->trainer().step(); }

int64_t Recorder::next_due() const {
  int64_t next = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < past_.size(); ++i) {
    const std::vector<int64_t>& steps = plan_.content_->schedules[i];
    if (past_[i] < steps.size()) next = std::min(next, steps[past_[i]]);
  }
  return next;
}

// Measures the series that are due at this step, or all of them.
void Recorder::measure_due(bool all) {
  const SeriesPlan::Content& content = *plan_.content_;
  const int64_t step = this->step();
  for (size_t i = 0; i < past_.size(); ++i) {
    const std::vector<int64_t>& steps = content.schedules[i];
    const bool due = past_[i] < steps.size() && steps[past_[i]] == step;
    if (due) ++past_[i];
    due_now_[i] = due || all;
  }
  for (size_t i = 0; i < content.series.size(); ++i) {
    const auto& [observable, schedule, block] = content.series[i];
    if (!due_now_[schedule]) continue;
    Series& series = recording_.series[i];
    series.steps.push_back(step);
    series.values.resize(series.values.size() + block);
    if (observable.outside) keep_weights(live_->trainer(), history_);
    else observer_->measure(observable, batch_, series.values.data() + series.values.size() - block);
  }
  if (history_.bytes() > kHistoryBytes) measure_history();
  next_ = next_due();
}

// By itself, which gives the same as together with others.
void Recorder::measure_history() {
  if (history_.steps.empty()) return;
  HistoryOfRun own{&history_, {}, place_of(spec().config().seeds, rows_together(spec(), plan_.observe()))};
  for (Series& series : recording_.series) own.series.push_back(&series);
  measure_histories(spec(), plan_.observe(), {own});
  history_ = {};
}

// What there is to do at the present step before the next one.
void Recorder::settle() {
  Trainer& run = live_->trainer();
  if (!std::isfinite(batch_.loss)) {
    recording_.diverged_at = run.step();
    return end();
  }
  const bool last = run.step() == spec().training().steps || run.should_stop();
  if (last || run.step() == next_) measure_due(last);
  if (last) end();
}

void Recorder::end() {
  ended_ = true;
  recording_.stopped_early = !recording_.diverged_at && step() < spec().training().steps;
  recording_.weights = copy_weights(live_->trainer());
}

void Recorder::advance(int64_t to) {
  Trainer& run = live_->trainer();
  while (!ended_ && run.step() < to) {
    settle();
    if (ended_) return;
    // Whether answers are right is counted only where something is measured, and not where this run just pauses.
    const int64_t measured = std::min(spec().training().steps, next_);
    batch_ = run.advance(std::min(measured, to), to >= measured);
    if (to < measured && run.should_stop()) batch_ = run.evaluate();
    recording_.steps_done = run.step();
  }
}

// Before anything is measured at this step.
Checkpoint Recorder::checkpoint() {
  measure_history();
  Checkpoint checkpoint{live_->trainer().snapshot(), {}};
  size_t count = 0;
  for (const Series& series : recording_.series) count += series.values.size();
  checkpoint.measured.reserve(count);
  for (const Series& series : recording_.series)
    checkpoint.measured.insert(checkpoint.measured.end(), series.values.begin(), series.values.end());
  return checkpoint;
}

void Recorder::resume_from(const Checkpoint& checkpoint) {
  const CheckpointMisfit misfit("the checkpoint is of a run that measures other things");
  if (checkpoint.snapshot.step < 0 || checkpoint.snapshot.step > spec().training().steps)
    throw CheckpointMisfit("the checkpoint is of a step that the run does not have");
  try {
    live_->trainer().restore(checkpoint.snapshot);
  } catch (const Error& error) {
    throw CheckpointMisfit(error.what());
  }
  const SeriesPlan::Content& content = *plan_.content_;
  for (size_t i = 0; i < past_.size(); ++i) {
    const std::vector<int64_t>& steps = content.schedules[i];
    past_[i] =
        static_cast<size_t>(std::lower_bound(steps.begin(), steps.end(), checkpoint.snapshot.step) - steps.begin());
  }
  std::span<const double> left = checkpoint.measured;
  for (size_t i = 0; i < content.series.size(); ++i) {
    const auto& one = content.series[i];
    Series& series = recording_.series[i];
    const size_t points = past_[one.schedule], count = points * one.block;
    if (left.size() < count) throw CheckpointMisfit(misfit);
    const std::vector<int64_t>& due = content.due(one);
    series.steps.assign(due.begin(), due.begin() + static_cast<std::ptrdiff_t>(points));
    series.values.assign(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(count));
    left = left.subspan(count);
  }
  if (!left.empty()) throw CheckpointMisfit(misfit);
}

RecordResult record_run(const RunSpec& spec, const SeriesPlan& plan, const StepCallback& on_progress,
                        std::optional<Checkpoint> resume) {
  // A step of a tiny network takes microseconds, one of a wide network up to seconds.
  const bool wide = spec.attention() != nullptr && spec.attention()->network->wide();
  const int64_t report_every = wide ? 1 : 64;
  Recorder recorder(spec, plan, std::move(resume));
  int64_t report = (recorder.step() / report_every + 1) * report_every;
  while (true) {
    recorder.advance(report);
    if (recorder.ended()) break;
    report += report_every;
    if (on_progress && !on_progress({recorder.step(), [&] { return recorder.checkpoint(); }})) return {};
  }
  return {true, recorder.take_recording(), recorder.take_history()};
}

}  // namespace atto

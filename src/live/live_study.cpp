#include "live/live_study.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/contains.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/saturating.h"
#include "live/limits.h"
#include "observe/memory.h"

namespace atto {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kTurnMilliseconds = 0.5;  // about how long a run has its turn
constexpr int64_t kMostStepsOfATurn = 256;
constexpr int64_t kLooks = 50;         // of the detectors at a run on its way, at most
constexpr double kLookingShare = 0.2;  // of the time, at most; what they would have said is left out

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// What the series has beyond the `sent` points that are known already.
void add_block(uint32_t run, size_t place, const Series& series, size_t& sent, Frame& frame) {
  if (series.steps.size() <= sent) return;
  const size_t width = series.block();
  FrameBlock& block = frame.blocks.emplace_back();
  block.run = run;
  block.series = static_cast<uint32_t>(place);
  block.width = static_cast<uint32_t>(width);
  block.steps.assign(series.steps.begin() + static_cast<std::ptrdiff_t>(sent), series.steps.end());
  block.values.reserve(block.steps.size() * width);
  for (size_t i = sent * width; i < series.values.size(); ++i)
    block.values.push_back(static_cast<float>(series.values[i]));
  sent = series.steps.size();
}

std::string gigabytes(size_t bytes) { return std::to_string((bytes + 999'999'999) / 1'000'000'000) + " GB"; }

}  // namespace

std::vector<RunKey> all_run_keys(const Study& study, const std::vector<Cell>& cells) {
  int64_t most = 0;
  for (const Cell& cell : cells) most = std::max(most, cell.seeds);
  std::vector<RunKey> keys;
  for (int64_t seed = 0; seed < most; ++seed)
    for (size_t cell = 0; cell < cells.size(); ++cell)
      if (seed < cells[cell].seeds) keys.push_back({cell, study.seeds.first + seed});
  return keys;
}

// What the runs of a cell share.
struct LiveStudy::CellPlan {
  std::vector<LiveSeries> series;
  std::vector<std::string> scalars;  // of these, the addresses of single numbers
  bool derived = false;              // some are derived
};

struct LiveStudy::Watched {
  uint32_t index = 0;
  RunKey key;
  RunConfig config;
  std::unique_ptr<Recorder> recorder;  // while it trains
  Recording recording;                 // after that
  bool ended = false;
  std::vector<size_t> sent;    // points of each series
  int64_t next_look = 0;       // step from which the detectors look again
  double step_ms = 0;          // that a step took in its last turn
  int64_t told_in_frame = -1;  // its place in the frame being made

  const Recording& so_far() const { return recorder ? recorder->recording() : recording; }
};

LiveStudy::LiveStudy(Study study, std::vector<Cell> cells, std::vector<RunKey> runs)
    : study_(std::move(study)), cells_(std::move(cells)), keys_(std::move(runs)), plans_(cells_.size()) {
  if (std::ssize(keys_) > kMostLiveRuns)
    throw Error(
        ErrorKind::config,
        std::to_string(keys_.size()) + " runs are too many to watch, of at most " + std::to_string(kMostLiveRuns),
        "ask for fewer seeds or cells, or train the study with `atto run`");
  std::vector<size_t> bytes(cells_.size());
  size_t together = 0;
  for (const RunKey& key : keys_) {
    if (key.cell >= cells_.size() || key.seed < 0 ||
        static_cast<double>(key.seed) > seed_schema().at("seeds.init").high)
      throw Error(ErrorKind::config, "the study has no run of cell " + std::to_string(key.cell) + " with seed " +
                                         std::to_string(key.seed));
    if (bytes[key.cell] == 0) {
      const RunSpec spec(cells_[key.cell].config);
      const double steps = static_cast<double>(std::max<int64_t>(spec.training().steps, 1));
      if (spec.cost() / steps > kMostStepCost)
        throw Error(ErrorKind::config,
                    "a step of cell " + cell_text(cells_[key.cell].overrides) + " takes too long to watch",
                    "choose smaller data, networks or training.batch, or train the study with `atto run`");
      bytes[key.cell] = estimate_memory(spec, study_.observe).total();
    }
    together = saturating_sum(together, bytes[key.cell]);
    Watched& run = watched_.emplace_back();
    run.index = static_cast<uint32_t>(watched_.size() - 1);
    run.key = key;
    run.config = cells_[key.cell].config;
    run.config.seeds.init = study_.seeds.vary == Vary::data ? study_.seeds.first : key.seed;
    run.config.seeds.data = study_.seeds.vary == Vary::init ? study_.seeds.first : key.seed;
  }
  if (const size_t available = available_memory(); together > available)
    throw Error(ErrorKind::resources,
                std::to_string(keys_.size()) + " runs need " + gigabytes(together) + " of memory, and " +
                    gigabytes(available) + " are left",
                "ask for fewer seeds, smaller data, networks or training.batch, or measure less often");
  left_ = watched_.size();
}

LiveStudy::~LiveStudy() = default;

const Recording& LiveStudy::recording(size_t run) const { return watched_.at(run).so_far(); }

LiveStudy::CellPlan& LiveStudy::plan_of(size_t cell) {
  std::unique_ptr<CellPlan>& plan = plans_[cell];
  if (!plan) {
    plan = std::make_unique<CellPlan>();
    plan->series = live_series(study_, RunSpec(cells_[cell].config));
    for (const LiveSeries& one : plan->series) {
      if (one.shape.empty()) plan->scalars.push_back(one.address);
      plan->derived = plan->derived || one.derived;
    }
  }
  return *plan;
}

Recording LiveStudy::load(const std::string& run_id) const { return load(run_id, {}); }

// As a store gives it back: whatever is not a single number is rounded to single precision.
Recording LiveStudy::load(const std::string& run_id, const std::vector<std::string>& addresses) const {
  size_t index = 0;
  std::from_chars(run_id.data(), run_id.data() + run_id.size(), index);
  const Recording& whole = recording(index);
  Recording chosen{whole.steps_done, whole.diverged_at, whole.stopped_early, whole.best_loss, {}, {}};
  for (const std::string& address : addresses)
    if (!whole.find(address)) throw Error(ErrorKind::missing, "the run has no series '" + address + "'");
  for (const Series& one : whole.series) {
    if (!addresses.empty() && !contains(addresses, one.address)) continue;
    Series& series = chosen.series.emplace_back(one);
    if (!series.shape.empty())
      for (double& value : series.values) value = static_cast<float>(value);
  }
  return chosen;
}

RunNews& LiveStudy::news_of(Watched& run, Frame& frame) {
  if (run.told_in_frame < 0) {
    run.told_in_frame = std::ssize(frame.runs);
    frame.runs.emplace_back().run = run.index;
  }
  return frame.runs[static_cast<size_t>(run.told_in_frame)];
}

// One turn of a run: true where it moved.
bool LiveStudy::move(Watched& run, int64_t to, Frame& frame) {
  if (run.ended) return false;
  const Clock::time_point start = Clock::now();
  if (!run.recorder) {
    run.recorder = std::make_unique<Recorder>(RunSpec(run.config), study_.observe);
    run.sent.resize(plan_of(run.key.cell).series.size());
  }
  Recorder& recorder = *run.recorder;
  const int64_t before = recorder.step();
  if (before >= to) return false;
  const double fitting = run.step_ms > 0 ? kTurnMilliseconds / run.step_ms : 1;
  const auto turn = static_cast<int64_t>(std::clamp(fitting, 1.0, static_cast<double>(kMostStepsOfATurn)));
  recorder.advance(std::min(to, before + turn));
  // What is due at the last step is measured by the next call.
  if (recorder.step() == run.config.training.steps) recorder.advance(recorder.step() + 1);
  const int64_t done = recorder.step() - before;
  const double took = milliseconds_since(start);
  training_ms_ += took;
  if (done > 0) run.step_ms = took / static_cast<double>(done);
  frame.steps += done;
  if (recorder.ended()) {
    run.recording = recorder.take_recording();
    run.recording.weights.clear();
    run.recorder.reset();
    run.ended = true;
    --left_;
  }
  RunNews& news = news_of(run, frame);
  news.step = run.so_far().steps_done;
  news.finished = run.ended;
  news.diverged = run.so_far().diverged_at.has_value();
  const bool look = run.ended || (news.step >= run.next_look && detecting_ms_ <= kLookingShare * training_ms_);
  if (look) {
    const Clock::time_point looking = Clock::now();
    detect(run, frame);
    detecting_ms_ += milliseconds_since(looking);
    run.next_look = news.step + std::max<int64_t>(1, run.config.training.steps / kLooks);
  }
  return true;
}

void LiveStudy::detect(Watched& run, Frame& frame) {
  const CellPlan& plan = plan_of(run.key.cell);
  RunConfig config = run.config;
  if (!run.ended) {
    config.training.steps = run.so_far().steps_done;
    for (const Series& series : run.so_far().series)
      if (series.steps.empty()) return;
  }
  const RecordedCell cell{study_, *this, cells_[run.key.cell].config};
  RunFindings found;
  try {
    found = find_in_run(cell, std::to_string(run.index), config, plan.scalars, [] {});
  } catch (const Error&) {  // settings that fit the whole run may not fit its beginning
    if (run.ended) throw;
    return;
  }
  RunNews& news = news_of(run, frame);
  news.findings.emplace();
  news.finals.emplace();
  const std::vector<std::string> names = quantity_names(study_);
  for (size_t i = 0; i < names.size(); ++i) news.findings->emplace_back(names[i], found.found[i]);
  for (size_t i = 0; i < plan.scalars.size(); ++i) news.finals->emplace_back(plan.scalars[i], found.finals[i]);
  if (plan.derived) send_derived(run, frame);
}

void LiveStudy::send_derived(Watched& run, Frame& frame) {
  const CellPlan& plan = plan_of(run.key.cell);
  std::vector<std::string> addresses;
  for (const LiveSeries& one : plan.series)
    if (one.derived) addresses.push_back(one.address);
  const Recording derived =
      load_series({study_, *this, cells_[run.key.cell].config}, std::to_string(run.index), addresses);
  for (size_t i = 0; i < plan.series.size(); ++i)
    if (plan.series[i].derived) add_block(run.index, i, *derived.find(plan.series[i].address), run.sent[i], frame);
}

Frame LiveStudy::advance(double milliseconds, int64_t to) {
  Frame frame;
  const Clock::time_point start = Clock::now();
  size_t idle = 0;  // runs in a row that could not move
  while (left_ > 0 && idle < watched_.size()) {
    Watched& run = watched_[turn_];
    turn_ = (turn_ + 1) % watched_.size();
    idle = move(run, to, frame) ? 0 : idle + 1;
    if (idle == 0 && milliseconds_since(start) >= milliseconds) break;
  }
  for (const RunNews& news : frame.runs) {
    Watched& run = watched_[news.run];
    run.told_in_frame = -1;
    const std::vector<Series>& series = run.so_far().series;
    for (size_t i = 0; i < series.size(); ++i) add_block(run.index, i, series[i], run.sent[i], frame);
  }
  frame.ended = ended();
  frame.train_ms = milliseconds_since(start);
  return frame;
}

}  // namespace atto

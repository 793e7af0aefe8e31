// Trains one run and measures it by plan.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "observe/checkpoint.h"
#include "observe/measure_plan.h"
#include "observe/recording.h"
#include "observe/weight_function.h"
#include "spec/live_run.h"

namespace atto {

class Observer;  // observe/observable.h

// A series that a run will record: an address of its plan, in the order of the plan.
struct PlannedSeries {
  std::string address;
  std::vector<int64_t> shape;
  int64_t points = 0;  // measurements, should the run go to its end
};

// What runs of one description record, and at which steps: looked up once for all seeds of a cell, since that takes as
// long as hundreds of small steps. Copies share it.
class SeriesPlan {
 public:
  // Throws Error(config) with the nearest name for an address the network does not have.
  SeriesPlan(const ObservePlan& plan, const RunSpec& spec);

  const ObservePlan& observe() const;
  std::vector<PlannedSeries> series() const;

 private:
  friend class Recorder;
  struct Content;
  std::shared_ptr<const Content> content_;
};

// One run that is trained and measured a stretch at a time. What is recorded does not depend on how it is cut.
class Recorder {
 public:
  // Starts at step 0, or where the checkpoint of a run of the same configuration and plan stands: the record is the
  // same, bit for bit. Throws CheckpointMisfit for a checkpoint of another run.
  Recorder(const RunSpec& spec, SeriesPlan plan, std::optional<Checkpoint> resume = std::nullopt);
  Recorder(const RunSpec& spec, const ObservePlan& plan, std::optional<Checkpoint> resume = std::nullopt)
      : Recorder(spec, SeriesPlan(plan, spec), std::move(resume)) {}
  ~Recorder();

  const RunSpec& spec() const;
  int64_t step() const;  // updates done so far
  // Its last step is measured, or it diverged. The end of a run is seen by the next advance() after its last step.
  bool ended() const { return ended_; }
  // Trains until step `to` and measures what is due before it, or until the run ends.
  void advance(int64_t to);
  // What there is so far: all of it once ended() is true, the final weights then among it. Series that functions from
  // outside measure may lack values until then.
  const Recording& recording() const { return recording_; }

  // Of the run as it stands.
  Checkpoint checkpoint();
  // All of a run that ended, and what functions from outside are still to measure.
  Recording take_recording() { return std::move(recording_); }
  WeightHistory take_history() { return std::move(history_); }

 private:
  int64_t next_due() const;
  void settle();
  void end();
  void measure_due(bool all);
  void measure_history();
  void resume_from(const Checkpoint& checkpoint);

  SeriesPlan plan_;
  std::vector<size_t> past_;   // by schedule: how many of its steps are past
  std::vector<char> due_now_;  // by schedule: whether its series are measured at the present step
  std::unique_ptr<LiveRun> live_;
  std::unique_ptr<Observer> observer_;
  Recording recording_;
  WeightHistory history_;
  BatchResult batch_;  // at the present step, of which nothing is measured yet unless the run has ended
  int64_t next_ = 0;   // step at which something is due
  bool ended_ = false;
};

struct StepReport {
  int64_t steps_done = 0;
  std::function<Checkpoint()> checkpoint;  // of the run as it stands; valid during the call
};
// Called every 64 steps; return false to abandon the run. Whether and when it takes a checkpoint is its own affair, so
// that no clock has a part in what is recorded.
using StepCallback = std::function<bool(const StepReport& report)>;

struct RecordResult {
  bool finished = false;  // false: the callback abandoned it; `recording` is partial and must not be stored
  Recording recording;
  WeightHistory history =
      {};  // what functions from outside are still to measure; the values of their series are missing
};
// A whole run, by a Recorder.
RecordResult record_run(const RunSpec& spec, const SeriesPlan& plan, const StepCallback& on_progress = {},
                        std::optional<Checkpoint> resume = std::nullopt);
inline RecordResult record_run(const RunSpec& spec, const ObservePlan& plan, const StepCallback& on_progress = {},
                               std::optional<Checkpoint> resume = std::nullopt) {
  return record_run(spec, SeriesPlan(plan, spec), on_progress, std::move(resume));
}

}  // namespace atto

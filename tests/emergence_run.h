// A run of single-location regression with free scores, with what tests look at in reach.
#pragma once

#include "spec/live_run.h"

namespace atto {

struct EmergenceRun : LiveRun {
  explicit EmergenceRun(const RunConfig& config) : LiveRun(RunSpec(config)) {}

  int64_t step() const { return trainer().step(); }
  BatchResult evaluate() { return trainer().evaluate(); }
  void update() { trainer().update(); }
  bool should_stop() { return trainer().should_stop(); }
  EmergenceMeasures measures() const { return emergence()->measures(trainer().parameters()); }
};

}  // namespace atto

// The stop condition of a run: loss at most training.stop_loss for training.stop_hold steps in a row.
#pragma once

#include "training/config.h"

namespace atto {

class StopCondition {
 public:
  explicit StopCondition(const TrainingConfig& config) : limit_(config.stop_loss), hold_(config.stop_hold) {}

  void see(double loss) { now_ = loss <= limit_; }
  void advance() {
    steps_ = now_ ? steps_ + 1 : 0;
    now_ = false;
  }
  bool reached() const { return now_ && steps_ + 1 >= hold_; }

  int64_t steps() const { return steps_; }  // for how many steps before this one it held
  void restore(int64_t steps) {
    steps_ = steps;
    now_ = false;
  }

 private:
  double limit_;
  int64_t hold_, steps_ = 0;
  bool now_ = false;
};

}  // namespace atto

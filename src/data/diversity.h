// How varied the data are, step by step: the schedule of B and p (data.schedule).
//
// What it can test: repetition shortens a plateau but costs generality. "plateau" repeats only as long as it helps:
// step:       0 .. switch_step-1     switch_step ..            once the loss has fallen
// B and p:    the later values       data.repeat, data.cross   the later values, for good
// The plateaus meant here begin with the run or soon after, so no attempt is made to recognise one in a noisy loss: the
// study says from which step on the loss stands for the plateau, and only its end is found.
#pragma once

#include <cstdint>
#include <vector>

#include "data/batch.h"
#include "data/config.h"

namespace atto {

// Throws Error(config) when the schedule lacks what it needs.
void validate_schedule(const DataConfig& config);

class DiversitySchedule {
 public:
  explicit DiversitySchedule(const DataConfig& config);

  // Of the batch of `step`. With the schedule "plateau", once the losses of all earlier steps have been seen.
  Diversity at(int64_t step) const;
  // The loss of the batch of the next step, from step 0 on.
  void see(double batch_loss);

  // What a resumed run must know.
  std::vector<double> state() const;
  void restore(const std::vector<double>& state);

 private:
  DiversityKind kind_;
  Diversity first_, later_;
  int64_t switch_step_;
  double switch_loss_;

  int64_t seen_ = 0;     // losses so far
  double level_ = 0;     // mean of the first losses of the watch: the plateau
  double smoothed_ = 0;  // exponential mean of the losses since
  bool left_ = false;
};

}  // namespace atto

// What holds for a step, as training.intervention changes it while a run goes on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "training/config.h"
#include "training/loss_watch.h"
#include "training/parameter_groups.h"

namespace atto {

// One of them, and where it stands.
class Intervention {
 public:
  explicit Intervention(const InterventionConfig& config);

  const InterventionConfig& config() const { return config_; }
  bool active() const { return began_ >= 0 && ended_ < 0; }
  int64_t began() const { return began_; }  // the first step it was in force; -1: not yet
  int64_t ended() const { return ended_; }  // the first step it was over; -1: not yet

  // After the update of step `step`, whose loss this was. True where it begins or ends with the next step.
  bool see(int64_t step, double loss);

  static constexpr size_t kState = 2 + LossWatch::kState;
  void append_state(std::vector<double>& to) const;
  void restore(const double* state);

 private:
  bool begin(int64_t step);
  bool end(int64_t step);

  InterventionConfig config_;
  LossCondition from_, until_;
  LossWatch watch_;  // for its begin, then for its end
  int64_t began_ = -1, ended_ = -1;
};

// Everything a study can change in the middle of a run.
struct StepSettings {
  double rate = 1;                     // factor on the learning rate
  std::vector<ParameterGroup> groups;  // what is moved, and how
  double embedding_noise = 0;
  bool fresh_embeddings = false;
};

class Interventions {
 public:
  // `matrices` must outlive it. Error(config) for a name that none of them has.
  Interventions(const TrainingConfig& config, std::span<const Matrix> matrices, size_t parameter_count);
  Interventions(const Interventions&) = delete;  // it points into itself

  const StepSettings& now() const { return now_; }
  const std::vector<Intervention>& all() const { return all_; }

  // After the update of step `step`, whose loss this was. True where now() changes with the next step.
  bool see(int64_t step, double loss);

  // What a resumed run must know: numbers at the end of a snapshot's.
  size_t state_size() const { return all_.size() * Intervention::kState; }
  void append_state(std::vector<double>& to) const;
  void restore(std::span<const double> state);

 private:
  void settle();

  TrainingConfig config_;
  std::span<const Matrix> matrices_;
  size_t parameter_count_;
  std::vector<MatrixTraining> plain_, each_;  // of each matrix: without interventions, now
  // Of each intervention: the matrices that it freezes, and their factors.
  struct Reach {
    std::vector<size_t> frozen;
    std::vector<const double*> rates;
  };
  std::vector<Intervention> all_;
  std::vector<Reach> reach_;
  StepSettings now_;
};

}  // namespace atto

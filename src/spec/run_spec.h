// One run described, apart from its execution: what it trains, how large everything is, what it takes and costs. Made
// once from a configuration, which it validates; none of the run's memory is allocated. What is observed, drawn,
// detected or forecast asks this, and spec/live_run.h starts it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "data/data_sets.h"
#include "data/regression.h"
#include "data/task_spec.h"
#include "network/network.h"
#include "spec/run_config.h"

namespace atto {

// A network of attention on the sequences of a task.
struct AttentionSpec {
  TaskSpec task;
  std::shared_ptr<const Network> network;  // its layers and where their numbers will stand
  bool ordered = true;                     // whether it sees the order of tokens that the task calls interchangeable
  bool tested = true;                      // there are data to test on: a table may have none
  SetSizes sets;                           // what it trains and tests on where that is not drawn afresh
  int64_t sequences = 0;  // that a step goes through: a batch, or all there are where the gradient is the expected one
};

// Single-location regression with free scores: a network that is trained, or the gradient flow of the theory.
struct EmergenceSpec {
  Regression task;
  int64_t hops = 1;  // choices among task.length tokens that lead to the relevant one
  bool flow = false;
  std::vector<Matrix> matrices;  // none of the flow
};

// What a run takes while it trains, without what is recorded of it.
struct TrainingMemory {
  size_t parameters = 0, optimizer = 0;  // of the total, what a snapshot copies
  size_t total = 0;
  size_t building = 0;  // what it takes for a moment before that, to make its tables
};

class RunSpec {
 public:
  // Throws Error(config) where the settings do not go together.
  explicit RunSpec(const RunConfig& config);
  // The same run with other seeds: they have no part in what is described here.
  RunSpec with_seeds(const SeedConfig& seeds) const;

  const RunConfig& config() const { return config_; }
  const TrainingConfig& training() const { return config_.training; }

  // Exactly one of the two; the other is nullptr.
  const AttentionSpec* attention() const { return std::get_if<AttentionSpec>(&parts_); }
  const EmergenceSpec* emergence() const { return std::get_if<EmergenceSpec>(&parts_); }

  // The parameters by name, in one arena of so many floats.
  const std::vector<Matrix>& matrices() const;
  const Matrix* find(const std::string& name) const;  // nullptr when there is none
  size_t parameter_count() const;
  // The rows of activations that observers may read, by address.
  const std::map<std::string, Rows>& activations() const;

  TrainingMemory memory() const;
  // Rough number of multiplications of a whole run: to start the longest first and to weigh progress.
  double cost() const;

 private:
  RunConfig config_;
  std::variant<AttentionSpec, EmergenceSpec> parts_;
};

}  // namespace atto

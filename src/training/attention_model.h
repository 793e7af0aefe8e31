// A network of attention on the sequences of a task, as a model to train.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "data/data_sets.h"
#include "data/diversity.h"
#include "data/set_sampler.h"
#include "data/task.h"
#include "network/network.h"
#include "training/config.h"
#include "training/model.h"

namespace atto {

class AttentionModel final : public Model {
 public:
  // `task` describes `data`. `ordered`: whether the order of interchangeable tokens makes a difference to this network
  // (data/population.h).
  AttentionModel(const DataConfig& data, const TaskSpec& task, std::shared_ptr<const Network> network, bool ordered,
                 const TrainingConfig& training, const SeedConfig& seeds);

  const Network& network() const { return *network_; }
  const Task& task() const { return *task_; }

  const std::vector<Matrix>& matrices() const override { return network_->matrices(); }
  size_t parameter_count() const override { return network_->parameter_count(); }
  void initialise(std::span<float> parameters) const override;
  BatchResult gradient(int64_t step, std::span<const float> parameters, std::span<float> gradients,
                       bool accuracy) override;
  BatchResult test(std::span<const float> parameters) override;
  // Takes the test data through the network tile by tile, and hands each to `visit` with its activations.
  void each_test_tile(std::span<const float> parameters, const std::function<void(Workspace&)>& visit);
  void see(double loss) override { diversity_.see(loss); }
  std::vector<double> state() const override { return diversity_.state(); }
  void restore(const std::vector<double>& state) override { diversity_.restore(state); }
  void add_embedding_noise(double deviation) override { embedding_noise_ = deviation; }
  void draw_embeddings(int64_t step, std::span<float> parameters) const override;
  std::optional<double> best_loss() const override { return task_->best_loss(); }
  std::vector<float> rate_factors() const override;

  // Bytes it takes, without parameters, gradients and optimizer: activations, tables, sets of sequences, factors.
  static size_t bytes(const TaskSpec& task, const Network& network, const SetSizes& sets,
                      const TrainingConfig& training);

 private:
  template <class Fill, class Evaluate>
  BatchResult mean_over(int64_t samples, bool accuracy, Fill fill_tile, Evaluate evaluate_tile);
  template <class Evaluate>
  BatchResult mean_over_test(Evaluate evaluate_tile);
  bool expected() const { return training_.gradient == GradientKind::expected; }
  void fill_fresh(Draw draw, int64_t first);  // with the sequences of a draw from number `first` on
  void take_answers(bool from_set);           // tokens, or the distributions that the sets of some tasks have
  BatchResult sampled_gradient(int64_t step, const float* parameters, std::span<float> gradients, bool accuracy);
  BatchResult expected_gradient(const float* parameters, std::span<float> gradients, bool accuracy);
  // The noise of the gradient at `step`, or none.
  void set_noise(std::optional<int64_t> step);

  TrainingConfig training_;
  SeedConfig seeds_;
  std::shared_ptr<const Network> network_;
  std::unique_ptr<Task> task_;
  DataSets sets_;
  Workspace work_;
  DiversitySchedule diversity_;
  std::optional<SetSampler> sampler_;  // where batches are taken from a set
  Arena<double> gradient_sums_;        // of the tiles, where the gradient is the expected one
  double embedding_noise_ = 0;         // deviation
};

}  // namespace atto

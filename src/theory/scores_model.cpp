#include "theory/scores_model.h"

#include <cmath>

#include "kernels/random.h"

namespace atto {

ScoresModel::ScoresModel(const Regression& task, const NetworkConfig& network, const TrainingConfig& training,
                         const SeedConfig& seeds)
    : task_(task),
      training_(training),
      seeds_(seeds),
      start_(network),
      weight_start_(network.weight_start),
      gap_start_(network.gap_start),
      matrices_(matrices(task, network)),
      network_(task, draw_target(task, static_cast<uint64_t>(seeds.data))) {}

std::vector<Matrix> ScoresModel::matrices(const Regression& task, const NetworkConfig& network) {
  const auto d = static_cast<int>(task.dimension), length = static_cast<int>(task.length);
  const auto kind = network.init == InitKind::normal ? Init::Kind::normal : Init::Kind::uniform;
  const double scale = network.init_scale / std::sqrt(static_cast<double>(d));
  const size_t scores = ScoresNetwork::parameter_count(task) - static_cast<size_t>(length);
  return {{"W", d, d, 0, {kind, scale}}, {"a", 1, length, scores, {Init::Kind::constant, 0}}};
}

size_t ScoresModel::bytes(const Regression& task, const TrainingConfig& training) {
  return ScoresNetwork::bytes(task, training.gradient == GradientKind::expected ? 0 : training.batch);
}

// Attention starts uniform, a = 0, unless the settings say otherwise.
void ScoresModel::initialise(std::span<float> parameters) const {
  const Matrix& w = matrices_.front();
  const auto seed = static_cast<uint64_t>(seeds_.init);
  for (uint32_t i = 0; w.init.scale > 0 && i < w.size(); ++i) {
    const double draw = w.init.kind == Init::Kind::normal
                            ? standard_normal(seed, Purpose::init, 0, i)
                            : 2 * unit_real(random_block(seed, Purpose::init, 0, i, 0)[0]) - 1;
    parameters[i] = static_cast<float>(draw * w.init.scale);
  }
  start_matrices(start_, matrices_, seed, parameters);
  if (weight_start_ != 0) {  // ‖W*‖ = √d
    const std::vector<float>& target = network_.target().weights;
    const double factor = weight_start_ / std::sqrt(static_cast<double>(task_.dimension));
    for (size_t i = 0; i < target.size(); ++i)
      parameters[i] += static_cast<float>(factor * static_cast<double>(target[i]));
  }
  const size_t relevant = static_cast<size_t>(task_.repeat);
  if (gap_start_ != 0)
    for (float& score : parameters.last(relevant)) score += static_cast<float>(gap_start_);
}

BatchResult ScoresModel::gradient(int64_t step, std::span<const float> parameters, std::span<float> gradients, bool) {
  if (training_.gradient == GradientKind::expected) return {network_.expected_gradient(parameters, gradients), 0};
  const auto seed = static_cast<uint64_t>(seeds_.data);
  return {network_.sampled_gradient(parameters, seed, step, training_.batch, gradients), 0};
}

EmergenceMeasures ScoresModel::measures(std::span<const float> parameters) const {
  const ScoresNetwork::Summary at = network_.summarise(parameters);
  const double d = static_cast<double>(task_.dimension);
  EmergenceMeasures now;
  now.expected_loss = network_.expected_loss(at, task_.cross);
  now.test_loss = network_.expected_loss(at, 0);
  // W* has norm √d in all; with a repeated direction, ‖W* x̃‖ = 1 and the rest has norm √(d-1).
  const bool repeats = task_.cross > 0;
  now.repeated = repeats ? at.repeated_along : 0;
  now.projection = (at.along - now.repeated) / std::sqrt(repeats ? d - 1 : d);
  now.norm = std::sqrt(at.norm_square);
  now.relevant = at.relevant;
  now.gap = at.gap;
  now.entropy = at.entropy;
  return now;
}

}  // namespace atto

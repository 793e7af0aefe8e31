#include "training/parameter_groups.h"

#include <cmath>

#include "kernels/kernels.h"
#include "network/matrix_names.h"

namespace atto {

std::vector<MatrixTraining> matrix_training(const TrainingConfig& config, std::span<const Matrix> matrices) {
  std::vector<MatrixTraining> each(matrices.size(), {false, 1, config.weight_decay});
  for (const std::string& name : config.frozen)
    for (const size_t i : matrices_named(name, matrices, "training.frozen")) each[i].frozen = true;
  const auto rates = entries_by_matrix(config.rates, matrices, "training.rates");
  const auto decays = entries_by_matrix(config.decay, matrices, "training.decay");
  for (size_t i = 0; i < matrices.size(); ++i) {
    if (rates[i] != nullptr) each[i].rate = *rates[i];
    if (decays[i] != nullptr) each[i].decay = *decays[i];
  }
  return each;
}

void group_parameters(std::span<const Matrix> matrices, size_t parameter_count, std::span<const MatrixTraining> each,
                      std::vector<ParameterGroup>& groups) {
  groups.clear();
  // Where a matrix begins; the first one with the arena, and after the last comes its end.
  const auto begin_of = [&](size_t i) {
    return i == 0 ? 0 : i < matrices.size() ? matrices[i].offset : parameter_count;
  };
  for (size_t first = 0, end = 0; first < matrices.size(); first = end) {
    while (end < matrices.size() && each[end] == each[first]) ++end;
    if (each[first].frozen) continue;
    groups.push_back({matrices.subspan(first, end - first), begin_of(first), begin_of(end) - begin_of(first),
                      each[first].rate, each[first].decay});
  }
}

void clip_gradients(double most, std::span<const ParameterGroup> groups, std::span<float> gradients) {
  double square = 0;
  for (const ParameterGroup& group : groups) square += sum_of_squares(gradients.data() + group.first, group.count);
  const double length = std::sqrt(square);
  if (!(length > most)) return;
  const auto scale = static_cast<float>(most / length);
  for (const ParameterGroup& group : groups)
    for (float& g : gradients.subspan(group.first, group.count)) g *= scale;
}

}  // namespace atto

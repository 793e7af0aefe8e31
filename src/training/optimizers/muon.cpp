// Muon (Jordan et al. 2024): momentum, orthogonalised. For the matrices inside the network that map features to
// features
//
//   m ← μ m + g,  u = g + μ m,  w ← w - rate · (√max(1, rows/columns) · orthogonalised(u) + λ w).
//
// Everything else (tables of tokens and positions, the maps into and out of the network, biases, norms) goes by AdamW
// at the same rate; training.rates gives either its own.
#include "kernels/kernels.h"
#include "training/optimizers/adam_groups.h"
#include "training/optimizers/orthogonalise.h"

namespace atto {
namespace {

// W of "blocks.0.attn.W_Q", "blocks.1.mlp.W_in" and of the network of free scores; a vector has no singular values to
// even out.
bool is_inner_map(const Matrix& matrix) {
  const size_t dot = matrix.name.rfind('.');
  const std::string last = dot == std::string::npos ? matrix.name : matrix.name.substr(dot + 1);
  const bool inner = matrix.name.starts_with("blocks.") || matrix.name == "W";
  return inner && last.starts_with("W") && matrix.rows > 1 && matrix.columns > 1;
}

class Muon final : public Optimizer {
 public:
  Muon(const TrainingConfig& config, size_t memory)
      : Optimizer(memory), momentum_(static_cast<float>(config.momentum)), constants_(config) {}

  void update(int64_t step, double rate, const Parameters& parameters) override {
    const AdamConstants::At now = constants_.at(step);
    float* squares = memory().data() + parameters.values.size();
    for (const ParameterGroup& group : parameters.groups) {
      const AdamStep constants = now.of(group, rate, DecayKind::decoupled);
      for (const Matrix& matrix : group.matrices) {
        const size_t at = matrix.offset;
        if (is_inner_map(matrix)) move(matrix, rate * group.rate, group.decay, parameters);
        else
          adam_update(constants, parameters.values.data() + at, parameters.gradients.data() + at, memory().data() + at,
                      squares + at, matrix.size(), factors(at));
      }
    }
  }

 private:
  void move(const Matrix& matrix, double rate, double decay, const Parameters& parameters) {
    const float* g = parameters.gradients.data() + matrix.offset;
    float* m = memory().data() + matrix.offset;
    float* u = scratch();
    for (size_t i = 0; i < matrix.size(); ++i) {
      m[i] = momentum_ * m[i] + g[i];
      u[i] = g[i] + momentum_ * m[i];
    }
    orthogonalise(u, matrix.rows, matrix.columns, u + matrix.size());
    const double aspect = static_cast<double>(matrix.rows) / static_cast<double>(matrix.columns);
    const auto step = static_cast<float>(rate * std::sqrt(std::max(1.0, aspect)));
    const auto shrink = static_cast<float>(rate * decay);
    float* w = parameters.values.data() + matrix.offset;
    for (size_t i = 0; i < matrix.size(); ++i) w[i] = (w[i] - shrink * w[i]) - step * u[i];
  }

  float momentum_;
  AdamConstants constants_;
};

}  // namespace

OptimizerKind muon_optimizer() {
  return {.memory = [](std::span<const Matrix>, size_t count) { return 2 * count; },
          .make = [](const TrainingConfig& config, size_t memory) -> std::unique_ptr<Optimizer> {
            return std::make_unique<Muon>(config, memory);
          },
          .decay = DecayKind::decoupled,
          .settings = {"training.momentum", "training.beta1", "training.beta2", "training.epsilon"},
          .scratch =
              [](std::span<const Matrix> matrices) {
                size_t most = 0;
                for (const Matrix& matrix : matrices)
                  if (is_inner_map(matrix))
                    most = std::max(most, matrix.size() + orthogonalise_scratch(matrix.rows, matrix.columns));
                return most;
              }};
}

}  // namespace atto

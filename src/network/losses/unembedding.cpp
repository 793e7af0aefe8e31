#include <algorithm>
#include <cmath>

#include "network/layers/layers.h"

namespace atto {
namespace {

// Logits and cross-entropy belong together: the gradient of the pair, softmax minus the answer, is simpler than either.
class CrossEntropy final : public Loss {
 public:
  CrossEntropy(Layout& layout, const Matrix& table, double harmonic_power, const Stream& input)
      : table_(table), power_(static_cast<float>(harmonic_power)), input_(input), answers_(layout.rows(table.columns)) {
    layout.loss_rows(table.rows);
  }

  void loss(const Pass& pass) const override {
    const Unembedding unembedding{pass.weights(table_), table_.rows, table_.columns, power_};
    const Batch& batch = pass.work.batch();
    for (int i = 0; i < input_.positions; ++i) {
      const size_t at = static_cast<size_t>(i) * static_cast<size_t>(pass.lanes());
      const LossGradient gradient{pass.loss_scale, pass.lane_gradient(table_),
                                  pass.row(input_.gradient, i * input_.features)};
      if (batch.distributions) {
        soft_unembed_loss(unembedding, pass.row(input_.value, i * input_.features),
                          {batch.distributions, batch.distribution_rows}, batch.targets + at, batch.weights + at,
                          pass.work.loss_chunk.data(), pass.work.sums, pass.gradients ? &gradient : nullptr,
                          pass.lanes());
        continue;
      }
      unembed_loss(unembedding, pass.row(input_.value, i * input_.features), batch.targets + at, batch.weights + at,
                   {pass.work.loss_chunk.data(), pass.row(answers_)}, pass.work.sums,
                   pass.gradients ? &gradient : nullptr, pass.lanes());
    }
  }

  // The logits that unembed_loss() never keeps: see Unembedding.
  void answer(const Pass& pass, int asked, int lane, int count, double* out) const override {
    const size_t size = static_cast<size_t>(table_.rows) * static_cast<size_t>(count);
    std::fill_n(out, size, power_ == 0 ? 0.0 : static_cast<double>(kCoincident));
    for (int d = 0; d < table_.columns; ++d) {
      const float* const o = pass.row(input_.value, asked * input_.features + d) + lane;
      const float* u = pass.weights(table_) + d;
      double* to = out;
      for (int v = 0; v < table_.rows; ++v, u += table_.columns, to += count) {
        if (count == kLanes) add_feature(*u, o, kLanes, to);  // a loop of known length, for which there are vectors
        else add_feature(*u, o, count, to);
      }
    }
    if (power_ == 0) return;
    for (size_t i = 0; i < size; ++i) out[i] = -0.5 * power_ * std::log(out[i]);
  }

 private:
  // Of the logits of one token.
  [[gnu::always_inline]] void add_feature(double u, const float* o, int count, double* to) const {
    if (power_ == 0)
      for (int s = 0; s < count; ++s) to[s] += u * o[s];
    else
      for (int s = 0; s < count; ++s) to[s] += (o[s] - u) * (o[s] - u);
  }

  Matrix table_;  // [V][D]
  float power_;   // 0: linear
  Stream input_;
  Rows answers_;  // [D]
};

}  // namespace

std::unique_ptr<Loss> make_unembedding(Layout& layout, const Matrix& table, double harmonic_power,
                                       const Stream& input) {
  return std::make_unique<CrossEntropy>(layout, table, harmonic_power, input);
}

}  // namespace atto

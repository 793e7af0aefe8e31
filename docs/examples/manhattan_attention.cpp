// Manhattan: attention by the sum of absolute differences, with scores -‖q - k‖₁/√D.
//
// The matrices, the queries, the weights under their address and the weighted means come with AttentionHead. What is
// left is the head itself:
//   q_i = W_Q x_i,  k_j = W_K x_j,  a_ij = softmax_j(-‖q_i - k_j‖₁/√D),  o_i = W_V Σ_j a_ij x_j
#include <cmath>

#include "network/attention/attention_head.h"
#include "network/parts.h"

namespace atto {
namespace {

class ManhattanAttention final : public AttentionHead {
 public:
  ManhattanAttention(Layout& layout, const NetworkConfig& config, int index, Init init, const Stream& input,
                     const Stream& output)
      : AttentionHead(layout, config, index, init, input, output),
        scale_(static_cast<float>(1 / std::sqrt(input.features))),
        keys_(layout.rows(input.positions * input.features)),
        dkeys_(layout.rows(input.positions * input.features)) {}

  void forward(const Pass& pass) const override {
    const int d = input_.features, n = pass.lanes();
    for (int j = 0; j < input_.positions; ++j)  // k_j = W_K x_j
      linear_forward(pass.weights(key_), d, d, pass.row(input_.value, j * d), pass.row(keys_, j * d), n);
    for (int i = output_.first; i < input_.positions; ++i) {
      const int at = output_.row_of(i);
      linear_forward(pass.weights(query_), d, d, pass.row(input_.value, i * d), pass.row(queries_, at), n);
      for (int lane = 0; lane < n; ++lane) attend(pass, i, lane);
      linear_forward(pass.weights(value_), d, d, pass.row(means_, at), pass.row(output_.value, at), n);
    }
  }

  // A layer writes the gradient of its input and adds to those of its weights.
  void backward(const Pass& pass) const override {
    const int d = input_.features, n = pass.lanes();
    const auto numbers = static_cast<size_t>(input_.positions * d) * static_cast<size_t>(n);
    std::fill_n(pass.row(dkeys_), numbers, 0.0f);
    std::fill_n(pass.row(input_.gradient), numbers, 0.0f);
    for (int i = output_.first; i < input_.positions; ++i) {
      const int at = output_.row_of(i);
      const float* d_o = pass.row(output_.gradient, at);
      linear_weight_backward(pass.lane_gradient(value_), d, d, d_o, pass.row(means_, at), n);  // o = W_V mean
      transposed_forward(pass.weights(value_), d, d, d_o, pass.row(dmean_), n, false);
      for (int lane = 0; lane < n; ++lane) attend_backward_at(pass, i, lane);
      linear_weight_backward(pass.lane_gradient(query_), d, d, pass.row(dquery_), pass.row(input_.value, i * d), n);
      transposed_forward(pass.weights(query_), d, d, pass.row(dquery_), pass.row(input_.gradient, i * d), n, true);
    }
    for (int j = 0; j < input_.positions; ++j) {  // k_j = W_K x_j
      const float* dk = pass.row(dkeys_, j * d);
      linear_weight_backward(pass.lane_gradient(key_), d, d, dk, pass.row(input_.value, j * d), n);
      transposed_forward(pass.weights(key_), d, d, dk, pass.row(input_.gradient, j * d), n, true);
    }
  }

 private:
  // Row `index` of a block of rows at one sequence: numbers of a sequence stand `lanes` apart.
  float& at(const Pass& pass, const Rows& rows, int index, int lane) const { return pass.row(rows, index)[lane]; }
  float& weight(const Pass& pass, int i, int j, int lane) const {
    return pattern(pass, i)[static_cast<size_t>(j) * static_cast<size_t>(pass.lanes()) + static_cast<size_t>(lane)];
  }

  // a_i = softmax(score), mean = Σ_j a_ij x_j
  void attend(const Pass& pass, int i, int lane) const {
    const int d = input_.features, query = output_.row_of(i);
    float highest = -INFINITY, sum = 0;
    for (int j = 0; j < seen(i); ++j) {
      float distance = 0;
      for (int f = 0; f < d; ++f)
        distance += std::abs(at(pass, queries_, query + f, lane) - at(pass, keys_, j * d + f, lane));
      weight(pass, i, j, lane) = -scale_ * distance;
      highest = std::max(highest, -scale_ * distance);
    }
    for (int j = 0; j < seen(i); ++j) sum += weight(pass, i, j, lane) = std::exp(weight(pass, i, j, lane) - highest);
    for (int j = 0; j < seen(i); ++j) weight(pass, i, j, lane) /= sum;
    for (int f = 0; f < d; ++f) {
      float mean = 0;
      for (int j = 0; j < seen(i); ++j) mean += weight(pass, i, j, lane) * at(pass, input_.value, j * d + f, lane);
      at(pass, means_, query + f, lane) = mean;
    }
  }

  // With da_j = dmean · x_j, dscore_j = a_j (da_j - Σ a da); |q - k|' is the sign of q - k.
  void attend_backward_at(const Pass& pass, int i, int lane) const {
    const int d = input_.features, query = output_.row_of(i);
    const auto dweight = [&](int j) {
      float sum = 0;
      for (int f = 0; f < d; ++f) sum += at(pass, dmean_, f, lane) * at(pass, input_.value, j * d + f, lane);
      return sum;
    };
    float average = 0;
    for (int j = 0; j < seen(i); ++j) average += weight(pass, i, j, lane) * dweight(j);
    for (int f = 0; f < d; ++f) at(pass, dquery_, f, lane) = 0;
    for (int j = 0; j < seen(i); ++j) {
      const float a = weight(pass, i, j, lane), dscore = a * (dweight(j) - average);
      for (int f = 0; f < d; ++f) {
        const float difference = at(pass, queries_, query + f, lane) - at(pass, keys_, j * d + f, lane);
        const float slope = difference > 0 ? -scale_ : difference < 0 ? scale_ : 0;
        at(pass, dquery_, f, lane) += dscore * slope;
        at(pass, dkeys_, j * d + f, lane) -= dscore * slope;
        at(pass, input_.gradient, j * d + f, lane) += a * at(pass, dmean_, f, lane);
      }
    }
  }

  float scale_;
  Rows keys_, dkeys_;  // [C][D]
};

}  // namespace

// The maker of one head; the heads of blocks do not know it.
AttentionForm manhattan_attention() {
  return {[](Layout& layout, const NetworkConfig& config, int index, Init init, const Stream& input,
             const Stream& output) -> std::unique_ptr<Layer> {
    return std::make_unique<ManhattanAttention>(layout, config, index, init, input, output);
  }};
}

}  // namespace atto

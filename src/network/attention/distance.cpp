// One head of attention by the distance of query and key. Unlike a dot product, a distance does not let the key matrix
// be moved to the query's side, so the keys are formed; the values are not (see attention.cpp).
#include <cmath>

#include "network/attention/attention_head.h"
#include "network/parts.h"

namespace atto {
namespace {

class DistanceAttention final : public AttentionHead {
 public:
  DistanceAttention(Layout& layout, const NetworkConfig& config, int index, Init init, const DistanceScore& score,
                    const Stream& input, const Stream& output)
      : AttentionHead(layout, config, index, init, input, output),
        score_(score),
        keys_(layout.rows(input.positions * input.features)),
        dkeys_(layout.rows(input.positions * input.features)) {}

  void forward(const Pass& pass) const override {
    const int d = input_.features, n = pass.lanes();
    for (int j = 0; j < input_.positions; ++j)  // k_j = W_K x_j
      linear_forward(pass.weights(key_), d, d, pass.row(input_.value, j * d), pass.row(keys_, j * d), n);
    for (int i = output_.first; i < input_.positions; ++i) {
      const int at = output_.row_of(i);
      float* q = pass.row(queries_, at);
      float* mean = pass.row(means_, at);
      linear_forward(pass.weights(query_), d, d, pass.row(input_.value, i * d), q, n);  // q = W_Q x_i
      // mean = Σ_j a_ij x_j, a = softmax(score(q, k_j))
      attend_distance_forward(score_, q, pass.row(keys_), pass.row(input_.value), seen(i), d, pattern(pass, i), mean,
                              n);
      linear_forward(pass.weights(value_), d, d, mean, pass.row(output_.value, at), n);  // o = W_V mean
    }
  }

  void backward(const Pass& pass) const override {
    const int d = input_.features, n = pass.lanes();
    float* dmean = pass.row(dmean_);
    float* dq = pass.row(dquery_);
    // From the last position, which sees every key: it writes all of dx and dk, and the others add to them.
    for (int i = input_.positions - 1; i >= output_.first; --i) {
      const int at = output_.row_of(i);
      const float* d_o = pass.row(output_.gradient, at);
      // o = W_V mean
      linear_weight_backward(pass.lane_gradient(value_), d, d, d_o, pass.row(means_, at), n);
      transposed_forward(pass.weights(value_), d, d, d_o, dmean, n, false);
      // mean = Σ_j a_ij x_j, a = softmax(score(q, k_j))
      attend_distance_backward(score_, pass.row(queries_, at), pass.row(keys_), pass.row(input_.value),
                               pattern(pass, i), dmean, seen(i), d, pass.row(dscores_), dq, pass.row(dkeys_),
                               pass.row(input_.gradient), i + 1 < input_.positions, n);
      // q = W_Q x_i
      linear_weight_backward(pass.lane_gradient(query_), d, d, dq, pass.row(input_.value, i * d), n);
      transposed_forward(pass.weights(query_), d, d, dq, pass.row(input_.gradient, i * d), n, true);
    }
    for (int j = 0; j < input_.positions; ++j) {  // k_j = W_K x_j
      const float* dk = pass.row(dkeys_, j * d);
      linear_weight_backward(pass.lane_gradient(key_), d, d, dk, pass.row(input_.value, j * d), n);
      transposed_forward(pass.weights(key_), d, d, dk, pass.row(input_.gradient, j * d), n, true);
    }
  }

 private:
  DistanceScore score_;
  Rows keys_, dkeys_;  // [C][D]
};

}  // namespace

// Scores -‖q-k‖²/√K
AttentionForm distance_attention() {
  return {[](Layout& layout, const NetworkConfig& config, int index, Init init, const Stream& input,
             const Stream& output) -> std::unique_ptr<Layer> {
            const DistanceScore score{false, static_cast<float>(1 / std::sqrt(input.features))};
            return std::make_unique<DistanceAttention>(layout, config, index, init, score, input, output);
          },
          ScoreForm::distance, [](const NetworkConfig&, int width) { return 1 / std::sqrt(width); }};
}

// Scores -n ln ‖q-k‖, so that weights are ∝ 1/distance^n
AttentionForm inverse_attention() {
  return {[](Layout& layout, const NetworkConfig& config, int index, Init init, const Stream& input,
             const Stream& output) -> std::unique_ptr<Layer> {
            const DistanceScore score{true, static_cast<float>(config.kernel_power)};
            return std::make_unique<DistanceAttention>(layout, config, index, init, score, input, output);
          },
          ScoreForm::inverse, [](const NetworkConfig& config, int) { return config.kernel_power / 2; }};
}

}  // namespace atto

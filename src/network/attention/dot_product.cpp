// One head of dot-product attention.
//
// Scores are q_i·k_j with k_j = W_K x_j, which is (W_Kᵀ q_i)·x_j; and Σ_j a_ij W_V x_j is W_V Σ_j a_ij x_j. So keys and
// values are never formed: the query is carried back through W_K, attention runs over the inputs themselves, and their
// weighted mean goes through W_V. That is exact, costs the same when every position asks, and C times less when only
// the last one does.
#include <cmath>

#include "network/attention/attention_head.h"
#include "network/parts.h"

namespace atto {
namespace {

class DotAttention final : public AttentionHead {
 public:
  DotAttention(Layout& layout, const NetworkConfig& config, int index, Init init, const Stream& input,
               const Stream& output)
      : AttentionHead(layout, config, index, init, input, output),
        scale_(static_cast<float>(1.0 / std::sqrt(input.features))),
        probes_(layout.rows(output.positions * input.features)),
        dprobe_(layout.rows(input.features)) {}

  void forward(const Pass& pass) const override {
    for (int i = output_.first; i < input_.positions; ++i) {
      if (input_.features <= kNarrowWidth)
        narrow_head_forward(narrow(pass, i), pass.row(output_.value, output_.row_of(i)), pass.lanes());
      else forward_at(pass, i);
    }
  }

  void backward(const Pass& pass) const override {
    // From the last position, which sees every key: it writes all of dx, and the others add to it.
    for (int i = input_.positions - 1; i >= output_.first; --i) {
      const bool add = i + 1 < input_.positions;
      if (input_.features <= kNarrowWidth) {
        narrow_head_backward(
            narrow(pass, i), pass.row(output_.gradient, output_.row_of(i)),
            {pass.lane_gradient(query_), pass.lane_gradient(key_), pass.lane_gradient(value_),
             pass.row(input_.gradient), pass.row(input_.gradient, input_.row_of(i)), pass.row(dscores_), add},
            pass.lanes());
      } else {
        backward_at(pass, i, add);
      }
    }
  }

 private:
  NarrowHead narrow(const Pass& pass, int i) const {
    const int at = output_.row_of(i);
    return {input_.features,
            seen(i),
            scale_,
            pass.weights(query_),
            pass.weights(key_),
            pass.weights(value_),
            pass.row(input_.value, input_.row_of(i)),
            pass.row(input_.value),
            pass.row(queries_, at),
            pass.row(probes_, at),
            pattern(pass, i),
            pass.row(means_, at)};
  }

  void forward_at(const Pass& pass, int i) const {
    const int d = input_.features, n = pass.lanes(), at = output_.row_of(i);
    float* q = pass.row(queries_, at);
    float* probe = pass.row(probes_, at);
    float* mean = pass.row(means_, at);
    linear_forward(pass.weights(query_), d, d, pass.row(input_.value, input_.row_of(i)), q, n);  // q = W_Q x_i
    transposed_forward(pass.weights(key_), d, d, q, probe, n, false);                            // probe = W_Kᵀ q
    attend_forward(probe, pass.row(input_.value), seen(i), d, scale_, pattern(pass, i), mean,
                   n);                                                                 // mean = Σ_j a_ij x_j
    linear_forward(pass.weights(value_), d, d, mean, pass.row(output_.value, at), n);  // o = W_V mean
  }

  void backward_at(const Pass& pass, int i, bool add) const {
    const int d = input_.features, n = pass.lanes(), at = output_.row_of(i);
    float* dmean = pass.row(dmean_);
    float* dprobe = pass.row(dprobe_);
    float* dq = pass.row(dquery_);
    const float* d_o = pass.row(output_.gradient, at);
    const float* q = pass.row(queries_, at);
    // o = W_V mean
    linear_weight_backward(pass.lane_gradient(value_), d, d, d_o, pass.row(means_, at), n);
    transposed_forward(pass.weights(value_), d, d, d_o, dmean, n, false);
    // mean = Σ_j a_ij x_j, a = softmax(scale · probe·x_j)
    attend_backward(pass.row(probes_, at), pass.row(input_.value), pattern(pass, i), dmean, seen(i), d, scale_,
                    pass.row(dscores_), dprobe, pass.row(input_.gradient), add, n);
    // probe = W_Kᵀ q
    linear_weight_backward(pass.lane_gradient(key_), d, d, q, dprobe, n);
    linear_forward(pass.weights(key_), d, d, dprobe, dq, n);
    // q = W_Q x_i
    linear_weight_backward(pass.lane_gradient(query_), d, d, dq, pass.row(input_.value, input_.row_of(i)), n);
    transposed_forward(pass.weights(query_), d, d, dq, pass.row(input_.gradient, input_.row_of(i)), n, true);
  }

  float scale_;
  Rows probes_;  // [Q][D]
  Rows dprobe_;  // [D], of one query at a time
};

}  // namespace

AttentionForm dot_attention() {
  return {[](Layout& layout, const NetworkConfig& config, int index, Init init, const Stream& input,
             const Stream& output) -> std::unique_ptr<Layer> {
            return std::make_unique<DotAttention>(layout, config, index, init, input, output);
          },
          ScoreForm::dot, [](const NetworkConfig&, int width) { return 1 / std::sqrt(width); }};
}

}  // namespace atto

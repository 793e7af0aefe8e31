// Attention of several heads for one query.
//
// q·(W_K x_j + b_K) is (W_Kᵀ q)·x_j plus a number that is the same for all j, which softmax does not see; and
// Σ_j a_j (W_V x_j + b_V) is W_V Σ_j a_j x_j + b_V. So keys and values are never formed: each head carries its query
// back through its W_K to a probe, attends over the inputs themselves, and takes their mean through its W_V. C·H·D
// products instead of C·D².
#include <algorithm>
#include <cmath>

#include "network/attention/heads_output.h"
#include "network/attention/position_bias.h"
#include "network/layers/blocks.h"
#include "network/layers/linear_map.h"

namespace atto {
namespace {

class LastQuery final : public Layer {
 public:
  LastQuery(Layout& layout, const BlockConfig& config, const std::string& block, const std::string& pattern,
            const Residual& residual, const Stream& input, const Stream& output)
      : input_(input),
        output_(output),
        dot_(config.dot),
        heads_(config.heads),
        key_width_(config.key_width),
        shape_{config.heads,
               input.positions,
               output.first,
               input.features,
               input.features,
               true,
               config.dot ? static_cast<float>(1 / std::sqrt(config.key_width)) : 0.0f,
               config.mask},
        bias_(layout, config.position_bias, block, config.heads, input.positions) {
    const int d = input.features, keyed = config.heads * config.key_width, wide = config.heads * d;
    if (dot_) {
      query_ = LinearMap(layout, block + "W_Q", config.bias_name(block + "b_Q"), keyed, d, config.start);
      key_ = LinearMap(layout, block + "W_K", config.bias_name(block + "b_K"), keyed, d, config.start);
      query_rows_ = layout.rows(keyed);
      dquery_ = layout.rows(keyed);
      probes_ = layout.rows(wide);
      dprobes_ = layout.rows(wide);
    }
    value_ = LinearMap(layout, block + "W_V", config.bias_name(block + "b_V"), d, d, config.start);
    pattern_ = layout.named_rows(pattern, config.heads * input.positions);
    means_ = layout.rows(wide);
    dmeans_ = layout.rows(wide);
    out_ = HeadsOutput(layout, config, block, residual, output);
    scratch_ = layout.rows(heads_scratch_rows(shape_));
  }

  void forward(const Pass& pass) const override {
    const int d = input_.features, n = pass.lanes(), value_width = d / heads_;
    const float* x = pass.row(input_.value);
    if (dot_) {
      query_.forward(pass, asked(pass, input_.value), pass.row(query_rows_), 1);  // q = W_Q x + b_Q
      for (int h = 0; h < heads_; ++h) {
        const LinearMap::Part key = key_.part(pass, h * key_width_, key_width_);
        project_backward(key.weights, key.out, key.in, pass.row(query_rows_, h * key_width_), pass.row(probes_, h * d),
                         1, n, false);  // probe = W_Kᵀ q
      }
    }
    heads_forward(shape_, pass.row(probes_), x, x, bias_.table(pass), pass.row(pattern_), pass.row(means_), n);
    for (int h = 0; h < heads_; ++h) {
      const LinearMap::Part value = value_.part(pass, h * value_width, value_width);
      project_forward(value.weights, value.bias, value.out, value.in, pass.row(means_, h * d),
                      out_.mixed(pass) + static_cast<size_t>(h * value_width) * static_cast<size_t>(n), 1, n,
                      false);  // mixed = W_V Σ a x + b_V
    }
    out_.forward(pass);
  }

  void backward(const Pass& pass) const override {
    const int d = input_.features, n = pass.lanes(), value_width = d / heads_;
    const float* x = pass.row(input_.value);
    float* dx = pass.row(input_.gradient);
    const float* dmixed = out_.backward(pass);
    // mixed = W_V Σ a x + b_V
    for (int h = 0; h < heads_; ++h) {
      const LinearMap::Part value = value_.part(pass, h * value_width, value_width);
      const float* d_o = dmixed + static_cast<size_t>(h * value_width) * static_cast<size_t>(n);
      project_weights_backward(value.dweights, value.dbias, value.out, value.in, d_o, pass.row(means_, h * d), 1, n);
      project_backward(value.weights, value.out, value.in, d_o, pass.row(dmeans_, h * d), 1, n, false);
    }
    // means = Σ_j a_j x_j, a = softmax(probe·x_j/√K + bias)
    std::fill_n(dx, static_cast<size_t>(input_.value.count) * static_cast<size_t>(n), 0.0f);
    heads_backward(shape_, pass.row(probes_), x, x, pass.row(pattern_), pass.row(dmeans_), pass.row(dprobes_), dx, dx,
                   bias_.gradient(pass), pass.row(scratch_), n);
    bias_.backward(pass);
    if (dot_) {
      // probe = W_Kᵀ q
      for (int h = 0; h < heads_; ++h) {
        const LinearMap::Part key = key_.part(pass, h * key_width_, key_width_);
        const float* dprobe = pass.row(dprobes_, h * d);
        project_weights_backward(key.dweights, nullptr, key.out, key.in, pass.row(query_rows_, h * key_width_), dprobe,
                                 1, n);
        project_forward(key.weights, nullptr, key.out, key.in, dprobe, pass.row(dquery_, h * key_width_), 1, n, false);
      }
      // q = W_Q x + b_Q
      query_.backward_weights(pass, pass.row(dquery_), asked(pass, input_.value), 1);
      query_.backward_input(pass, pass.row(dquery_), asked(pass, input_.gradient), 1, true);
    }
    out_.backward_residual(pass, input_);
  }

 private:
  // The rows of the input at the position that asks.
  float* asked(const Pass& pass, const Rows& rows) const { return pass.row(rows, input_.row_of(output_.first)); }

  Stream input_, output_;
  bool dot_;
  int heads_, key_width_;
  HeadsShape shape_;
  PositionBias bias_;
  LinearMap query_, key_, value_;
  HeadsOutput out_;
  Rows query_rows_, dquery_;  // [H·K]
  Rows probes_, dprobes_;     // [H][D]
  Rows means_, dmeans_;       // [H][D]
  Rows pattern_;              // [H][C]
  Rows scratch_;
};

}  // namespace

std::unique_ptr<Layer> make_last_query(Layout& layout, const BlockConfig& config, int index, const Residual& residual,
                                       const Stream& input, const Stream& output) {
  const std::string number = std::to_string(index);
  return std::make_unique<LastQuery>(layout, config, "blocks." + number + ".attn.",
                                     "layer." + number + ".attention.pattern", residual, input, output);
}

}  // namespace atto

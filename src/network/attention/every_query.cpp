// Attention of several heads at many queries: queries, keys and values are formed, each by one wide product.
#include <cmath>

#include "network/attention/heads_output.h"
#include "network/attention/position_bias.h"
#include "network/layers/blocks.h"
#include "network/layers/linear_map.h"

namespace atto {
namespace {

class Heads final : public Layer {
 public:
  Heads(Layout& layout, const BlockConfig& config, const std::string& block, const std::string& pattern,
        const Residual& residual, const Stream& input, const Stream& output)
      : input_(input),
        output_(output),
        dot_(config.dot),
        shape_{config.heads,
               input.positions,
               output.first,
               config.key_width,
               input.features / config.heads,
               false,
               config.dot ? static_cast<float>(1 / std::sqrt(config.key_width)) : 0.0f,
               config.mask},
        bias_(layout, config.position_bias, block, config.heads, input.positions) {
    const int d = input.features, keyed = config.heads * config.key_width;
    if (dot_) {
      query_ = LinearMap(layout, block + "W_Q", config.bias_name(block + "b_Q"), keyed, d, config.start);
      key_ = LinearMap(layout, block + "W_K", config.bias_name(block + "b_K"), keyed, d, config.start);
      queries_ = layout.rows(output.positions * keyed);
      keys_ = layout.rows(input.positions * keyed);
      dqueries_ = layout.rows(output.positions * keyed);
      dkeys_ = layout.rows(input.positions * keyed);
    }
    value_ = LinearMap(layout, block + "W_V", config.bias_name(block + "b_V"), d, d, config.start);
    values_ = layout.rows(input.positions * d);
    dvalues_ = layout.rows(input.positions * d);
    pattern_ = layout.named_rows(pattern, int64_t{config.heads} * output.positions * input.positions);
    out_ = HeadsOutput(layout, config, block, residual, output);
    scratch_ = layout.rows(heads_scratch_rows(shape_));
  }

  void forward(const Pass& pass) const override {
    const int c = input_.positions, q = output_.positions;
    const float* x = pass.row(input_.value);
    if (dot_) {
      query_.forward(pass, asked(pass, input_.value), pass.row(queries_), q);  // q = W_Q x + b_Q
      key_.forward(pass, x, pass.row(keys_), c);                               // k = W_K x + b_K
    }
    value_.forward(pass, x, pass.row(values_), c);  // v = W_V x + b_V
    heads_forward(shape_, pass.row(queries_), pass.row(keys_), pass.row(values_), bias_.table(pass), pass.row(pattern_),
                  out_.mixed(pass), pass.lanes());
    out_.forward(pass);
  }

  void backward(const Pass& pass) const override {
    const int c = input_.positions, q = output_.positions;
    const float* x = pass.row(input_.value);
    float* dx = pass.row(input_.gradient);
    const float* dmixed = out_.backward(pass);
    // mixed = Σ_j a_ij v_j, a = softmax(q·k/√K + bias)
    heads_backward(shape_, pass.row(queries_), pass.row(keys_), pass.row(values_), pass.row(pattern_), dmixed,
                   pass.row(dqueries_), pass.row(dkeys_), pass.row(dvalues_), bias_.gradient(pass), pass.row(scratch_),
                   pass.lanes());
    bias_.backward(pass);
    // v = W_V x + b_V
    value_.backward_weights(pass, pass.row(dvalues_), x, c);
    value_.backward_input(pass, pass.row(dvalues_), dx, c);
    if (dot_) {
      // k = W_K x + b_K
      key_.backward_weights(pass, pass.row(dkeys_), x, c);
      key_.backward_input(pass, pass.row(dkeys_), dx, c, true);
      // q = W_Q x + b_Q
      query_.backward_weights(pass, pass.row(dqueries_), asked(pass, input_.value), q);
      query_.backward_input(pass, pass.row(dqueries_), asked(pass, input_.gradient), q, true);
    }
    out_.backward_residual(pass, input_);
  }

 private:
  // The rows of the input at the positions that ask.
  float* asked(const Pass& pass, const Rows& rows) const { return pass.row(rows, input_.row_of(output_.first)); }

  Stream input_, output_;
  bool dot_;
  HeadsShape shape_;
  PositionBias bias_;
  LinearMap query_, key_, value_;
  HeadsOutput out_;
  Rows queries_, dqueries_;  // [Q][H·K]
  Rows keys_, dkeys_;        // [C][H·K]
  Rows values_, dvalues_;    // [C][D]
  Rows pattern_;             // [H][Q][C]
  Rows scratch_;
};

}  // namespace

std::unique_ptr<Layer> make_heads(Layout& layout, const BlockConfig& config, int index, const Residual& residual,
                                  const Stream& input, const Stream& output) {
  const std::string number = std::to_string(index);
  return std::make_unique<Heads>(layout, config, "blocks." + number + ".attn.",
                                 "layer." + number + ".attention.pattern", residual, input, output);
}

}  // namespace atto

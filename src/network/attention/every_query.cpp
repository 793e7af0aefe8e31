// Attention of several heads at many queries: queries, keys and values are formed, each by one wide product.
#include "network/attention/heads_output.h"
#include "network/attention/position_bias.h"
#include "network/attention/projection.h"
#include "network/attention/sink.h"
#include "network/layers/blocks.h"
#include "network/layers/linear_map.h"

namespace atto {
namespace {

class Heads final : public Layer {
 public:
  Heads(Layout& layout, const BlockConfig& config, const std::string& block, const std::string& address,
        const Residual& residual, const Stream& input, const Stream& output)
      : input_(input),
        output_(output),
        shape_{config.heads, input.positions, output.first, config.key_width, input.features / config.heads,
               false,        config.scale,    config.mask,  config.scores,    config.normalizer},
        bias_(layout, config.position_bias, block, config.heads, input.positions) {
    const int d = input.features;
    const int64_t weights = int64_t{config.heads} * output.positions * input.positions;
    if (config.scored()) {
      query_ = Projection(layout, config, block, "Q", input, output.first);
      key_ = Projection(layout, config, block, "K", input, 0);
    }
    value_ = LinearMap(layout, block + "W_V", config.bias_name(block + "b_V"), d, d, config.start, config.sums);
    sink_ = Sink(layout, config, block);
    values_ = layout.rows(input.positions * d);
    dvalues_ = layout.rows(input.positions * d);
    pattern_ = layout.named_rows(address + "pattern", weights);
    if (config.keep_scores) scores_ = layout.named_rows(address + "scores", weights);
    out_ = HeadsOutput(layout, config, block, residual, input, output);
    scratch_ = layout.rows(heads_scratch_rows(shape_));
  }

  void forward(const Pass& pass) const override {
    if (scored()) {
      query_.forward(pass);  // q = W_Q x + b_Q
      key_.forward(pass);    // k = W_K x + b_K
    }
    value_.forward(pass, pass.row(input_.value), pass.row(values_), input_.positions);  // v = W_V x + b_V
    heads_forward(shape_, query_.rows(pass), key_.rows(pass), pass.row(values_), bias_.table(pass), pass.row(pattern_),
                  out_.mixed(pass), pass.lanes(), sink_.logits(pass), scores_.count > 0 ? pass.row(scores_) : nullptr);
    out_.forward(pass);
  }

  void backward(const Pass& pass) const override {
    const int c = input_.positions;
    const float* dmixed = out_.backward(pass);
    // mixed = Σ_j a_ij v_j, a = softmax(q·k/√K + bias)
    heads_backward(shape_, query_.rows(pass), key_.rows(pass), pass.row(values_), pass.row(pattern_), dmixed,
                   query_.gradient(pass), key_.gradient(pass), pass.row(dvalues_), bias_.gradient(pass),
                   pass.row(scratch_), pass.lanes(), sink_.gradient(pass));
    bias_.backward(pass);
    // v = W_V x + b_V
    value_.backward_weights(pass, pass.row(dvalues_), pass.row(input_.value), c);
    value_.backward_input(pass, pass.row(dvalues_), pass.row(input_.gradient), c);
    if (scored()) {
      key_.backward(pass, true);    // k = W_K x + b_K
      query_.backward(pass, true);  // q = W_Q x + b_Q
    }
    out_.backward_input(pass);
  }

 private:
  bool scored() const { return shape_.scale != 0; }

  Stream input_, output_;
  HeadsShape shape_;
  PositionBias bias_;
  Projection query_, key_;
  LinearMap value_;
  Sink sink_;
  HeadsOutput out_;
  Rows values_, dvalues_;  // [C][D]
  Rows pattern_, scores_;  // [H][Q][C]
  Rows scratch_;
};

}  // namespace

std::unique_ptr<Layer> make_heads(Layout& layout, const BlockConfig& config, int index, const Residual& residual,
                                  const Stream& input, const Stream& output) {
  const std::string number = std::to_string(index);
  return std::make_unique<Heads>(layout, config, "blocks." + number + ".attn.", "layer." + number + ".attention.",
                                 residual, input, output);
}

}  // namespace atto

// Two linear maps with a nonlinearity between them, at every position alike.
#include <algorithm>

#include "network/layers/blocks.h"
#include "network/layers/linear_map.h"

namespace atto {
namespace {

// So many positions go through together: packing weights for fewer costs more than their hidden features, which then
// stay in the second-level cache, save.
constexpr int kChunk = 32;

class Mlp final : public Layer {
 public:
  Mlp(Layout& layout, const BlockConfig& config, const std::string& name, const Residual& residual, const Stream& input,
      const Stream& output, const Nonlinearity& nonlinearity)
      : input_(input),
        output_(output),
        residual_(residual),
        nonlinearity_(nonlinearity),
        hidden_(config.mlp_factor * input.features),
        widen_(layout, name + "W_in", config.bias_name(name + "b_in"), hidden_, input.features, config.start),
        narrow_(layout, name + "W_out", config.bias_name(name + "b_out"), input.features, hidden_, config.start),
        before_(layout.rows(input.positions * hidden_)),
        after_(layout.rows(input.positions * hidden_)),
        dhidden_(layout.rows(std::min(kChunk, input.positions) * hidden_)) {}

  void forward(const Pass& pass) const override {
    residual_.forward(pass, output_);
    const bool add = residual_.present();
    for (int p = 0; p < input_.positions; p += kChunk) {
      const int count = std::min(kChunk, input_.positions - p);
      float* before = pass.row(before_, p * hidden_);
      float* after = pass.row(after_, p * hidden_);
      widen_.forward(pass, pass.row(input_.value, p * input_.features), before, count);  // before = W_in x + b_in
      const size_t numbers = hidden_numbers(pass, count);
      nonlinearity_.forward(before, after, numbers);
      narrow_.forward(pass, after, pass.row(output_.value, p * output_.features), count, add);  // y = W_out after + b
    }
  }

  void backward(const Pass& pass) const override {
    float* dhidden = pass.row(dhidden_);
    for (int p = 0; p < input_.positions; p += kChunk) {
      const int count = std::min(kChunk, input_.positions - p);
      const float* dy = pass.row(output_.gradient, p * output_.features);
      const float* before = pass.row(before_, p * hidden_);
      // y = W_out after + b
      narrow_.backward_weights(pass, dy, pass.row(after_, p * hidden_), count);
      narrow_.backward_input(pass, dy, dhidden, count);
      // after = act(before)
      const size_t numbers = hidden_numbers(pass, count);
      nonlinearity_.backward(before, dhidden, dhidden, numbers);
      // before = W_in x + b_in
      widen_.backward_weights(pass, dhidden, pass.row(input_.value, p * input_.features), count);
      widen_.backward_input(pass, dhidden, pass.row(input_.gradient, p * input_.features), count);
    }
    residual_.backward(pass, output_, input_);
  }

 private:
  size_t hidden_numbers(const Pass& pass, int positions) const {
    return static_cast<size_t>(positions * hidden_) * static_cast<size_t>(pass.lanes());
  }

  Stream input_, output_;
  Residual residual_;
  Nonlinearity nonlinearity_;
  int hidden_;
  LinearMap widen_, narrow_;
  Rows before_, after_;  // [P][hidden]
  Rows dhidden_;         // [kChunk][hidden]
};

}  // namespace

std::unique_ptr<Layer> make_two_layer_mlp(Layout& layout, const BlockConfig& config, const std::string& prefix,
                                          const Residual& residual, const Stream& input, const Stream& output,
                                          const Nonlinearity& nonlinearity) {
  return std::make_unique<Mlp>(layout, config, prefix, residual, input, output, nonlinearity);
}

std::unique_ptr<Layer> make_gelu_mlp(Layout& layout, const BlockConfig& config, const std::string& prefix,
                                     const Residual& residual, const Stream& input, const Stream& output) {
  return make_two_layer_mlp(layout, config, prefix, residual, input, output, {gelu_forward, gelu_backward});
}

std::unique_ptr<Layer> make_relu_mlp(Layout& layout, const BlockConfig& config, const std::string& prefix,
                                     const Residual& residual, const Stream& input, const Stream& output) {
  return make_two_layer_mlp(layout, config, prefix, residual, input, output, {relu_forward, relu_backward});
}

}  // namespace atto

#include "network/layers/blocks.h"
#include "network/layers/layers.h"
#include "network/layers/linear_map.h"

namespace atto {
namespace {

class InputMap final : public Layer {
 public:
  InputMap(Layout& layout, const BlockConfig& config, int inputs, const Stream& output)
      : output_(output), map_(layout, "W_in", config.bias_name("b_in"), output.features, inputs, config.start) {}

  // x[c] = W_in input[c] + b_in
  void forward(const Pass& pass) const override {
    map_.forward(pass, pass.work.batch().inputs, pass.row(output_.value), output_.positions);
    add_embedding_noise(pass, output_);
  }
  void backward(const Pass& pass) const override {
    map_.backward_weights(pass, pass.row(output_.gradient), pass.work.batch().inputs, output_.positions);
  }

 private:
  Stream output_;
  LinearMap map_;
};

}  // namespace

std::unique_ptr<Layer> make_input_map(Layout& layout, const BlockConfig& config, int inputs, const Stream& output) {
  return std::make_unique<InputMap>(layout, config, inputs, output);
}

}  // namespace atto

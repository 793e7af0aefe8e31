#include "network/layers/blocks.h"
#include "network/layers/linear_map.h"

namespace atto {
namespace {

class Readout final : public Layer {
 public:
  Readout(const LinearMap& map, const Stream& input, const Stream& output)
      : map_(map), input_(input), output_(output) {}

  // y = W_U x + b_U
  void forward(const Pass& pass) const override {
    map_.forward(pass, pass.row(input_.value), pass.row(output_.value), input_.positions);
  }
  void backward(const Pass& pass) const override {
    map_.backward_weights(pass, pass.row(output_.gradient), pass.row(input_.value), input_.positions);
    map_.backward_input(pass, pass.row(output_.gradient), pass.row(input_.gradient), input_.positions);
  }

 private:
  LinearMap map_;
  Stream input_, output_;
};

}  // namespace

std::unique_ptr<Layer> make_readout(Layout& layout, const BlockConfig& config, const Matrix* tied, const Stream& input,
                                    const Stream& output) {
  const std::string bias = config.bias_name("b_U");
  const LinearMap map = tied ? LinearMap(layout, *tied, bias, config.start)
                             : LinearMap(layout, "W_U", bias, output.features, input.features, config.start);
  return std::make_unique<Readout>(map, input, output);
}

}  // namespace atto

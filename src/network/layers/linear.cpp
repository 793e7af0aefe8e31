// A linear map at every position, and nothing else.
#include "network/layers/blocks.h"
#include "network/layers/linear_map.h"

namespace atto {
namespace {

class Linear final : public Layer {
 public:
  Linear(Layout& layout, const BlockConfig& config, const std::string& name, const Residual& residual,
         const Stream& input, const Stream& output)
      : input_(input),
        output_(output),
        residual_(residual),
        map_(layout, name + "W", config.bias_name(name + "b"), output.features, input.features, config.start) {}

  // y = x + W norm(x) + b
  void forward(const Pass& pass) const override {
    residual_.forward(pass, output_);
    map_.forward(pass, pass.row(input_.value), pass.row(output_.value), input_.positions, residual_.present());
  }
  void backward(const Pass& pass) const override {
    map_.backward_weights(pass, pass.row(output_.gradient), pass.row(input_.value), input_.positions);
    map_.backward_input(pass, pass.row(output_.gradient), pass.row(input_.gradient), input_.positions);
    residual_.backward(pass, output_, input_);
  }

 private:
  Stream input_, output_;
  Residual residual_;
  LinearMap map_;
};

}  // namespace

std::unique_ptr<Layer> make_linear(Layout& layout, const BlockConfig& config, const std::string& prefix,
                                   const Residual& residual, const Stream& input, const Stream& output) {
  return std::make_unique<Linear>(layout, config, prefix, residual, input, output);
}

}  // namespace atto

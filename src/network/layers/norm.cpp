#include "kernels/wide/wide_kernels.h"
#include "network/layers/blocks.h"

namespace atto {
namespace {

class Norm final : public Layer {
 public:
  Norm(Layout& layout, const std::string& name, const Stream& input, const Stream& output, bool add)
      : input_(input),
        output_(output),
        weights_(layout.matrix(name + ".w", 1, input.features, {Init::Kind::constant, 1}, Layout::Sums::plain)),
        shift_(layout.matrix(name + ".b", 1, input.features, {Init::Kind::constant, 0}, Layout::Sums::plain)),
        statistics_(layout.rows(2 * input.positions)),
        add_(add) {}

  // y = w (x - mean) / √(var + ε) + b
  void forward(const Pass& pass) const override {
    norm_forward(pass.weights(weights_), pass.weights(shift_), input_.features, pass.row(input_.value),
                 pass.row(output_.value), pass.row(statistics_), input_.positions, pass.lanes());
  }

  void backward(const Pass& pass) const override {
    norm_backward(pass.weights(weights_), input_.features, pass.row(input_.value), pass.row(statistics_),
                  pass.row(output_.gradient), pass.row(input_.gradient), pass.gradient(weights_), pass.gradient(shift_),
                  input_.positions, pass.lanes(), add_);
  }

 private:
  Stream input_, output_;
  Matrix weights_, shift_;  // [1][D]
  Rows statistics_;         // [P][2]
  bool add_;
};

}  // namespace

std::unique_ptr<Layer> make_norm(Layout& layout, const std::string& name, const Stream& input, const Stream& output,
                                 bool add) {
  return std::make_unique<Norm>(layout, name, input, output, add);
}

}  // namespace atto

#include "network/blocks.h"
#include "numeric/wide_kernels.h"

namespace atto {
namespace {

class Norm final : public Layer {
 public:
  Norm(Plan& plan, const std::string& name, const Stream& input, const Stream& output, bool add)
      : input_(input),
        output_(output),
        weights_(plan.matrix(name + ".w", 1, input.features, {Init::Kind::constant, 1}, Plan::Sums::plain)),
        shift_(plan.matrix(name + ".b", 1, input.features, {Init::Kind::constant, 0}, Plan::Sums::plain)),
        statistics_(plan.rows(2 * input.positions)),
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

std::unique_ptr<Layer> make_norm(Plan& plan, const std::string& name, const Stream& input, const Stream& output,
                                 bool add) {
  return std::make_unique<Norm>(plan, name, input, output, add);
}

}  // namespace atto

// A linear map y = W x + b with its parameters, as the parts of a block use it.
#pragma once

#include <string>

#include "kernels/wide/wide_kernels.h"
#include "network/layer.h"
#include "network/layers/starting_weights.h"
#include "network/layout.h"

namespace atto {

class LinearMap {
 public:
  LinearMap() = default;
  // Starts as init says for a matrix of `in` columns; so does the bias (see StartingWeights).
  LinearMap(Layout& layout, const std::string& weight_name, const std::string& bias_name, int out, int in,
            const StartingWeights& start)
      : weights_(layout.matrix(weight_name, out, in, start.matrix(in), Layout::Sums::plain)),
        biased_(!bias_name.empty()) {
    if (biased_) bias_ = layout.matrix(bias_name, 1, out, start.bias(in), Layout::Sums::plain);
  }
  // Over a matrix that exists.
  LinearMap(Layout& layout, const Matrix& weights, const std::string& bias_name, const StartingWeights& start)
      : weights_(weights), biased_(!bias_name.empty()) {
    if (biased_) bias_ = layout.matrix(bias_name, 1, weights.rows, start.bias(weights.columns), Layout::Sums::plain);
  }

  int out() const { return weights_.rows; }
  int in() const { return weights_.columns; }

  // y[P][out] = W x[P][in] + b, or += when `add`
  void forward(const Pass& pass, const float* x, float* y, int positions, bool add = false) const {
    project_forward(pass.weights(weights_), biased_ ? pass.weights(bias_) : nullptr, out(), in(), x, y, positions,
                    pass.lanes(), add);
  }
  // dx = Wᵀ dy, or += when `add`
  void backward_input(const Pass& pass, const float* dy, float* dx, int positions, bool add = false) const {
    project_backward(pass.weights(weights_), out(), in(), dy, dx, positions, pass.lanes(), add);
  }
  // dW += Σ dy xᵀ, db += Σ dy
  void backward_weights(const Pass& pass, const float* dy, const float* x, int positions) const {
    project_weights_backward(pass.gradient(weights_), biased_ ? pass.gradient(bias_) : nullptr, out(), in(), dy, x,
                             positions, pass.lanes());
  }

  // Rows first .. first + count - 1 of W alone, for maps that work head by head.
  struct Part {
    const float* weights;
    const float* bias;  // nullptr: none
    float* dweights;    // nullptr when no gradients are wanted
    float* dbias;
    int out, in;
  };
  Part part(const Pass& pass, int first, int count) const {
    const size_t skipped = static_cast<size_t>(first) * static_cast<size_t>(in());
    return {pass.weights(weights_) + skipped,
            biased_ ? pass.weights(bias_) + first : nullptr,
            pass.gradients ? pass.gradient(weights_) + skipped : nullptr,
            pass.gradients && biased_ ? pass.gradient(bias_) + first : nullptr,
            count,
            in()};
  }

 private:
  Matrix weights_, bias_;  // [out][in], [1][out]
  bool biased_ = false;
};

}  // namespace atto

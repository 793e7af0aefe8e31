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
  // Starts as init says for a matrix of `in` columns; so does the bias (see StartingWeights). With sums by lane, for
  // matrices of a few numbers without bias, the kernels of narrow networks do the work.
  LinearMap(Layout& layout, const std::string& weight_name, const std::string& bias_name, int out, int in,
            const StartingWeights& start, Layout::Sums sums = Layout::Sums::plain)
      : weights_(layout.matrix(weight_name, out, in, start.matrix(in), sums)), biased_(!bias_name.empty()) {
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
    part(pass, 0, out()).forward(x, y, positions, add);
  }
  // dx = Wᵀ dy, or += when `add`
  void backward_input(const Pass& pass, const float* dy, float* dx, int positions, bool add = false) const {
    part(pass, 0, out()).backward_input(dy, dx, positions, add);
  }
  // dW += Σ dy xᵀ, db += Σ dy
  void backward_weights(const Pass& pass, const float* dy, const float* x, int positions) const {
    part(pass, 0, out()).backward_weights(dy, x, positions);
  }

  // Some rows of W, for maps that work head by head.
  struct Part {
    const float* weights;
    const float* bias;  // nullptr: none
    float* dweights;    // nullptr when no gradients are wanted
    float* dbias;
    int out, in, lanes;
    bool narrow;  // dweights are sums by lane

    Part unbiased() const {
      Part part = *this;
      part.bias = part.dbias = nullptr;
      return part;
    }
    void forward(const float* x, float* y, int positions, bool add = false) const {
      if (!narrow) project_forward(weights, bias, out, in, x, y, positions, lanes, add);
      for (int p = 0; narrow && p < positions; ++p)
        linear_forward(weights, out, in, at(x, p, in), at(y, p, out), lanes);
    }
    void backward_input(const float* dy, float* dx, int positions, bool add = false) const {
      if (!narrow) project_backward(weights, out, in, dy, dx, positions, lanes, add);
      for (int p = 0; narrow && p < positions; ++p)
        transposed_forward(weights, out, in, at(dy, p, out), at(dx, p, in), lanes, add);
    }
    void backward_weights(const float* dy, const float* x, int positions) const {
      if (!narrow) project_weights_backward(dweights, dbias, out, in, dy, x, positions, lanes);
      for (int p = 0; narrow && p < positions; ++p)
        linear_weight_backward(dweights, out, in, at(dy, p, out), at(x, p, in), lanes);
    }

   private:
    template <class Float>
    Float* at(Float* rows, int position, int features) const {
      return rows + static_cast<size_t>(position * features) * static_cast<size_t>(lanes);
    }
  };
  // Rows first .. first + count - 1.
  Part part(const Pass& pass, int first, int count) const {
    const size_t skipped = static_cast<size_t>(first) * static_cast<size_t>(in());
    const bool narrow = weights_.lane_offset != Matrix::kPlainSums;
    float* dweights = narrow ? pass.lane_gradient(weights_) : pass.gradients ? pass.gradient(weights_) : nullptr;
    return {pass.weights(weights_) + skipped,
            biased_ ? pass.weights(bias_) + first : nullptr,
            dweights ? dweights + skipped * (narrow ? kLanes : 1) : nullptr,
            pass.gradients && biased_ ? pass.gradient(bias_) + first : nullptr,
            count,
            in(),
            pass.lanes(),
            narrow};
  }

 private:
  Matrix weights_, bias_;  // [out][in], [1][out]
  bool biased_ = false;
};

}  // namespace atto

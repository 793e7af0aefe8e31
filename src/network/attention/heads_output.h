// What follows the heads of a layer: their values side by side pass a gate and go through W_O, where there are such,
// and x is added.
#pragma once

#include <string>

#include "network/layers/blocks.h"
#include "network/layers/linear_map.h"

namespace atto {

class HeadsOutput {
 public:
  HeadsOutput() = default;
  // `input` is what the heads read, and the gate with them.
  HeadsOutput(Layout& layout, const BlockConfig& config, const std::string& block, const Residual& residual,
              const Stream& input, const Stream& output);

  // [Q][D], where the heads leave their values.
  float* mixed(const Pass& pass) const { return pass.row(mixed_); }

  // y = x + W_O (gate ⊙ mixed) + b_O,  gate = sigmoid(W_G x + b_G)
  void forward(const Pass& pass) const;

  // The gradient of `mixed`; that of x is left to backward_input().
  const float* backward(const Pass& pass) const;
  // Once the heads have written the gradient of their input: adds the gate's part and the residual's (see Residual).
  void backward_input(const Pass& pass) const;

 private:
  size_t numbers(const Pass& pass) const {
    return static_cast<size_t>(mixed_.count) * static_cast<size_t>(pass.lanes());
  }
  float* asked(const Pass& pass, const Rows& rows) const { return pass.row(rows, input_.row_of(output_.first)); }

  Stream input_, output_;
  Residual residual_;
  bool projected_ = false, gated_ = false;
  LinearMap map_, gate_map_;
  Rows mixed_, dmixed_;        // [Q][D]
  Rows gate_, dgate_, after_;  // [Q][D]; dgate_ is of what the sigmoid is taken of, after_ is gate ⊙ mixed
};

}  // namespace atto

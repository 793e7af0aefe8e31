// What follows the heads of a layer: their values side by side go through W_O, where there is one, and x is added.
#pragma once

#include <algorithm>
#include <string>

#include "network/layers/blocks.h"
#include "network/layers/linear_map.h"

namespace atto {

class HeadsOutput {
 public:
  HeadsOutput() = default;
  HeadsOutput(Layout& layout, const BlockConfig& config, const std::string& block, const Residual& residual,
              const Stream& output)
      : output_(output),
        residual_(residual),
        projected_(config.output),
        mixed_(layout.rows(output.positions * output.features)) {
    if (!projected_) return;
    map_ = LinearMap(layout, block + "W_O", config.bias_name(block + "b_O"), output.features, output.features,
                     config.start);
    dmixed_ = layout.rows(output.positions * output.features);
  }

  // [Q][D], where the heads leave their values.
  float* mixed(const Pass& pass) const { return pass.row(mixed_); }

  // y = x + W_O mixed + b_O
  void forward(const Pass& pass) const {
    residual_.forward(pass, output_);
    float* y = pass.row(output_.value);
    const size_t numbers = static_cast<size_t>(mixed_.count) * static_cast<size_t>(pass.lanes());
    const bool add = residual_.present();
    if (projected_) map_.forward(pass, mixed(pass), y, output_.positions, add);
    else if (add) add_rows(mixed(pass), y, numbers);
    else std::copy_n(mixed(pass), numbers, y);
  }

  // The gradient of `mixed`; that of x is left to backward_residual().
  const float* backward(const Pass& pass) const {
    const float* dy = pass.row(output_.gradient);
    if (!projected_) return dy;
    map_.backward_weights(pass, dy, mixed(pass), output_.positions);
    map_.backward_input(pass, dy, pass.row(dmixed_), output_.positions);
    return pass.row(dmixed_);
  }
  // Once the heads have written the gradient of their `input`: see Residual.
  void backward_residual(const Pass& pass, const Stream& input) const { residual_.backward(pass, output_, input); }

 private:
  Stream output_;
  Residual residual_;
  bool projected_ = false;
  LinearMap map_;
  Rows mixed_, dmixed_;  // [Q][D]
};

}  // namespace atto

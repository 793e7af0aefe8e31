#include "network/attention/heads_output.h"

#include <algorithm>

namespace atto {

HeadsOutput::HeadsOutput(Layout& layout, const BlockConfig& config, const std::string& block, const Residual& residual,
                         const Stream& input, const Stream& output)
    : input_(input),
      output_(output),
      residual_(residual),
      projected_(config.output),
      gated_(config.gate),
      mixed_(layout.rows(output.positions * output.features)) {
  const int d = output.features;
  if (gated_) {
    gate_map_ = LinearMap(layout, block + "W_G", config.bias_name(block + "b_G"), d, d, config.start, config.sums);
    gate_ = layout.rows(mixed_.count);
    dgate_ = layout.rows(mixed_.count);
    after_ = layout.rows(mixed_.count);
  }
  if (projected_) map_ = LinearMap(layout, block + "W_O", config.bias_name(block + "b_O"), d, d, config.start);
  if (projected_ || gated_) dmixed_ = layout.rows(mixed_.count);
}

void HeadsOutput::forward(const Pass& pass) const {
  residual_.forward(pass, output_);
  float* y = pass.row(output_.value);
  const bool add = residual_.present();
  const float* heads = mixed(pass);
  if (gated_) {
    gate_map_.forward(pass, asked(pass, input_.value), pass.row(gate_), output_.positions);
    gate_forward(pass.row(gate_), heads, pass.row(gate_), pass.row(after_), numbers(pass));
    heads = pass.row(after_);
  }
  if (projected_) map_.forward(pass, heads, y, output_.positions, add);
  else if (add) add_rows(heads, y, numbers(pass));
  else std::copy_n(heads, numbers(pass), y);
}

const float* HeadsOutput::backward(const Pass& pass) const {
  const float* dy = pass.row(output_.gradient);
  if (projected_) {
    map_.backward_weights(pass, dy, gated_ ? pass.row(after_) : mixed(pass), output_.positions);
    map_.backward_input(pass, dy, pass.row(dmixed_), output_.positions);
    dy = pass.row(dmixed_);
  }
  if (!gated_) return dy;
  gate_backward(pass.row(gate_), mixed(pass), dy, pass.row(dmixed_), pass.row(dgate_), numbers(pass));
  gate_map_.backward_weights(pass, pass.row(dgate_), asked(pass, input_.value), output_.positions);
  return pass.row(dmixed_);
}

void HeadsOutput::backward_input(const Pass& pass) const {
  if (gated_) gate_map_.backward_input(pass, pass.row(dgate_), asked(pass, input_.gradient), output_.positions, true);
  residual_.backward(pass, output_, input_);
}

}  // namespace atto

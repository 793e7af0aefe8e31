#include "network/layers/residual.h"

#include <algorithm>

#include "kernels/wide/wide_kernels.h"

namespace atto {
namespace {

size_t numbers(const Pass& pass, int positions, int features) {
  return static_cast<size_t>(positions * features) * static_cast<size_t>(pass.lanes());
}

}  // namespace

void Residual::forward(const Pass& pass, const Stream& output) const {
  if (!present_) return;
  std::copy_n(pass.row(stream_.value, stream_.row_of(output.first)), numbers(pass, output.positions, output.features),
              pass.row(output.value));
}

void Residual::backward(const Pass& pass, const Stream& output, const Stream& input) const {
  if (!present_) return;
  const float* dy = pass.row(output.gradient);
  float* dx = pass.row(stream_.gradient);
  float* dx_asked = pass.row(stream_.gradient, stream_.row_of(output.first));
  const size_t asked = numbers(pass, output.positions, output.features);
  if (input.value.first == stream_.value.first) {
    add_rows(dy, dx_asked, asked);
    return;
  }
  std::fill(dx, dx_asked, 0.0f);
  std::copy_n(dy, asked, dx_asked);
}

}  // namespace atto

// Squared ReLU: the usual MLP with max(x, 0)² as its nonlinearity (So et al. 2021, arXiv 2109.08668).
#include <algorithm>

#include "network/layers/blocks.h"

namespace atto {
namespace {

void forward(const float* x, float* y, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const float positive = std::max(x[i], 0.0f);
    y[i] = positive * positive;
  }
}

// dx = dy · 2 max(x, 0)
void backward(const float* x, const float* dy, float* dx, size_t count) {
  for (size_t i = 0; i < count; ++i) dx[i] = dy[i] * (2 * std::max(x[i], 0.0f));
}

}  // namespace

std::unique_ptr<Layer> make_squared_relu_mlp(Layout& layout, const BlockConfig& config, const std::string& prefix,
                                             const Residual& residual, const Stream& input, const Stream& output) {
  return make_two_layer_mlp(layout, config, prefix, residual, input, output, {forward, backward});
}

}  // namespace atto

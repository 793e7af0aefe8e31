// Positions are added to the embeddings in place, a bias for each row, so they pass the gradient on as it is.
#include <cmath>

#include "network/layers/layers.h"

namespace atto {
namespace {

class LearnedPositions final : public Layer {
 public:
  LearnedPositions(const Matrix& table, const Stream& stream) : table_(table), stream_(stream) {}

  // x[c] += W_pos[c]
  void forward(const Pass& pass) const override {
    add_bias_forward(pass.weights(table_), stream_.value.count, pass.row(stream_.value), pass.lanes());
  }

  // dW_pos[c] += dx[c]
  void backward(const Pass& pass) const override {
    add_bias_backward(pass.lane_gradient(table_), stream_.value.count, pass.row(stream_.gradient), pass.lanes());
  }

 private:
  Matrix table_;  // [C][D]
  Stream stream_;
};

class SinusoidalPositions final : public Layer {
 public:
  explicit SinusoidalPositions(const Stream& stream) : stream_(stream) {
    for (int c = 0; c < stream.positions; ++c) {
      for (int f = 0; f < stream.features; ++f) {
        const double angle = c / std::pow(10000.0, static_cast<double>(f - f % 2) / stream.features);
        table_.push_back(static_cast<float>(f % 2 == 0 ? std::sin(angle) : std::cos(angle)));
      }
    }
  }

  void forward(const Pass& pass) const override {
    add_bias_forward(table_.data(), stream_.value.count, pass.row(stream_.value), pass.lanes());
  }
  void backward(const Pass&) const override {}  // nothing is learned, and dx passes through

 private:
  std::vector<float> table_;  // [C][D]
  Stream stream_;
};

}  // namespace

std::unique_ptr<Layer> make_learned_positions(const Matrix& table, const Stream& stream) {
  return std::make_unique<LearnedPositions>(table, stream);
}
std::unique_ptr<Layer> make_sinusoidal_positions(const Stream& stream) {
  return std::make_unique<SinusoidalPositions>(stream);
}

}  // namespace atto

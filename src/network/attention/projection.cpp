#include "network/attention/projection.h"

#include <cmath>

namespace atto {
namespace {

// Of positions first .. first + count - 1, for pairs of features of a head: p / 10000^(2m/K), as Su et al. 2021 (arXiv
// 2104.09864) turn the features 2m and 2m+1.
std::vector<float> rotations(int first, int count, int width) {
  std::vector<float> angles;
  for (int p = first; p < first + count; ++p)
    for (int m = 0; m < width / 2; ++m) {
      const double angle = p / std::pow(10000.0, 2.0 * m / width);
      angles.push_back(static_cast<float>(std::cos(angle)));
      angles.push_back(static_cast<float>(std::sin(angle)));
    }
  return angles;
}

}  // namespace

Projection::Projection(Layout& layout, const BlockConfig& config, const std::string& block, const std::string& letter,
                       const Stream& input, int first)
    : input_(input),
      first_(first),
      positions_(input.positions - (first - input.first)),
      heads_(config.heads),
      width_(config.key_width),
      normed_(config.qk_norm),
      map_(layout, block + "W_" + letter, config.bias_name(block + "b_" + letter), config.heads * config.key_width,
           input.features, config.start, config.sums) {
  const int count = positions_ * heads_ * width_;
  raw_ = layout.rows(count);
  gradient_ = layout.rows(count);
  if (normed_) {
    const std::string name = block + (letter == "Q" ? "q_norm.w" : "k_norm.w");
    scale_ = layout.matrix(name, 1, width_, {Init::Kind::constant, 1}, Layout::Sums::plain);
    rows_ = layout.rows(count);
    inverses_ = layout.rows(positions_ * heads_);
  }
  if (config.rotary) angles_ = rotations(first, positions_, width_);
}

void Projection::forward(const Pass& pass) const {
  const int n = pass.lanes();
  map_.forward(pass, input_rows(pass, input_.value), pass.row(raw_), positions_);
  if (normed_)
    head_norm_forward(pass.weights(scale_), heads_, width_, pass.row(raw_), pass.row(rows_), pass.row(inverses_),
                      positions_, n);
  if (!angles_.empty())
    rotate_pairs(angles_.data(), heads_, width_, pass.row(normed_ ? rows_ : raw_), positions_, n, false);
}

void Projection::backward(const Pass& pass, bool add) const {
  const int n = pass.lanes();
  float* dy = gradient(pass);
  if (!angles_.empty()) rotate_pairs(angles_.data(), heads_, width_, dy, positions_, n, true);
  if (normed_)
    head_norm_backward(pass.weights(scale_), heads_, width_, pass.row(raw_), pass.row(inverses_), dy, dy,
                       pass.gradient(scale_), positions_, n);
  map_.backward_weights(pass, dy, input_rows(pass, input_.value), positions_);
  map_.backward_input(pass, dy, input_rows(pass, input_.gradient), positions_, add);
}

}  // namespace atto

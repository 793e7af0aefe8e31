#include "network/attention/position_bias.h"

#include <algorithm>
#include <cstdlib>

#include "network/parts.h"

namespace atto {

PositionBias::PositionBias(Layout& layout, BiasKind kind, const std::string& block, int heads, int keys)
    : kind_(kind), heads_(heads), keys_(keys) {
  if (kind == BiasKind::slope) {
    weights_ = layout.matrix(block + "slope", 1, heads, {Init::Kind::slopes, 1}, Layout::Sums::plain);
    // A row has at least 16 numbers.
    const int rows = (heads * distances() + kLanes - 1) / kLanes;
    table_ = layout.rows(rows);
    dtable_ = layout.rows(rows);
  } else if (kind == BiasKind::free) {
    weights_ = layout.matrix(block + "bias", heads, distances(), {Init::Kind::constant, 0}, Layout::Sums::plain);
  }
}

const float* PositionBias::table(const Pass& pass) const {
  if (kind_ == BiasKind::none) return nullptr;
  if (kind_ == BiasKind::free) return pass.weights(weights_);
  float* at = pass.row(table_);
  for (int h = 0; h < heads_; ++h)
    for (int entry = 0; entry < distances(); ++entry)
      *at++ = -pass.weights(weights_)[h] * static_cast<float>(std::abs(entry - (keys_ - 1)));
  return pass.row(table_);
}

float* PositionBias::gradient(const Pass& pass) const {
  if (kind_ == BiasKind::none) return nullptr;
  if (kind_ == BiasKind::free) return pass.gradient(weights_);
  std::fill_n(pass.row(dtable_), heads_ * distances(), 0.0f);
  return pass.row(dtable_);
}

void PositionBias::backward(const Pass& pass) const {
  if (kind_ != BiasKind::slope) return;
  // bias = -m_h |i - j|
  const float* at = pass.row(dtable_);
  for (int h = 0; h < heads_; ++h)
    for (int entry = 0; entry < distances(); ++entry)
      pass.gradient(weights_)[h] -= *at++ * static_cast<float>(std::abs(entry - (keys_ - 1)));
}

// Scores are the bias alone: attention by position.
AttentionForm none_attention() {
  return {nullptr, ScoreForm::dot, [](const NetworkConfig&, int) { return 0.0; }};
}

}  // namespace atto

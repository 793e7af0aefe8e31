// What attention adds to its scores by distance alone: nothing, a slope per head, or a free number per distance.
#pragma once

#include <string>

#include "network/config.h"
#include "network/layer.h"
#include "network/layout.h"

namespace atto {

class PositionBias {
 public:
  // slope: -m_h |i - j| with m_h learnt; free: b_h[i - j] learnt
  PositionBias(Layout& layout, BiasKind kind, const std::string& block, int heads, int keys);

  // The table [H][2C-1], entry i-j+C-1, that the attention kernels read; nullptr: none. For slopes it is made here.
  const float* table(const Pass& pass) const;
  // Where they add its gradient; cleared here for slopes.
  float* gradient(const Pass& pass) const;
  // Carries the table's gradient on to the slopes.
  void backward(const Pass& pass) const;

 private:
  BiasKind kind_;
  int heads_, keys_;
  Matrix weights_;       // slope: [1][H]; free: [H][2C-1]
  Rows table_, dtable_;  // slope: room for H (2C-1) numbers
  int distances() const { return 2 * keys_ - 1; }
};

}  // namespace atto

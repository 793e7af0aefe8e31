// What every form of attention has: its matrices, the queries, their weights over the inputs, and the weighted means.
#pragma once

#include "network/config.h"
#include "network/layer.h"
#include "network/layout.h"

namespace atto {

class AttentionHead : public Layer {
 protected:
  AttentionHead(Layout& layout, const NetworkConfig& config, int index, Init init, const Stream& input,
                const Stream& output);

  // Keys that the query at `position` sees.
  int seen(int position) const { return causal_ ? position + 1 : input_.positions; }
  // Weights a_i of one query, [C] rows; those of unseen keys stay 0.
  float* pattern(const Pass& pass, int position) const {
    return pass.row(pattern_, (position - output_.first) * input_.positions);
  }

  Stream input_, output_;
  Matrix query_, key_, value_;  // [D][D], y = W x
  Rows queries_, means_;        // [Q][D]
  Rows dmean_, dquery_;         // [D], of one query at a time
  Rows dscores_;                // [C + 2D], scratch

 private:
  bool causal_;
  Rows pattern_;  // [Q][C]
};

}  // namespace atto

// The sum of a query's weights, where it is not 1 and something depends on it: Σ_j a_j (W_V x_j + b_V) has b_V so many
// times. For one query.
#pragma once

#include "network/layer.h"
#include "network/layers/linear_map.h"
#include "network/layout.h"

namespace atto {

class WeightTotals {
 public:
  WeightTotals() = default;  // every sum is 1
  WeightTotals(Layout& layout, int heads)
      : present_(true), heads_(heads), totals_(layout.rows(heads)), dtotals_(layout.rows(heads)) {}

  bool present() const { return present_; }
  // From the weights [H][C].
  void forward(const Pass& pass, const float* weights, int keys) const;
  // mixed += b_V Σ a, for the values of head h.
  void add_bias(const Pass& pass, const LinearMap::Part& value, int h, float* mixed) const;
  // From dmixed: db_V += Σ dmixed Σ a, and the gradient of Σ a.
  void backward(const Pass& pass, const LinearMap::Part& value, int h, const float* dmixed) const;
  const float* gradient(const Pass& pass) const { return present_ ? pass.row(dtotals_) : nullptr; }  // [H]

 private:
  bool present_ = false;
  int heads_ = 0;
  Rows totals_, dtotals_;  // [H]
};

}  // namespace atto

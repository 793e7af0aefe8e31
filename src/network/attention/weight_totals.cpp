#include "network/attention/weight_totals.h"

#include <algorithm>

namespace atto {

void WeightTotals::forward(const Pass& pass, const float* weights, int keys) const {
  if (!present_) return;
  const int n = pass.lanes();
  for (int h = 0; h < heads_; ++h) {
    float* total = pass.row(totals_, h);
    std::fill_n(total, n, 0.0f);
    for (int j = 0; j < keys; ++j, weights += n)
      for (int lane = 0; lane < n; ++lane) total[lane] += weights[lane];
  }
}

void WeightTotals::add_bias(const Pass& pass, const LinearMap::Part& value, int h, float* mixed) const {
  if (!present_) return;
  const int n = pass.lanes();
  const float* total = pass.row(totals_, h);
  for (int f = 0; f < value.out; ++f, mixed += n)
    for (int lane = 0; lane < n; ++lane) mixed[lane] += value.bias[f] * total[lane];
}

void WeightTotals::backward(const Pass& pass, const LinearMap::Part& value, int h, const float* dmixed) const {
  if (!present_) return;
  const int n = pass.lanes();
  const float* total = pass.row(totals_, h);
  float* dtotal = pass.row(dtotals_, h);
  std::fill_n(dtotal, n, 0.0f);
  for (int f = 0; f < value.out; ++f, dmixed += n)
    for (int lane = 0; lane < n; ++lane) {
      value.dbias[f] += dmixed[lane] * total[lane];
      dtotal[lane] += dmixed[lane] * value.bias[f];
    }
}

}  // namespace atto

// Functions of weights that tests bring along, as Python does.
#pragma once

#include <utility>
#include <vector>

#include "observe/weight_function.h"

namespace atto {

// The sum of a seed's weights, and how many seeds stood in the rows before it; keeps what it was asked for.
class SumOfWeights : public WeightFunction {
 public:
  PartIdentity identity() const override { return {"sum", "", "hash"}; }
  std::vector<int64_t> shape(const RunConfig&) const override { return {2}; }
  void evaluate(const RunSpec& spec, std::span<const WeightMoment> moments, double* out) const override {
    for (const WeightMoment& moment : moments) {
      asked.emplace_back(moment.step, moment.rows.size());
      for (size_t row = 0; row < moment.rows.size(); ++row) {
        double sum = 0;
        for (size_t i = 0; i < spec.parameter_count(); ++i) sum += static_cast<double>(moment.rows[row][i]);
        *out++ = sum;
        *out++ = static_cast<double>(row);
      }
    }
  }
  mutable std::vector<std::pair<int64_t, size_t>> asked;  // step, rows
};

inline ObservePlan observing(std::shared_ptr<const WeightFunction> function, int64_t every) {
  return {{{"loss"}, {every, 0, 0, {}}}, {{function->identity().name}, {every, 0, 0, {}}, function}};
}

}  // namespace atto

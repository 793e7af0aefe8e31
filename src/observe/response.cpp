#include "observe/response.h"

#include <algorithm>
#include <cmath>

#include "data/regression.h"
#include "kernels/simd/denormals.h"

namespace atto {
namespace {

// Beyond any training step, and apart from probes and tests.
constexpr uint64_t kResponseStep = uint64_t{3} << 40;
constexpr int kSequences = 8;  // whose answers are averaged
constexpr int kDrawn = 16;     // a group of lanes, of which these are the first

double inner(const std::vector<double>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * static_cast<double>(b[i]);
  return sum;
}

}  // namespace

ResponseProbe::ResponseProbe(const LiveRun& run)
    : trainer_(run.trainer()),
      model_(*run.attention()),
      drawn_(model_.task().shape(), kDrawn),
      work_(model_.network().make_workspace(2 * kSequences)) {
  model_.task().fill({0, kResponseStep}, drawn_.batch);
}

size_t ResponseProbe::bytes(const RunSpec& spec) {
  const AttentionSpec& attention = *spec.attention();
  return BatchMemory::bytes(attention.task.shape, kDrawn) + attention.network->workspace_bytes(2 * kSequences);
}

std::vector<double> ResponseProbe::odd_part(bool everywhere) {
  const BatchShape& shape = model_.task().shape();
  const int d = shape.outputs;
  const Rows* output = model_.network().find_rows("output");
  std::vector<double> map(static_cast<size_t>(d * d));
  for (int k = 0; k < d; ++k) {
    // Lane s holds sequence s with +e_k, lane kSequences + s the same with -e_k.
    for (int c = 0; c < shape.context; ++c) {
      for (int f = 0; f < shape.inputs; ++f) {
        const float* from = drawn_.batch.inputs + (c * shape.inputs + f) * kDrawn;
        float* to = work_.batch().inputs + (c * shape.inputs + f) * work_.lanes;
        for (int lane = 0; lane < 2 * kSequences; ++lane) {
          const int s = lane % kSequences;
          const bool replaced = f < d && (everywhere || drawn_.batch.relevant[c * kDrawn + s] > 0);
          const float sign = lane < kSequences ? 1.0f : -1.0f;
          to[lane] = !replaced ? from[s] : f == k ? sign : 0.0f;
        }
      }
    }
    model_.network().forward(trainer_.parameters().data(), work_);
    const float* y = work_.activations.data() + static_cast<size_t>(output->first) * static_cast<size_t>(work_.lanes);
    for (int row = 0; row < d; ++row) {
      double sum = 0;
      for (int s = 0; s < kSequences; ++s)
        sum +=
            static_cast<double>(y[row * work_.lanes + s]) - static_cast<double>(y[row * work_.lanes + kSequences + s]);
      map[static_cast<size_t>(row) * static_cast<size_t>(d) + static_cast<size_t>(k)] = sum / (2 * kSequences);
    }
  }
  return map;
}

// ⟨W, W*⟩ and ‖W*‖² are sums over any orthonormal basis, so what belongs to x̃ can be taken out of both.
void ResponseProbe::split_share(const std::vector<double>& map, double along, double target_square) {
  const RegressionTarget& target = *model_.task().target();
  const size_t d = target.repeated.size();
  if (d < 2) return;  // nothing is across it
  double along_repeated = 0, square_repeated = 0;
  for (size_t row = 0; row < d; ++row) {
    double answer = 0;
    for (size_t k = 0; k < d; ++k) answer += map[row * d + k] * static_cast<double>(target.repeated[k]);
    const auto asked = static_cast<double>(target.repeated_answer[row]);
    along_repeated += answer * asked;
    square_repeated += asked * asked;
  }
  response_.repeated = along_repeated / square_repeated;
  response_.rest = (along - along_repeated) / (target_square - square_repeated);
}

const Response& ResponseProbe::now() {
  if (fresh_at_ == trainer_.step()) return response_;
  const FlushDenormals guard;
  const std::vector<float>& target = model_.task().target()->weights;
  double target_square = 0;
  for (const float entry : target) target_square += static_cast<double>(entry) * static_cast<double>(entry);
  const std::vector<double> everywhere = odd_part(true), relevant = odd_part(false);
  double square = 0;
  for (const double entry : everywhere) square += entry * entry;
  const double along = inner(everywhere, target);
  response_.share = along / target_square;
  response_.alignment = square > 0 ? along / std::sqrt(square * target_square) : 0;
  response_.effective = along != 0 ? inner(relevant, target) / along : 0;
  split_share(everywhere, along, target_square);
  fresh_at_ = trainer_.step();
  return response_;
}

}  // namespace atto

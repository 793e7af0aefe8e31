// How the loss curves: the eigenvalues of its Hessian in all weights, for networks small enough to have it whole.
//
// Column i of the Hessian is the difference of two gradients, at weights that differ in weight i alone:
//   H e_i = (g(w + h e_i) - g(w - h e_i)) / 2h,
// and H is made symmetric, which halves the error. Gradients are single precision. With h = 1/128 the rounding of a
// gradient of order 1 and the cubic term of the loss both leave errors of about 1e-5. A least eigenvalue is below zero
// beyond doubt where it is below that. Symmetries of the network give eigenvalues of zero.
//
// The loss is that of the step's batch, or of all sequences where the gradient is the expected one.
#include <cmath>

#include "base/arena.h"
#include "math/spectrum.h"
#include "observe/observable.h"

namespace atto {
namespace {

constexpr size_t kMostWeights = 256;     // 512 gradients, and 0.5 MB
constexpr int64_t kCurvaturePoints = 3;  // a measurement costs as much as two steps a weight
constexpr float kNudge = 1.0f / 128;

size_t weights_of(const std::vector<Matrix>& matrices) {
  size_t count = 0;
  for (const Matrix& matrix : matrices) count += matrix.size();
  return count;
}

// Where each weight stands in the arena, which has gaps.
std::vector<size_t> places_of(const std::vector<Matrix>& matrices) {
  std::vector<size_t> places;
  for (const Matrix& matrix : matrices)
    for (size_t i = 0; i < matrix.size(); ++i) places.push_back(matrix.offset + i);
  return places;
}

std::vector<double> hessian(const Trainer& trainer, const std::vector<size_t>& places) {
  const auto parameters = trainer.parameters();
  Arena<float> weights(parameters.size()), above(parameters.size()), below(parameters.size());
  std::copy(parameters.begin(), parameters.end(), weights.data());
  const size_t n = places.size();
  std::vector<double> matrix(n * n);
  for (size_t i = 0; i < n; ++i) {
    float& weight = weights.span()[places[i]];
    const float here = weight, right = here + kNudge, left = here - kNudge;
    weight = right;
    trainer.gradient_at(weights.span(), above.span());
    weight = left;
    trainer.gradient_at(weights.span(), below.span());
    weight = here;
    const double width = static_cast<double>(right) - left;  // what rounding has left of 2h
    for (size_t j = 0; j < n; ++j) {
      const double slope = (static_cast<double>(above.span()[places[j]]) - below.span()[places[j]]) / width;
      matrix[i * n + j] += slope / 2;
      matrix[j * n + i] += slope / 2;
    }
  }
  return matrix;
}

}  // namespace

void offer_curvature(const RunSpec& spec, std::vector<Observable>& offers) {
  if (spec.attention() == nullptr) return;
  const size_t count = weights_of(spec.matrices());
  if (count == 0 || count > kMostWeights) return;
  offers.push_back({"hessian.eigenvalues",
                    "eigenvalues of the Hessian of the loss in all weights, ascending; up to 256 weights",
                    {static_cast<int64_t>(count)},
                    [places = places_of(spec.matrices())](const NetworkMoment& moment, double* out) {
                      const std::vector<double> matrix = hessian(moment.trainer, places);
                      bool finite = true;
                      for (const double entry : matrix) finite = finite && std::isfinite(entry);
                      const std::vector<double> values = finite ? symmetric_eigenvalues(matrix, places.size())
                                                                : std::vector<double>(places.size(), std::nan(""));
                      std::copy(values.begin(), values.end(), out);
                    },
                    kCurvaturePoints});
}

}  // namespace atto

// How two vectors are scored against each other: queries with keys, and what attention returns with the rows of the
// unembedding.
#pragma once

#include <cmath>
#include <complex>

namespace atto::reference {

enum class ScoreKind { dot, distance, inverse };

inline const char* name_of(ScoreKind kind) {
  switch (kind) {
    case ScoreKind::dot:
      return "dot";
    case ScoreKind::distance:
      return "distance";
    case ScoreKind::inverse:
      return "inverse";
  }
  return "";
}

struct Score {
  ScoreKind kind = ScoreKind::dot;
  double factor = 1;
};

inline constexpr double kCoincident = 1e-6;  // ε, keeps the logarithm finite where the two coincide

// ‖a - b‖² as Σ (a - b)², which unlike |·|² is analytic, as the complex step asks.
template <class T>
T squared_distance(const T* a, const T* b, int width) {
  T sum = 0;
  for (int d = 0; d < width; ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

//   dot        factor a·b
//   distance   -factor ‖a - b‖²
//   inverse    -(factor/2) ln(‖a - b‖² + ε), whose softmax is ∝ 1/distance^factor
template <class T>
T score_forward(const Score& score, const T* a, const T* b, int width) {
  if (score.kind == ScoreKind::distance) return -score.factor * squared_distance(a, b, width);
  if (score.kind == ScoreKind::inverse)
    return -0.5 * score.factor * std::log(squared_distance(a, b, width) + kCoincident);
  T sum = 0;
  for (int d = 0; d < width; ++d) sum += a[d] * b[d];
  return score.factor * sum;
}

// Adds dscore × the slopes of score_forward() to da and db.
//   dot        da = factor b,  db = factor a
//   distance   da = -2 factor (a - b) = -db
//   inverse    da = -factor (a - b) / (‖a - b‖² + ε) = -db
template <class T>
void score_backward(const Score& score, const T* a, const T* b, int width, T dscore, T* da, T* db) {
  T slope = dscore * score.factor;
  if (score.kind == ScoreKind::distance) slope *= -2.0;
  if (score.kind == ScoreKind::inverse) slope /= -(squared_distance(a, b, width) + kCoincident);
  for (int d = 0; d < width; ++d) {
    const bool apart = score.kind != ScoreKind::dot;
    da[d] += slope * (apart ? a[d] - b[d] : b[d]);
    db[d] += slope * (apart ? b[d] - a[d] : a[d]);
  }
}

}  // namespace atto::reference

#include "training/optimizers/orthogonalise.h"

#include <algorithm>
#include <cmath>

#include "kernels/wide/wide_kernels.h"

namespace atto {
namespace {

int padded_to_lanes(int count) { return (count + kLanes - 1) / kLanes * kLanes; }

// The working matrix is wide: m = min(rows, columns) rows of n = max(rows, columns). Rows of X and A are padded to
// whole groups of lanes, with zeros that every product keeps.
struct WideShape {
  WideShape(int rows, int columns)
      : m(std::min(rows, columns)),
        n(std::max(rows, columns)),
        m_lanes(padded_to_lanes(m)),
        n_lanes(padded_to_lanes(n)) {}

  size_t x() const { return static_cast<size_t>(m) * static_cast<size_t>(n_lanes); }
  size_t transposed() const { return static_cast<size_t>(n_lanes) * static_cast<size_t>(m_lanes); }
  size_t gram() const { return static_cast<size_t>(m) * static_cast<size_t>(m_lanes); }
  size_t square() const { return static_cast<size_t>(m) * static_cast<size_t>(m); }

  int m, n, m_lanes, n_lanes;
};

}  // namespace

size_t orthogonalise_scratch(int rows, int columns) {
  const WideShape shape(rows, columns);
  return 2 * shape.x() + shape.transposed() + 2 * shape.gram() + shape.square();
}

void orthogonalise(float* x, int rows, int columns, float* scratch) {
  constexpr int kSteps = 5;
  constexpr float a = 3.4445f, b = -4.7750f, c = 2.0315f;
  const WideShape shape(rows, columns);
  const int m = shape.m, n = shape.n;
  const bool turned = rows > columns;          // then X is xᵀ
  float* X = scratch;                          // [m][n lanes]
  float* next = X + shape.x();                 // [m][n lanes]
  float* transposed = next + shape.x();        // [n lanes][m lanes]
  float* A = transposed + shape.transposed();  // [m][m lanes], then its square
  float* A2 = A + shape.gram();
  float* B = A2 + shape.gram();  // [m][m]
  const auto entry = [&](int i, int j) -> float& { return x[turned ? j * columns + i : i * columns + j]; };

  const double length = std::sqrt(sum_of_squares(x, static_cast<size_t>(rows) * static_cast<size_t>(columns)));
  if (!(length > 0)) return;  // nothing to follow
  const auto scale = static_cast<float>(1 / length);
  std::fill_n(X, shape.x(), 0.0f);
  std::fill_n(transposed, shape.transposed(), 0.0f);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) X[i * shape.n_lanes + j] = scale * entry(i, j);

  for (int step = 0; step < kSteps; ++step) {
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) transposed[j * shape.m_lanes + i] = X[i * shape.n_lanes + j];
    project_forward(X, nullptr, m, shape.n_lanes, transposed, A, 1, shape.m_lanes, false);
    for (int i = 0; i < m; ++i) std::copy_n(A + i * shape.m_lanes, m, B + i * m);
    project_forward(B, nullptr, m, m, A, A2, 1, shape.m_lanes, false);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) B[i * m + j] = b * B[i * m + j] + c * A2[i * shape.m_lanes + j];
    for (int i = 0; i < m; ++i) B[i * m + i] += a;
    project_forward(B, nullptr, m, m, X, next, 1, shape.n_lanes, false);
    std::swap(X, next);
  }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) entry(i, j) = X[i * shape.n_lanes + j];
}

}  // namespace atto

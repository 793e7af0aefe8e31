// Eigenvalues of matrices that are not symmetric: in a file of its own, as the solver takes long to compile.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "math/spectrum.h"

// GCC 12 believes the solver reads its scratch before writing it.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <Eigen/Eigenvalues>

namespace atto {

std::vector<std::complex<double>> eigenvalues(std::span<const double> matrix, size_t rows) {
  const auto n = static_cast<Eigen::Index>(rows);
  // The transpose of what is given, which has the same eigenvalues.
  const Eigen::Map<const Eigen::MatrixXd> square(matrix.data(), n, n);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::complex<double>> values(rows, {kNone, kNone});
  if (square == square.transpose()) {
    const std::vector<double> real = symmetric_eigenvalues(matrix, rows);
    std::copy(real.begin(), real.end(), values.begin());
  } else {
    const Eigen::EigenSolver<Eigen::MatrixXd> solver(square, false);
    if (solver.info() != Eigen::Success) return values;
    std::copy(solver.eigenvalues().begin(), solver.eigenvalues().end(), values.begin());
  }
  const auto before = [](const std::complex<double>& z) { return std::tuple(-std::abs(z), -z.real(), -z.imag()); };
  std::ranges::sort(values, {}, before);
  return values;
}

}  // namespace atto

// Eigenvalues of matrices that are not symmetric.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "math/spectrum.h"

// GCC 12 believes the solver reads its scratch before writing it.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <Eigen/Eigenvalues>

namespace atto {
namespace {

// The real Schur form: 1 × 1 and 2 × 2 blocks on the diagonal that hold the eigenvalues; empty when it is not found. These
// are the steps of Eigen's EigenSolver, bit for bit, without the code for eigenvectors, most of what that compiles.
Eigen::MatrixXd schur_form(const Eigen::Map<const Eigen::MatrixXd>& square) {
  const double scale = square.cwiseAbs().maxCoeff();
  if (scale < std::numeric_limits<double>::min()) return Eigen::MatrixXd::Zero(square.rows(), square.cols());
  const Eigen::MatrixXd scaled = square / scale;
  const Eigen::HessenbergDecomposition<Eigen::MatrixXd> hessenberg(scaled);
  Eigen::RealSchur<Eigen::MatrixXd> schur(square.rows());
  schur.computeFromHessenberg(hessenberg.matrixH(), Eigen::MatrixXd(), false);
  if (schur.info() != Eigen::Success) return {};
  return schur.matrixT() * scale;
}

std::vector<std::complex<double>> block_eigenvalues(const Eigen::MatrixXd& t) {
  std::vector<std::complex<double>> values;
  for (Eigen::Index i = 0; i < t.rows();) {
    if (i + 1 == t.rows() || t(i + 1, i) == 0) {
      values.emplace_back(t(i, i));
      i += 1;
      continue;
    }
    // A pair c ± iz with z² = -(p² + bc), scaled so that no square overflows.
    const double p = 0.5 * (t(i, i) - t(i + 1, i + 1)), below = t(i + 1, i), above = t(i, i + 1);
    const double most = std::max(std::abs(p), std::max(std::abs(below), std::abs(above)));
    const double z = most * std::sqrt(std::abs(p / most * (p / most) + below / most * (above / most)));
    values.emplace_back(t(i + 1, i + 1) + p, z);
    values.emplace_back(t(i + 1, i + 1) + p, -z);
    i += 2;
  }
  return values;
}

}  // namespace

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
    const std::vector<std::complex<double>> found = block_eigenvalues(schur_form(square));
    const auto finite = [](const std::complex<double>& z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); };
    if (found.size() < rows || !std::ranges::all_of(found, finite)) return values;
    values = found;
  }
  const auto before = [](const std::complex<double>& z) { return std::tuple(-std::abs(z), -z.real(), -z.imag()); };
  std::ranges::sort(values, {}, before);
  return values;
}

}  // namespace atto

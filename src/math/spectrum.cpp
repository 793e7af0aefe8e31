#include "math/spectrum.h"

#include <algorithm>
#include <cmath>
#include <numeric>

// GCC 12 believes the solver reads its scratch before writing it.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <Eigen/Eigenvalues>

namespace atto {
namespace {

double entropy_dimension(const auto& variances) {
  const double total = variances.sum();
  if (!(total > 0)) return 1.0;
  double entropy = 0;
  for (const double variance : variances)
    if (variance > 0) entropy -= variance / total * std::log(variance / total);
  return std::exp(entropy);
}

// Of the scatter matrix XᵀX of the centred rows X: its eigenvalues are the squared singular values of X. kColumns > 0
// keeps a tiny matrix in registers and solves it in closed form: the measurement is made often.
template <int kColumns, typename Number>
double effective_dimension_of(const Number* matrix, int rows, int columns) {
  constexpr int kSize = kColumns > 0 ? kColumns : Eigen::Dynamic;
  using Points =
      Eigen::Map<const Eigen::Matrix<Number, Eigen::Dynamic, kSize, kSize == 1 ? Eigen::ColMajor : Eigen::RowMajor>>;
  using Square = Eigen::Matrix<double, kSize, kSize>;
  using Vector = Eigen::Matrix<double, kSize, 1>;
  const Points points(matrix, rows, columns);
  Vector mean = Vector::Zero(columns);
  for (int r = 0; r < rows; ++r) mean += points.row(r).transpose().template cast<double>();
  mean /= rows;
  Square scatter = Square::Zero(columns, columns);
  Vector point(columns);
  for (int r = 0; r < rows; ++r) {
    point = points.row(r).transpose().template cast<double>() - mean;
    scatter.noalias() += point * point.transpose();
  }
  Eigen::SelfAdjointEigenSolver<Square> solver(columns);
  if constexpr (kColumns == 2 || kColumns == 3) solver.computeDirect(scatter, Eigen::EigenvaluesOnly);
  else solver.compute(scatter, Eigen::EigenvaluesOnly);
  return entropy_dimension(solver.eigenvalues().cwiseMax(0.0).eval());
}

// The same of fewer rows than columns: XXᵀ has the same eigenvalues but for zeros, and solving it takes (rows/columns)³
// of the time.
template <typename Number>
double effective_dimension_of_few(const Number* matrix, int rows, int columns) {
  using Points = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::MatrixXd centred = Eigen::Map<const Points>(matrix, rows, columns).template cast<double>();
  centred.rowwise() -= centred.colwise().mean().eval();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(centred * centred.transpose(), Eigen::EigenvaluesOnly);
  return entropy_dimension(solver.eigenvalues().cwiseMax(0.0).eval());
}

template <typename Number>
double dimension_by_width(const Number* matrix, int rows, int columns) {
  switch (columns) {
    case 2:
      return effective_dimension_of<2>(matrix, rows, columns);
    case 3:
      return effective_dimension_of<3>(matrix, rows, columns);
    default:
      return rows < columns ? effective_dimension_of_few(matrix, rows, columns)
                            : effective_dimension_of<0>(matrix, rows, columns);
  }
}

}  // namespace

double effective_dimension(const float* matrix, int rows, int columns) {
  return dimension_by_width(matrix, rows, columns);
}
double effective_dimension(const double* matrix, int rows, int columns) {
  return dimension_by_width(matrix, rows, columns);
}

double PrincipalComponents::share(size_t count) const {
  const auto end = variances.begin() + static_cast<std::ptrdiff_t>(std::min(count, variances.size()));
  return std::accumulate(variances.begin(), end, 0.0) / std::accumulate(variances.begin(), variances.end(), 0.0);
}

PrincipalComponents principal_components(std::span<const double> matrix, size_t columns) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto width = static_cast<Eigen::Index>(columns);
  const auto rows = static_cast<Eigen::Index>(matrix.size() / columns);
  const Eigen::Map<const Matrix> points(matrix.data(), rows, width);
  // A column of equal numbers has no variance at all, whatever rounding makes of its mean.
  const Eigen::RowVectorXd origin = points.row(0);
  Matrix centred = points.rowwise() - origin;
  centred.rowwise() -= centred.colwise().mean().eval();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(centred.transpose() * centred);  // ascending
  Matrix axes = solver.eigenvectors().rowwise().reverse().transpose();
  for (Eigen::Index i = 0; i < width; ++i) {
    Eigen::Index largest = 0;
    axes.row(i).cwiseAbs().maxCoeff(&largest);
    if (axes(i, largest) < 0) axes.row(i) = -axes.row(i);
  }
  const Eigen::VectorXd variances = solver.eigenvalues().reverse().cwiseMax(0) / static_cast<double>(rows);
  const Matrix scores = centred * axes.transpose();
  return {{variances.begin(), variances.end()},
          {axes.data(), axes.data() + axes.size()},
          {scores.data(), scores.data() + scores.size()}};
}

// Reflections from both sides make the matrix bidiagonal, with diagonal d and d' above it. Its singular values, with
// both signs, are the eigenvalues of the symmetric tridiagonal matrix with zeros on its diagonal and d0, d'0, d1, d'1,
// ... next to it. This keeps the small ones to the precision of the largest; the eigenvalues of MᵀM would lose half the
// digits.
std::vector<double> singular_values(std::span<const double> matrix, size_t rows) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto height = static_cast<Eigen::Index>(rows), width = static_cast<Eigen::Index>(matrix.size() / rows);
  Eigen::MatrixXd m = Eigen::Map<const Matrix>(matrix.data(), height, width);
  if (height < width) m.transposeInPlace();
  const double scale = m.cwiseAbs().maxCoeff();
  const Eigen::Index n = m.cols();
  if (!(scale > 0)) return std::vector<double>(static_cast<size_t>(n), 0.0);
  m /= scale;
  Eigen::VectorXd beside(2 * n - 1), v;
  // Mirrors v to the first axis, which leaves the number that comes back; v becomes the mirror's normal.
  const auto reflect = [&v] {
    const double length = v.norm(), image = v[0] > 0 ? -length : length;
    v[0] -= image;
    const double norm = v.norm();
    if (norm > 0) v /= norm;
    return image;
  };
  for (Eigen::Index k = 0; k < n; ++k) {
    const Eigen::Index right = n - k - 1;
    v = m.col(k).tail(m.rows() - k);
    beside[2 * k] = reflect();
    if (right == 0) break;
    for (Eigen::Index c = k + 1; c < n; ++c) {
      auto column = m.col(c).tail(m.rows() - k);
      column -= 2 * v.dot(column) * v;
    }
    v = m.row(k).tail(right).transpose();
    beside[2 * k + 1] = reflect();
    Eigen::VectorXd along = m.bottomRightCorner(m.rows() - k, right) * v;
    for (Eigen::Index c = 0; c < right; ++c) m.col(k + 1 + c).tail(m.rows() - k) -= 2 * v[c] * along;
  }
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(2 * n);
  solver.computeFromTridiagonal(Eigen::VectorXd::Zero(2 * n), beside, Eigen::EigenvaluesOnly);
  std::vector<double> values;
  for (Eigen::Index i = 0; i < n; ++i) values.push_back(scale * std::max(0.0, solver.eigenvalues()[2 * n - 1 - i]));
  return values;
}

std::vector<double> symmetric_eigenvalues(std::span<const double> matrix, size_t rows) {
  const auto size = static_cast<Eigen::Index>(rows);
  const Eigen::MatrixXd square = Eigen::Map<const Eigen::MatrixXd>(matrix.data(), size, size);
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(square, Eigen::EigenvaluesOnly).eigenvalues();
  return {values.begin(), values.end()};
}

}  // namespace atto

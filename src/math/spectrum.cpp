#include "math/spectrum.h"

#include <algorithm>
#include <cmath>
#include <numeric>

// GCC 12 believes the solver reads its scratch before writing it.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <Eigen/Eigenvalues>

#include "math/eigen_products.h"

ATTO_EIGEN_PRODUCTS(template)

namespace atto {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The steps of Eigen's SelfAdjointEigenSolver, bit for bit, after the matrix was made tridiagonal: `vectors`, where there
// are any, become the eigenvectors.
void solve_tridiagonal(Eigen::VectorXd& diagonal, Eigen::VectorXd& beside, Eigen::MatrixXd* vectors) {
  constexpr int kIterations = 30;  // for each eigenvalue
  Eigen::MatrixXd none;
  Eigen::internal::computeFromTridiagonal_impl(diagonal, beside, kIterations, vectors != nullptr, vectors ? *vectors : none);
}

// Eigenvalues, ascending, of the symmetric matrix with this lower triangle. `matrix` becomes the eigenvectors, one a
// column, where they are asked for; otherwise it is scratch. Eigen's own solver, which takes the same steps to the same
// bits, also compiles products of whole blocks of reflections: 20 s for what no call reaches.
Eigen::VectorXd solve_symmetric(Eigen::MatrixXd matrix, Eigen::MatrixXd* vectors = nullptr) {
  const Eigen::Index n = matrix.rows();
  if (n == 1) {
    if (vectors) vectors->setOnes(1, 1);
    return matrix.col(0);
  }
  matrix.triangularView<Eigen::StrictlyUpper>().setZero();
  double scale = matrix.cwiseAbs().maxCoeff();
  if (scale == 0) scale = 1;
  matrix.triangularView<Eigen::Lower>() /= scale;
  Eigen::VectorXd factors(n - 1);
  Eigen::internal::tridiagonalization_inplace(matrix, factors);
  Eigen::VectorXd values = matrix.diagonal(), beside = matrix.diagonal<-1>();
  if (vectors) {
    // The product of the reflections, whose normals stand below the diagonal: the last one first.
    matrix.diagonal().setOnes();
    matrix.triangularView<Eigen::StrictlyUpper>().setZero();
    Eigen::VectorXd scratch(n);
    for (Eigen::Index k = n - 2; k >= 0; --k) {
      const Eigen::Block<const Eigen::MatrixXd, Eigen::Dynamic, 1> normal(matrix, k + 2, k, n - k - 2, 1);
      matrix.bottomRightCorner(n - k - 1, n - k - 1).applyHouseholderOnTheLeft(normal, factors(k), scratch.data());
      matrix.col(k).tail(n - k - 1).setZero();
    }
  }
  solve_tridiagonal(values, beside, vectors ? &matrix : nullptr);
  if (vectors) *vectors = std::move(matrix);
  return values * scale;
}

double entropy_dimension(const auto& variances) {
  const double total = variances.sum();
  if (!(total > 0)) return 1.0;
  double entropy = 0;
  for (const double variance : variances)
    if (variance > 0) entropy -= variance / total * std::log(variance / total);
  return std::exp(entropy);
}

// Of the scatter matrix XᵀX of the centred rows X: its eigenvalues are the squared singular values of X. A tiny matrix
// stays in registers and is solved in closed form: the measurement is made often.
template <int kColumns, typename Number>
double effective_dimension_of(const Number* matrix, int rows) {
  using Row = Eigen::Map<const Eigen::Matrix<Number, kColumns, 1>>;
  using Vector = Eigen::Matrix<double, kColumns, 1>;
  using Square = Eigen::Matrix<double, kColumns, kColumns>;
  Vector mean = Vector::Zero();
  for (int r = 0; r < rows; ++r) mean += Row(matrix + r * kColumns).template cast<double>();
  mean /= rows;
  Square scatter = Square::Zero();
  for (int r = 0; r < rows; ++r) {
    const Vector point = Row(matrix + r * kColumns).template cast<double>() - mean;
    scatter.noalias() += point * point.transpose();
  }
  Eigen::SelfAdjointEigenSolver<Square> solver;
  solver.computeDirect(scatter, Eigen::EigenvaluesOnly);
  return entropy_dimension(solver.eigenvalues().cwiseMax(0.0).eval());
}

double effective_dimension_of(const Matrix& points) {
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(points.cols()), point;
  for (Eigen::Index r = 0; r < points.rows(); ++r) mean += points.row(r).transpose();
  mean /= static_cast<double>(points.rows());
  Eigen::MatrixXd scatter = Eigen::MatrixXd::Zero(points.cols(), points.cols());
  for (Eigen::Index r = 0; r < points.rows(); ++r) {
    point = points.row(r).transpose() - mean;
    scatter.noalias() += point * point.transpose();
  }
  return entropy_dimension(solve_symmetric(std::move(scatter)).cwiseMax(0.0).eval());
}

// The same of fewer rows than columns: XXᵀ has the same eigenvalues but for zeros, and solving it takes (rows/columns)³
// of the time.
double effective_dimension_of_few(Eigen::MatrixXd points) {
  points.rowwise() -= points.colwise().mean().eval();
  return entropy_dimension(solve_symmetric(points * points.transpose()).cwiseMax(0.0).eval());
}

template <typename Number>
double dimension_by_width(const Number* matrix, int rows, int columns) {
  if (columns == 2) return effective_dimension_of<2>(matrix, rows);
  if (columns == 3) return effective_dimension_of<3>(matrix, rows);
  Matrix points(rows, columns);
  std::copy(matrix, matrix + points.size(), points.data());
  return rows < columns ? effective_dimension_of_few(points) : effective_dimension_of(points);
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
  const auto width = static_cast<Eigen::Index>(columns);
  const auto rows = static_cast<Eigen::Index>(matrix.size() / columns);
  const Eigen::Map<const Matrix> points(matrix.data(), rows, width);
  // A column of equal numbers has no variance at all, whatever rounding makes of its mean.
  const Eigen::RowVectorXd origin = points.row(0);
  Matrix centred = points.rowwise() - origin;
  centred.rowwise() -= centred.colwise().mean().eval();
  Eigen::MatrixXd vectors;
  const Eigen::VectorXd ascending = solve_symmetric(centred.transpose() * centred, &vectors);
  Matrix axes = vectors.rowwise().reverse().transpose();
  for (Eigen::Index i = 0; i < width; ++i) {
    Eigen::Index largest = 0;
    axes.row(i).cwiseAbs().maxCoeff(&largest);
    if (axes(i, largest) < 0) axes.row(i) = -axes.row(i);
  }
  const Eigen::VectorXd variances = ascending.reverse().cwiseMax(0) / static_cast<double>(rows);
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
  Eigen::VectorXd both = Eigen::VectorXd::Zero(2 * n);
  solve_tridiagonal(both, beside, nullptr);
  std::vector<double> values;
  for (Eigen::Index i = 0; i < n; ++i) values.push_back(scale * std::max(0.0, both[2 * n - 1 - i]));
  return values;
}

std::vector<double> symmetric_eigenvalues(std::span<const double> matrix, size_t rows) {
  const auto size = static_cast<Eigen::Index>(rows);
  const Eigen::VectorXd values = solve_symmetric(Eigen::Map<const Eigen::MatrixXd>(matrix.data(), size, size));
  return {values.begin(), values.end()};
}

}  // namespace atto

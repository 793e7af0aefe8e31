// How many dimensions a cloud of points uses.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace atto {

// exp(entropy) of the explained-variance ratios of a principal component analysis: rows of the row-major matrix are
// points, columns are centred. 1 for points on a line, at most min(rows - 1, columns); 1 for points that coincide.
double effective_dimension(const float* matrix, int rows, int columns);
double effective_dimension(const double* matrix, int rows, int columns);

// Principal component analysis of the same kind of matrix: n rows are points, D columns are centred.
struct PrincipalComponents {
  std::vector<double> variances;  // [D], mean square along each component, largest first
  std::vector<double> axes;       // [component][D], unit vectors; the largest entry of each is positive
  std::vector<double> scores;     // [n][component], the centred points in these axes

  // Share of the variance in the first `count` components; NaN for points that coincide.
  double share(size_t count) const;
};
PrincipalComponents principal_components(std::span<const double> matrix, size_t columns);

// Eigenvalues of a symmetric row-major matrix of so many rows, ascending.
std::vector<double> symmetric_eigenvalues(std::span<const double> matrix, size_t rows);

// Eigenvalues of any square row-major matrix, the largest modulus first; of a pair the one above the real axis first.
std::vector<std::complex<double>> eigenvalues(std::span<const double> matrix, size_t rows);

// Singular values of a row-major matrix of so many rows, the largest first.
std::vector<double> singular_values(std::span<const double> matrix, size_t rows);

}  // namespace atto

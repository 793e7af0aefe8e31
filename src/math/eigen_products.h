// The inner loops of Eigen's products of matrices of double, compiled once (spectrum.cpp): otherwise each file that
// multiplies compiles them again. Their names are Eigen's own business, so other versions do without.
#pragma once

#include <Eigen/Core>

#if EIGEN_VERSION_AT_LEAST(3, 4, 0) && !EIGEN_VERSION_AT_LEAST(3, 4, 90)

namespace Eigen::internal {

using ProductTraits = gebp_traits<double, double>;
using ProductResult = blas_data_mapper<double, Index, ColMajor, Unaligned, 1>;
using ByColumns = const_blas_data_mapper<double, Index, ColMajor>;
using ByRows = const_blas_data_mapper<double, Index, RowMajor>;

}  // namespace Eigen::internal

#define ATTO_EIGEN_PRODUCTS(instantiate)                                                                               \
  namespace Eigen::internal {                                                                                          \
  instantiate struct gebp_kernel<double, double, Index, ProductResult, ProductTraits::mr, ProductTraits::nr, false,    \
                                 false>;                                                                               \
  instantiate struct gemm_pack_lhs<double, Index, ByRows, ProductTraits::mr, ProductTraits::LhsProgress,               \
                                   ProductTraits::LhsPacket4Packing, RowMajor>;                                        \
  instantiate struct gemm_pack_lhs<double, Index, ByColumns, ProductTraits::mr, ProductTraits::LhsProgress,            \
                                   ProductTraits::LhsPacket4Packing, ColMajor>;                                        \
  instantiate struct gemm_pack_rhs<double, Index, ByColumns, ProductTraits::nr, ColMajor>;                             \
  instantiate struct gemm_pack_rhs<double, Index, ByRows, ProductTraits::nr, RowMajor>;                                \
  instantiate struct general_matrix_matrix_product<Index, double, RowMajor, false, double, ColMajor, false, ColMajor,  \
                                                   1>;                                                                 \
  instantiate struct general_matrix_matrix_product<Index, double, ColMajor, false, double, RowMajor, false, ColMajor,  \
                                                   1>;                                                                 \
  instantiate struct general_matrix_vector_product<Index, double, ByRows, RowMajor, false, double, ByColumns, false,   \
                                                   0>;                                                                 \
  instantiate struct general_matrix_vector_product<Index, double, ByRows, RowMajor, false, double, ByRows, false, 1>;  \
  instantiate struct general_matrix_vector_product<Index, double, ByColumns, ColMajor, false, double, ByRows, false,   \
                                                   0>;                                                                 \
  instantiate struct general_matrix_vector_product<Index, double, ByColumns, ColMajor, false, double, ByColumns,       \
                                                   false, 0>;                                                          \
  }

ATTO_EIGEN_PRODUCTS(extern template)

#else
#define ATTO_EIGEN_PRODUCTS(instantiate)
#endif

// Expressions of vectors and matrices: their shapes, and their values against numbers worked out by hand and Eigen.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <map>

#include "math/expression/expression.h"
#include "math/spectrum.h"

namespace atto::tensor_test {
namespace {

using Names = std::map<std::string, Tensor>;

const Names kNames{
    {"s", {{}, {3}}},
    {"u", {{3}, {1, -2, 2}}},
    {"v", {{2}, {5, 6}}},
    {"A", {{2, 3}, {1, 2, 3, 4, 5, 6}}},
    {"S", {{2, 2}, {2, 1, 1, 2}}},
    {"R", {{2, 2}, {0, -1, 1, 0}}},  // a quarter turn
    {"T", {{2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}}},
};

Tensor tensor(const std::string& text, const Names& names = kNames) {
  return Expression(text).evaluate([&](const std::string& name) { return names.at(name); });
}

std::string shape_fault(const std::string& text) {
  try {
    Expression(text).shape([](const std::string& name) { return kNames.at(name).shape; });
  } catch (const ExpressionError& error) {
    return std::to_string(error.position()) + ": " + error.what();
  }
  return "fits";
}

void expect(const std::string& text, const Shape& shape, const std::vector<double>& values) {
  const Tensor result = tensor(text);
  EXPECT_EQ(result.shape, shape) << text;
  ASSERT_EQ(result.values.size(), values.size()) << text;
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(result.values[i], values[i], 1e-12) << text << " [" << i << "]";
  EXPECT_EQ(Expression(text).shape([](const std::string& name) { return kNames.at(name).shape; }), shape) << text;
}

TEST(TensorExpression, MultipliesAndTransposes) {
  expect("A * u", {2}, {3, 6});
  expect("A' * v", {3}, {29, 40, 51});
  expect("A * A'", {2, 2}, {14, 32, 32, 77});
  expect("A'", {3, 2}, {1, 4, 2, 5, 3, 6});
  expect("transpose(A)", {3, 2}, {1, 4, 2, 5, 3, 6});
  expect("A''", {2, 3}, {1, 2, 3, 4, 5, 6});
  expect("s * A", {2, 3}, {3, 6, 9, 12, 15, 18});
  expect("u * s", {3}, {3, -6, 6});
  expect("u * u", {3}, {1, 4, 4});
  expect("A .* A", {2, 3}, {1, 4, 9, 16, 25, 36});
  expect("S * R * v", {2}, {-7, 4});
}

TEST(TensorExpression, GoesEntryByEntryAndSpreadsNumbers) {
  expect("u + 1", {3}, {2, -1, 3});
  expect("1 - u", {3}, {0, 3, -1});
  expect("A / s", {2, 3}, {1. / 3, 2. / 3, 1, 4. / 3, 5. / 3, 2});
  expect("A^2", {2, 3}, {1, 4, 9, 16, 25, 36});
  expect("-u", {3}, {-1, 2, -2});
  expect("u > 0", {3}, {1, 0, 1});
  expect("u > 0 ? u : 0", {3}, {1, 0, 2});
  expect("abs(u)", {3}, {1, 2, 2});
  expect("max(u, 0)", {3}, {1, 0, 2});
  expect("min(u, 0, -u)", {3}, {-1, -2, -2});
  expect("mod(u, s)", {3}, {1, 1, 2});
  expect("T + 1", {2, 2, 2}, {2, 3, 4, 5, 6, 7, 8, 9});
}

TEST(TensorExpression, TakesParts) {
  expect("u[1]", {}, {-2});
  expect("u[-1]", {}, {2});
  expect("u[0:2]", {2}, {1, -2});
  expect("u[1:]", {2}, {-2, 2});
  expect("u[:-1]", {2}, {1, -2});
  expect("A[1]", {3}, {4, 5, 6});
  expect("A[1, 2]", {}, {6});
  expect("A[:, 0]", {2}, {1, 4});
  expect("A[0:1, 1:3]", {1, 2}, {2, 3});
  expect("T[1]", {2, 2}, {5, 6, 7, 8});
  expect("T[1]'[0]", {2}, {5, 7});
  expect("(A * A')[0][1]", {}, {32});
}

TEST(TensorExpression, MakesNumbersOfMany) {
  expect("sum(A)", {}, {21});
  expect("mean(u)", {}, {1. / 3});
  expect("max(A) - min(u)", {}, {8});
  expect("count(u > 0)", {}, {2});
  expect("parity(A)", {}, {1});
  expect("majority(u * u)", {}, {4});
  expect("rank(1.5, u)", {}, {2});
  expect("norm(u)", {}, {3});
  expect("norm(s)", {}, {3});
  expect("dot(u, u)", {}, {9});
  expect("cosine(u, -2 * u)", {}, {-1});
  expect("cosine(S, R)", {}, {0});
  expect("trace(S)", {}, {4});
  expect("sorted(u)", {3}, {-2, 1, 2});
  expect("sorted(u)[-1]", {}, {2});
  expect("outer(v, u)", {2, 3}, {5, -10, 10, 6, -12, 12});
  expect("diag(S)", {2}, {2, 2});
  expect("diag(v)", {2, 2}, {5, 0, 0, 6});
}

TEST(TensorExpression, FindsSpectra) {
  expect("singular_values(diag(v))", {2}, {6, 5});
  expect("eigenvalues(S)", {2, 2}, {3, 0, 1, 0});
  expect("eigenvalues(R)", {2, 2}, {0, 1, 0, -1});
  expect("eigenvalues(S * diag(v))[:, 1]", {2}, {0, 0});
  expect("eigenvalues(diag(v) - 7 * (S > 1))", {2, 2}, {-2, 0, -1, 0});
  // The cyclic shift of three: the cube roots of 1.
  const Tensor roots = tensor("eigenvalues(M)", {{"M", {{3, 3}, {0, 1, 0, 0, 0, 1, 1, 0, 0}}}});
  const double expected[] = {1, 0, -0.5, std::sqrt(0.75), -0.5, -std::sqrt(0.75)};
  for (size_t i = 0; i < 3; ++i) {
    const std::pair<double, double> found{roots.values[2 * i], roots.values[2 * i + 1]};
    bool there = false;
    for (size_t j = 0; j < 3; ++j)
      there = there || std::hypot(found.first - expected[2 * j], found.second - expected[2 * j + 1]) < 1e-12;
    EXPECT_TRUE(there) << found.first << " " << found.second;
  }
}

TEST(TensorExpression, AgreesWithEigen) {
  std::srand(7);
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(9, 6), b = Eigen::MatrixXd::Random(9, 6);
  const auto rows_of = [](const Eigen::MatrixXd& m) {
    Tensor t{{m.rows(), m.cols()}, {}};
    for (Eigen::Index r = 0; r < m.rows(); ++r)
      for (Eigen::Index c = 0; c < m.cols(); ++c) t.values.push_back(m(r, c));
    return t;
  };
  const Names names{{"layer.0.query", rows_of(a)}, {"layer.0.key", rows_of(b)}};
  const Eigen::MatrixXd product = a.transpose() * b;
  const Tensor result = tensor("layer.0.query' * layer.0.key", names);
  for (Eigen::Index r = 0; r < 6; ++r)
    for (Eigen::Index c = 0; c < 6; ++c)
      EXPECT_NEAR(result.values[static_cast<size_t>(r * 6 + c)], product(r, c), 1e-13);
  const Eigen::VectorXd squares =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(product.transpose() * product).eigenvalues().reverse();
  const Tensor values = tensor("singular_values(layer.0.query' * layer.0.key)", names);
  for (Eigen::Index i = 0; i < 6; ++i) EXPECT_NEAR(values.values[static_cast<size_t>(i)], std::sqrt(squares(i)), 1e-11);
  // Eigenvalues: largest modulus first, and their sum and product are trace and determinant.
  const Tensor eigen = tensor("eigenvalues(layer.0.query' * layer.0.key)", names);
  std::complex<double> sum = 0, times = 1;
  for (size_t i = 0; i < 6; ++i) {
    const std::complex<double> z(eigen.values[2 * i], eigen.values[2 * i + 1]);
    sum += z;
    times *= z;
    const size_t before = i == 0 ? 0 : 2 * i - 2;
    EXPECT_LE(std::abs(z), std::hypot(eigen.values[before], eigen.values[before + 1]) + 1e-12);
  }
  EXPECT_NEAR(sum.real(), product.trace(), 1e-11);
  EXPECT_NEAR(sum.imag(), 0, 1e-11);
  EXPECT_NEAR(times.real(), product.determinant(), 1e-10);
  EXPECT_NEAR(tensor("trace(layer.0.query' * layer.0.key)", names).values[0], product.trace(), 1e-13);
}

// Of a matrix of rank 1 the others are 0 to the last digits of the largest, however the matrix stands.
TEST(TensorExpression, KeepsSmallSingularValuesSmall) {
  const Names names{{"a", {{7}, {1, 2, 3, 4, 5, 6, 7}}}, {"b", {{4}, {1, -1, 2, 1e-3}}}};
  for (const char* text : {"singular_values(outer(a, b))", "singular_values(outer(b, a))"}) {
    const Tensor found = tensor(text, names);
    ASSERT_EQ(found.values.size(), 4u);
    EXPECT_NEAR(found.values[0], std::sqrt(140.0 * 6.000001), 1e-12);
    for (size_t i = 1; i < 4; ++i) EXPECT_LT(found.values[i], 1e-13) << text;
  }
  for (const double value : tensor("singular_values(0 * outer(a, b))", names).values) EXPECT_EQ(value, 0);
  EXPECT_NEAR(tensor("singular_values(1e200 * outer(a, b))[0]", names).values[0] / 1e200, std::sqrt(140.0 * 6.000001),
              1e-12);
}

TEST(TensorExpression, HasTheEffectiveRankOfTheObservable) {
  std::vector<float> weights;
  Tensor matrix{{5, 4}, {}};
  for (int i = 0; i < 20; ++i) weights.push_back(std::sin(static_cast<float>(i * i)));
  matrix.values.assign(weights.begin(), weights.end());
  EXPECT_EQ(tensor("effective_rank(W)", {{"W", matrix}}).values[0], effective_dimension(weights.data(), 5, 4));
}

TEST(TensorExpression, SaysBothShapes) {
  EXPECT_EQ(shape_fault("A + u"), "2: '+' has [2][3] next to [3]");
  EXPECT_EQ(shape_fault("s + A * v"), "6: '*' has [2][3] next to [2]");
  EXPECT_EQ(shape_fault("A * A"), "2: '*' has [2][3] next to [2][3]");
  EXPECT_EQ(shape_fault("u * A"), "2: '*' has [3] next to [2][3]");
  EXPECT_EQ(shape_fault("T * A"), "2: '*' has [2][2][2] next to [2][3]");
  EXPECT_EQ(shape_fault("max(u, v)"), "0: 'max' has [3] next to [2]");
  EXPECT_EQ(shape_fault("cosine(u, v)"), "0: cosine needs equal shapes, found [3] and [2]");
  EXPECT_EQ(shape_fault("eigenvalues(A)"), "0: eigenvalues needs a square matrix, found [2][3]");
  EXPECT_EQ(shape_fault("2 * u[3]"), "5: index 3 is outside of [3]");
  EXPECT_EQ(shape_fault("A[0, 0, 0]"), "1: an index of 3 numbers stands behind [2][3]");
  EXPECT_EQ(shape_fault("u[2:1]"), "1: the range of the index is empty");
  EXPECT_EQ(shape_fault("u'"), "1: only a matrix can be transposed, found [3]");
}

TEST(TensorExpression, RefusesToFillTheMemory) {
  const auto large = [](const std::string&) { return Shape{100'000}; };
  EXPECT_THROW(Expression("outer(a, a)").shape(large), ExpressionError);
  EXPECT_EQ(Expression("a + a").shape(large), Shape{100'000});
}

TEST(TensorExpression, GivesNoSpectrumOfWhatIsNotFinite) {
  const Names names{{"M", {{2, 2}, {1, NAN, 0, 1}}}};
  for (const char* text : {"singular_values(M)[0]", "eigenvalues(M)[0, 0]", "effective_rank(M)", "norm(M)"})
    EXPECT_TRUE(std::isnan(tensor(text, names).values[0])) << text;
}

}  // namespace
}  // namespace atto::tensor_test

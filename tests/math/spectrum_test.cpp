#include "math/spectrum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/kernel_testing.h"

namespace atto::spectrum_test {
namespace {

double dimension(const std::vector<float>& points, int columns) {
  return effective_dimension(points.data(), static_cast<int>(points.size()) / columns, columns);
}

// exp(entropy) of variances.
double entropy_dimension(const std::vector<double>& variances) {
  double total = 0, entropy = 0;
  for (const double variance : variances) total += variance;
  for (const double variance : variances)
    if (variance > 0) entropy -= variance / total * std::log(variance / total);
  return std::exp(entropy);
}

// The same points with columns of zeros beside them: the spectrum stays, the solver changes.
std::vector<float> padded(const std::vector<float>& points, int columns, int wider) {
  std::vector<float> result;
  for (size_t row = 0; row < points.size(); row += static_cast<size_t>(columns))
    for (int column = 0; column < wider; ++column)
      result.push_back(column < columns ? points[row + static_cast<size_t>(column)] : 0.0f);
  return result;
}

class KnownSpectrum : public testing::TestWithParam<int> {};  // columns
INSTANTIATE_TEST_SUITE_P(Columns, KnownSpectrum, testing::Values(1, 2, 3, 4, 10, 33));

// Points ±s_i e_i about any centre have the variances 2 s_i².
TEST_P(KnownSpectrum, IsTheEntropyOfTheVariances) {
  const int columns = GetParam();
  std::vector<float> points;
  std::vector<double> variances;
  for (int i = 0; i < columns; ++i) {
    const float reach = 1.0f + 0.5f * static_cast<float>(i % 4);
    variances.push_back(2.0 * reach * reach);
    for (const float sign : {1.0f, -1.0f})
      for (int column = 0; column < columns; ++column) points.push_back(5.0f + (column == i ? sign * reach : 0.0f));
  }
  EXPECT_NEAR(dimension(points, columns), entropy_dimension(variances), 1e-9);
}

TEST_P(KnownSpectrum, EqualVariancesUseEveryDimension) {
  const int columns = GetParam();
  std::vector<float> points;
  for (int i = 0; i < columns; ++i)
    for (const float sign : {1.0f, -1.0f})
      for (int column = 0; column < columns; ++column) points.push_back(column == i ? sign : 0.0f);
  EXPECT_NEAR(dimension(points, columns), columns, 1e-9);
}

TEST_P(KnownSpectrum, PointsOnALineUseOneDimension) {
  const int columns = GetParam();
  const auto direction = draw(columns, 1);
  std::vector<float> points;
  for (const float along : {-2.0f, 0.0f, 0.5f, 4.0f})  // powers of two: the products are exact
    for (const float step : direction) points.push_back(along * step);
  EXPECT_NEAR(dimension(points, columns), 1, 1e-6);
}

TEST_P(KnownSpectrum, CoincidentPointsCountAsOneDimension) {
  const int columns = GetParam();
  for (const int rows : {1, 3, 7, 100}) {
    std::vector<float> points;
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) points.push_back(0.1f + 0.37f * static_cast<float>(column));
    EXPECT_EQ(dimension(points, columns), 1.0) << rows << " points";
  }
}

TEST_P(KnownSpectrum, DoesNotDependOnScaleOrOrigin) {
  const int columns = GetParam();
  const auto points = draw(20 * columns, 2);
  auto moved = points;
  for (float& value : moved) value = 1024 * value + 512;  // exact: 24 bits suffice
  EXPECT_NEAR(dimension(moved, columns), dimension(points, columns), 1e-6);
}

TEST(EffectiveDimension, ClosedFormAgreesWithTheGeneralSolver) {
  for (const int columns : {2, 3}) {
    for (const int rows : {2, 3, 4, 10, 100}) {
      for (unsigned stream = 0; stream < 200; ++stream) {
        auto points = draw(rows * columns, stream);
        // Anything from round clouds to needles.
        for (size_t i = 0; i < points.size(); i += static_cast<size_t>(columns))
          points[i] = std::ldexp(points[i], static_cast<int>(stream % 12));
        const double closed = dimension(points, columns);
        EXPECT_NEAR(closed, dimension(padded(points, columns, 5), 5), 1e-6) << rows << " x " << columns;
        EXPECT_GE(closed, 1 - 1e-6);
        EXPECT_LE(closed, std::min(rows - 1, columns) + 1e-6);
      }
    }
  }
}

// The averages of random matrices, entries uniform about 0, fix the definition: centred columns, squared singular
// values.
TEST(EffectiveDimension, OfRandomMatricesIsTheCalibratedOne) {
  struct Case {
    int size, matrices;
    double average;
  };
  for (const Case& one : {Case{3, 20000, 1.54}, Case{10, 4000, 5.76}}) {
    const auto numbers = draw(one.matrices * one.size * one.size, 7);
    double sum = 0, squares = 0;
    for (int i = 0; i < one.matrices; ++i) {
      const double value = effective_dimension(numbers.data() + i * one.size * one.size, one.size, one.size);
      sum += value;
      squares += value * value;
    }
    const double mean = sum / one.matrices;
    const double error = std::sqrt((squares / one.matrices - mean * mean) / one.matrices);
    EXPECT_NEAR(mean, one.average, 0.005 + 3 * error) << one.size << " x " << one.size;  // known to two places
  }
}

// Points (3 cos, 1 sin) turned by 30 degrees and moved.
TEST(PrincipalComponents, OfAnEllipseAreItsAxes) {
  const double turn = std::numbers::pi / 6;
  std::vector<double> points;
  for (int i = 0; i < 12; ++i) {
    const double u = 3 * std::cos(i * turn), v = std::sin(i * turn);
    points.push_back(5 + u * std::cos(turn) - v * std::sin(turn));
    points.push_back(-7 + u * std::sin(turn) + v * std::cos(turn));
  }
  const PrincipalComponents found = principal_components(points, 2);
  EXPECT_NEAR(found.variances[0], 4.5, 1e-12);
  EXPECT_NEAR(found.variances[1], 0.5, 1e-12);
  EXPECT_NEAR(found.share(1), 0.9, 1e-12);
  EXPECT_NEAR(found.share(2), 1, 1e-12);
  EXPECT_NEAR(found.axes[0], std::cos(turn), 1e-12);  // the largest entry is positive
  EXPECT_NEAR(found.axes[1], std::sin(turn), 1e-12);
  EXPECT_NEAR(found.axes[2], -std::sin(turn), 1e-12);
  EXPECT_NEAR(found.scores[0], 3, 1e-12);
  EXPECT_NEAR(found.scores[2 * 3 + 1], 1, 1e-12);  // a quarter turn on
}

TEST(PrincipalComponents, KeepDistancesAndAreUncorrelated) {
  for (const int columns : {1, 3, 10}) {
    const auto numbers = draw(15 * columns, 5);
    const std::vector<double> points(numbers.begin(), numbers.end());
    const auto width = static_cast<size_t>(columns);
    const PrincipalComponents found = principal_components(points, width);
    const auto distance = [&](const std::vector<double>& of, size_t i, size_t j) {
      double square = 0;
      for (size_t k = 0; k < width; ++k) square += std::pow(of[i * width + k] - of[j * width + k], 2);
      return std::sqrt(square);
    };
    for (size_t i = 1; i < 15; ++i) EXPECT_NEAR(distance(found.scores, 0, i), distance(points, 0, i), 1e-9);
    for (size_t a = 0; a < width; ++a) {
      for (size_t b = 0; b < width; ++b) {
        double product = 0;
        for (size_t i = 0; i < 15; ++i) product += found.scores[i * width + a] * found.scores[i * width + b] / 15;
        EXPECT_NEAR(product, a == b ? found.variances[a] : 0, 1e-9);
      }
      if (a > 0) {
        EXPECT_LE(found.variances[a], found.variances[a - 1]);
      }
    }
  }
}

TEST(PrincipalComponents, OfCoincidentPointsHaveNoVariance) {
  std::vector<double> points;
  for (int i = 0; i < 7; ++i) points.insert(points.end(), {0.1, 0.37, -2.3});
  const PrincipalComponents found = principal_components(points, 3);
  for (const double variance : found.variances) EXPECT_EQ(variance, 0);
  EXPECT_TRUE(std::isnan(found.share(2)));
}

TEST(SymmetricEigenvalues, AreThoseOfKnownMatrices) {
  const std::vector<double> two{2, 1, 1, 2};
  const std::vector<double> found = symmetric_eigenvalues(two, 2);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0], 1, 1e-12);
  EXPECT_NEAR(found[1], 3, 1e-12);
  const std::vector<double> three{-1, 0, 0, 0, 4, 0, 0, 0, 2};
  const std::vector<double> sorted = symmetric_eigenvalues(three, 3);
  EXPECT_NEAR(sorted[0], -1, 1e-12);
  EXPECT_NEAR(sorted[1], 2, 1e-12);
  EXPECT_NEAR(sorted[2], 4, 1e-12);
}

}  // namespace
}  // namespace atto::spectrum_test

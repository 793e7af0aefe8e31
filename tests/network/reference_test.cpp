// The reference against itself: every hand-written gradient equals the complex-step derivative of the forward pass.
#include <gtest/gtest.h>

#include <random>

#include "reference/network_reference.h"
#include "reference/shape_matrix.h"

namespace atto::reference {
namespace {

void expect_complex_step_agrees(const Case& one) {
  const Shape& shape = one.shape;
  std::mt19937 random(7);
  const Sequences batch = random_sequences(one, 3, random);
  Parameters<double> real = random_parameters(shape, random);
  Parameters<std::complex<double>> shifted(shape);
  const auto real_matrices = real.named();
  const auto shifted_matrices = shifted.named();
  for (size_t m = 0; m < real_matrices.size(); ++m)
    std::copy(real_matrices[m].second->begin(), real_matrices[m].second->end(), shifted_matrices[m].second->begin());

  auto [loss, gradients] = loss_and_gradients(shape, real, batch);
  EXPECT_DOUBLE_EQ(loss, mean_loss(shape, real, batch));
  EXPECT_GT(loss, 0.0);

  constexpr double kStep = 1e-100;  // no subtraction, so it may be as small as it likes
  const auto gradient_matrices = gradients.named();
  for (size_t m = 0; m < shifted_matrices.size(); ++m) {
    std::vector<std::complex<double>>& matrix = *shifted_matrices[m].second;
    for (size_t i = 0; i < matrix.size(); ++i) {
      matrix[i].imag(kStep);
      const double expected = std::imag(mean_loss(shape, shifted, batch)) / kStep;
      matrix[i].imag(0.0);
      const double actual = (*gradient_matrices[m].second)[i];
      EXPECT_NEAR(actual, expected, 1e-10 * std::abs(expected) + 1e-14) << shifted_matrices[m].first << "[" << i << "]";
    }
  }
}

TEST(ReferenceGradient, EqualsComplexStep) {
  for (const Case& one : shape_matrix(5)) {
    SCOPED_TRACE(one.name());
    expect_complex_step_agrees(one);
  }
}

TEST(ReferenceGradient, EqualsComplexStepForDistances) {
  for (const Case& one : parts_matrix(5)) {
    SCOPED_TRACE(one.name());
    expect_complex_step_agrees(one);
  }
}

// A case small enough to do on paper, so that twins that agree on the wrong formula are caught: width 1, context 2,
// E = (1, -1), W = 1, tokens (0, 1) and the second asked for itself.
TEST(ReferenceLoss, AgreesWithPaper) {
  const Shape shape{.vocab = 2, .context = 2, .width = 1};
  Parameters<double> p(shape);
  p.embedding = {1.0, -1.0};
  p.query = p.key = p.value = {1.0};
  const Sequences batch{.samples = 1, .first_asked = 1, .asked = 1, .tokens = {0, 1}, .targets = {1}, .weights = {1.0}};
  // Scores of the query -1 against keys 1 and -1 are -1 and 1; o = tanh(1) * -1; logits (o, -o).
  const double o = -std::tanh(1.0);
  EXPECT_NEAR(mean_loss(shape, p, batch), std::log(std::exp(o) + std::exp(-o)) + o, 1e-15);
}

// The same by distance: squared distances of the query -1 to keys 1 and -1 are 4 and 0.
TEST(ReferenceLoss, AgreesWithPaperForDistances) {
  Shape shape{.vocab = 2, .context = 2, .width = 1};
  Parameters<double> p(shape);
  p.embedding = {1.0, -1.0};
  p.query = p.key = p.value = {1.0};
  const Sequences batch{.samples = 1, .first_asked = 1, .asked = 1, .tokens = {0, 1}, .targets = {1}, .weights = {1.0}};

  shape.kernel = ScoreKind::distance;
  const double far = std::exp(-4.0), o = (far - 1) / (far + 1);
  EXPECT_NEAR(mean_loss(shape, p, batch), std::log(std::exp(o) + std::exp(-o)) + o, 1e-15);

  // Weights ∝ 1/distance³ and probabilities ∝ 1/distance: with ε = 1e-6 the distances are √(4 + ε) and √ε.
  shape.kernel = ScoreKind::inverse;
  shape.kernel_power = 3;
  shape.harmonic = true;
  shape.logits_power = 1;
  const double weight = std::pow(4.000001, -1.5) / (std::pow(4.000001, -1.5) + 1e9);
  const double mean = 2 * weight - 1;
  const double to_first = std::sqrt((mean - 1) * (mean - 1) + 1e-6),
               to_second = std::sqrt((mean + 1) * (mean + 1) + 1e-6);
  EXPECT_NEAR(mean_loss(shape, p, batch), -std::log(1 / to_second / (1 / to_first + 1 / to_second)), 1e-12);
}

TEST(ReferenceSinusoid, FollowsTheFormula) {
  EXPECT_DOUBLE_EQ(sinusoid(4, 3, 0), std::sin(3.0));
  EXPECT_DOUBLE_EQ(sinusoid(4, 3, 1), std::cos(3.0));
  EXPECT_DOUBLE_EQ(sinusoid(4, 3, 2), std::sin(0.03));
  EXPECT_DOUBLE_EQ(sinusoid(4, 3, 3), std::cos(0.03));
}

}  // namespace
}  // namespace atto::reference

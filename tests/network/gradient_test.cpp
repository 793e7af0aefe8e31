// The SIMD network against the scalar reference in double: loss and every gradient, all shapes, on every instruction
// set.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "reference/engine.h"
#include "reference/shape_matrix.h"

namespace atto::reference::gradient_test {
namespace {

constexpr double kTolerance = 5e-6;  // single precision, summed over up to 512 × 4 terms

void expect_engine_agrees(const Case& one, int samples, int lanes) {
  std::mt19937 random(static_cast<unsigned>(samples));
  const Parameters<double> parameters = random_parameters(one.shape, random);
  const Sequences batch = random_sequences(one, samples, random);
  const Expectation expected = expectation(one.shape, parameters, batch);

  const Network network(config_of(one.shape), BatchShape{one.shape.vocab, one.shape.context, batch.first_asked});
  const std::vector<float> arena = pack(network, parameters);
  on_every_target([&] {
    const EngineResult result = evaluate(network, arena, batch, lanes);
    EXPECT_NEAR(result.loss, expected.loss, 1e-6 * (1 + expected.loss));
    expect_close(unpack(network, one.shape, result.gradients), expected.gradients, expected.scale, kTolerance);
  });
}

// Batches below, at and beyond a group of lanes, in one tile.
TEST(NetworkGradient, EqualsReferenceForEveryShape) {
  for (const Case& one : shape_matrix(5)) {
    for (const int samples : {1, 15, 16, 17}) {
      SCOPED_TRACE(one.name() + " samples " + std::to_string(samples));
      expect_engine_agrees(one, samples, (samples + 15) / 16 * 16);
    }
  }
}

// Batches of many tiles with a ragged last one, and vocabularies that fill no round number of lanes.
TEST(NetworkGradient, EqualsReferenceAcrossTiles) {
  for (const auto& [vocab, samples] : {std::pair(2, 512), std::pair(33, 100)}) {
    for (const Case& one : shape_matrix(vocab)) {
      if (one.shape.context != 4) continue;
      SCOPED_TRACE(one.name() + " vocab " + std::to_string(vocab) + " samples " + std::to_string(samples));
      expect_engine_agrees(one, samples, 48);
    }
  }
}

// The other kernels and the harmonic logits, in one tile and across tiles.
TEST(NetworkGradient, EqualsReferenceForDistances) {
  for (const auto& [samples, vocab, lanes] : {std::array{1, 5, 16}, {16, 5, 16}, {17, 5, 32}, {100, 33, 48}}) {
    for (const Case& one : parts_matrix(vocab)) {
      if (samples > 17 && one.shape.context != 4) continue;
      SCOPED_TRACE(one.name() + " samples " + std::to_string(samples));
      expect_engine_agrees(one, samples, lanes);
    }
  }
}

// The one check that owes nothing to the reference: the engine's loss falls along its own gradient as fast as the
// gradient says.
TEST(NetworkGradient, EqualsFiniteDifferenceOfTheEnginesOwnLoss) {
  for (const Case& one : shape_matrix(5)) {
    SCOPED_TRACE(one.name());
    std::mt19937 random(3);
    const Sequences batch = random_sequences(one, 20, random);
    const Network network(config_of(one.shape), BatchShape{one.shape.vocab, one.shape.context, batch.first_asked});
    const std::vector<float> start = pack(network, random_parameters(one.shape, random));
    const std::vector<float> gradient = evaluate(network, start, batch, 32).gradients;

    double square = 0;
    for (const float slope : gradient) square += static_cast<double>(slope) * slope;
    const double length = std::sqrt(square);
    const auto loss_at = [&](double distance) {
      std::vector<float> moved = start;
      for (size_t i = 0; i < moved.size(); ++i) moved[i] += static_cast<float>(distance * gradient[i] / length);
      return evaluate(network, moved, batch, 32).loss;
    };
    // Fourth order in the step, so that it can be long enough for single precision.
    constexpr double kStep = 0.01;
    const double slope =
        (8 * (loss_at(kStep) - loss_at(-kStep)) - (loss_at(2 * kStep) - loss_at(-2 * kStep))) / (12 * kStep);
    EXPECT_NEAR(slope, length, 1e-3 * length);
  }
}

}  // namespace
}  // namespace atto::reference::gradient_test

// Drives the engine's network with the reference's batches and compares the two.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "kernels/simd/target.h"
#include "network/network.h"
#include "reference/network_reference.h"

namespace atto::reference {

// Runs `check` once on every instruction set of this machine.
template <class Check>
void on_every_target(const Check& check) {
  for (const std::string& target : supported_targets()) {
    SCOPED_TRACE(target);
    pin_target(target);
    check();
  }
  pin_target("");
}

inline NetworkConfig config_of(const Shape& shape) {
  NetworkConfig config;
  config.width = shape.width;
  config.positions = from_word<PositionKind>(name_of(shape.positions));
  config.mask = shape.causal ? Mask::causal : Mask::full;
  config.unembedding = shape.tied ? Tying::tied : Tying::free;
  config.kernel = name_of(shape.kernel);
  config.kernel_power = shape.kernel_power;
  config.logits = shape.harmonic ? Logits::harmonic : Logits::linear;
  config.logits_power = shape.logits_power;
  return config;
}

// The engine's parameter arena as the reference's matrices, and back.
inline Parameters<double> unpack(const Network& network, const Shape& shape, std::span<const float> arena) {
  Parameters<double> parameters(shape);
  for (const auto& [name, values] : parameters.named()) {
    const Matrix* matrix = network.find(name);
    EXPECT_EQ(matrix ? matrix->size() : 0, values->size()) << name;
    if (matrix) std::copy_n(arena.begin() + static_cast<ptrdiff_t>(matrix->offset), values->size(), values->begin());
  }
  return parameters;
}
inline std::vector<float> pack(const Network& network, Parameters<double> parameters) {
  std::vector<float> arena(network.parameter_count());
  for (const auto& [name, values] : parameters.named())
    for (size_t i = 0; i < values->size(); ++i)
      arena[network.find(name)->offset + i] = static_cast<float>((*values)[i]);
  return arena;
}

// What the reference finds, and how large the terms were that it summed: rounding is to be judged by these and not by
// the sum, which may cancel.
struct Expectation {
  double loss = 0;
  Parameters<double> gradients;
  Parameters<double> scale;  // Σ over the samples of the size of each one's gradient, times how doubtful it is
};

// How much larger than the rounding of its arguments that of e^score may be. A squared distance is rounded in
// proportion to its size, which the exponential turns into a relative error; the slope of ln ‖a - b‖ is 1/‖a - b‖, so
// scores by inverse distance lose as many digits as a - b does.
inline double doubt(const Score& score, const double* a, const double* b, int width) {
  if (score.kind == ScoreKind::distance) return 1 + std::abs(score_forward(score, a, b, width));
  if (score.kind != ScoreKind::inverse) return 1;
  double size = 0;
  for (int d = 0; d < width; ++d) size += a[d] * a[d] + b[d] * b[d];
  return 1 + std::sqrt(size / (squared_distance(a, b, width) + kCoincident));
}
// The largest among the scores of the sequence `act` belongs to.
inline double doubt(const Shape& shape, const Parameters<double>& p, const Sequences& batch,
                    const Activations<double>& act) {
  const int C = shape.context, D = shape.width;
  const std::vector<double>& U = shape.tied ? p.embedding : p.unembedding;
  double most = 1;
  for (int i = batch.first_asked; i < C; ++i) {
    for (int j = 0; j < (shape.causal ? i + 1 : C); ++j)
      most = std::max(most, doubt(shape.attention(), &at(act.q, D, i, 0), &at(act.k, D, j, 0), D));
    for (int v = 0; v < shape.vocab; ++v)
      most = std::max(most, doubt(shape.logits(), &at(U, D, v, 0), &at(act.o, D, i, 0), D));
  }
  return most;
}

inline Expectation expectation(const Shape& shape, const Parameters<double>& parameters, const Sequences& batch) {
  Expectation result{0, Parameters<double>(shape), Parameters<double>(shape)};
  const double share = 1.0 / (batch.samples * batch.asked);
  const auto sums = result.gradients.named(), scales = result.scale.named();
  Activations<double> act(shape);
  for (int b = 0; b < batch.samples; ++b) {
    result.loss += share * forward(shape, parameters, batch, b, act);
    Parameters<double> gradients(shape);
    backward(shape, parameters, batch, b, act, share, gradients);
    const double doubtful = doubt(shape, parameters, batch, act);
    const auto terms = gradients.named();
    for (size_t m = 0; m < terms.size(); ++m) {
      for (size_t i = 0; i < terms[m].second->size(); ++i) {
        const double term = (*terms[m].second)[i];
        (*sums[m].second)[i] += term;
        (*scales[m].second)[i] += doubtful * std::abs(term);
      }
    }
  }
  return result;
}

// Each matrix to within `tolerance` of the largest entry of its scale, plus a rounding of the largest of all: a matrix
// that is zero by symmetry (the query's gradient when there is one key) has no scale of its own.
inline void expect_close(Parameters<double> actual, Parameters<double> expected, Parameters<double> scale,
                         double tolerance) {
  const auto largest = [](const std::vector<double>& values) {
    double most = 0;
    for (const double value : values) most = std::max(most, std::abs(value));
    return most;
  };
  const auto actual_matrices = actual.named(), expected_matrices = expected.named(), scales = scale.named();
  double overall = 0;
  for (const auto& [name, values] : scales) overall = std::max(overall, largest(*values));
  for (size_t m = 0; m < expected_matrices.size(); ++m) {
    const auto& [name, want] = expected_matrices[m];
    const double allowed = tolerance * largest(*scales[m].second) + 1e-7 * overall;
    for (size_t i = 0; i < want->size(); ++i)
      EXPECT_NEAR((*actual_matrices[m].second)[i], (*want)[i], allowed) << name << "[" << i << "]";
  }
}
inline void expect_close(const Parameters<double>& actual, const Parameters<double>& expected, double tolerance) {
  expect_close(actual, expected, expected, tolerance);
}

struct EngineResult {
  double loss = 0;               // mean over the batch
  std::vector<float> gradients;  // arena
};

// Loss and gradients of `batch`, cut into tiles of `lanes` samples.
inline EngineResult evaluate(const Network& network, std::span<const float> parameters, const Sequences& batch,
                             int lanes) {
  Workspace work = network.make_workspace(lanes);
  EngineResult result;
  result.gradients.resize(network.parameter_count());
  const double share = 1.0 / (batch.samples * batch.asked);
  const int C = network.context(), A = C - batch.first_asked;
  for (int first = 0; first < batch.samples; first += lanes) {
    work.batch().samples = std::min(lanes, batch.samples - first);
    for (int lane = 0; lane < lanes; ++lane) {
      const bool real = lane < work.batch().samples;
      for (int t = 0; t < C; ++t)
        work.batch().tokens[t * lanes + lane] = real ? at(batch.tokens, C, first + lane, t) : 0;
      for (int a = 0; a < A; ++a) {
        work.batch().targets[a * lanes + lane] = real ? at(batch.targets, A, first + lane, a) : 0;
        work.batch().weights[a * lanes + lane] =
            real ? static_cast<float>(at(batch.weights, A, first + lane, a)) : 0.0f;
      }
    }
    network.loss_and_gradient(parameters.data(), result.gradients.data(), work, static_cast<float>(share));
  }
  network.finish_gradients(result.gradients.data(), work);
  result.loss = work.sums.loss * share;
  return result;
}

}  // namespace atto::reference

// The shapes every network test walks.
#pragma once

#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "reference/network_reference.h"

namespace atto::reference {

struct Case {
  Shape shape;
  bool every = false;  // asked at every position, else at the last

  std::string name() const {
    return "D" + std::to_string(shape.width) + "_C" + std::to_string(shape.context) + (every ? "_every" : "_last") +
           (shape.causal ? "_causal" : "_full") + (shape.tied ? "_tied_" : "_free_") + name_of(shape.positions) + "_" +
           name_of(shape.kernel) + (shape.harmonic ? "_harmonic" : "_linear");
  }
};

inline void PrintTo(const Case& one, std::ostream* out) { *out << one.name(); }

// Dot kernel and linear logits: all widths, contexts and switches, each combination once.
inline std::vector<Case> shape_matrix(int vocab) {
  std::vector<Case> cases;
  for (const int width : {1, 2, 3, 10})
    for (const int context : {1, 2, 4, 7})
      for (const bool every : {false, true})
        for (const bool causal : {true, false})
          for (const bool tied : {true, false})
            for (const Positions positions : {Positions::none, Positions::learned, Positions::sinusoidal})
              cases.push_back({{vocab, context, width, positions, causal, tied}, every});
  return cases;
}

// Every other pair of attention kernel and logits: all widths and switches at one context, others at one width.
// Positions take turns, so that each kind meets each value of each switch.
inline std::vector<Case> parts_matrix(int vocab) {
  std::vector<Case> cases;
  for (const ScoreKind kernel : {ScoreKind::dot, ScoreKind::distance, ScoreKind::inverse})
    for (const bool harmonic : {false, true}) {
      if (kernel == ScoreKind::dot && !harmonic) continue;
      for (const auto& [width, context] : {std::pair(1, 4), {2, 4}, {3, 4}, {10, 4}, {3, 1}, {3, 7}})
        for (const bool every : {false, true})
          for (const bool causal : {true, false})
            for (const bool tied : {true, false}) {
              const Positions positions = every ^ causal ^ tied ? Positions::learned : Positions::none;
              cases.push_back({{vocab, context, width, positions, causal, tied, kernel, 3.0, harmonic, 1.5}, every});
            }
    }
  return cases;
}

// Weights of the size networks start with, so that attention is neither flat nor saturated at any width.
inline Parameters<double> random_parameters(const Shape& shape, std::mt19937& random) {
  Parameters<double> parameters(shape);
  std::normal_distribution<float> normal(0.0f, 1.0f / std::sqrt(static_cast<float>(shape.width)));
  for (const auto& [name, values] : parameters.named())
    for (double& value : *values) value = normal(random);  // exact in single precision
  return parameters;
}

// Random tokens; asked for the successor of each, shifted by the position, a third of the time not at all. Unlike
// random answers these have something to learn, so that gradients of large batches do not cancel down to rounding.
inline Sequences random_sequences(const Case& one, int samples, std::mt19937& random) {
  const int V = one.shape.vocab, C = one.shape.context;
  Sequences batch;
  batch.samples = samples;
  batch.first_asked = one.every ? 0 : C - 1;
  batch.asked = C - batch.first_asked;
  std::uniform_int_distribution<int> token(0, V - 1);
  for (int b = 0; b < samples; ++b) {
    for (int t = 0; t < C; ++t) batch.tokens.push_back(token(random));
    for (int t = batch.first_asked; t < C; ++t) {
      batch.targets.push_back((at(batch.tokens, C, b, t) + 1 + t) % V);
      batch.weights.push_back(one.every && (b + t) % 3 == 1 ? 0.0 : 1.0);
    }
  }
  return batch;
}

}  // namespace atto::reference

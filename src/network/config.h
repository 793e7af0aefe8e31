// What learns: the shape of the network.
#pragma once

#include <cstdint>
#include <string>

#include "numeric/fields.h"

namespace atto {

struct NetworkConfig {
  std::string form = "attention";    // attention | scores: y = W Σ_t softmax(a)_t x_t with free scores a
  int64_t width = 2;                 // D, features of an embedding
  std::string positions = "none";    // none | learned | sinusoidal
  std::string mask = "causal";       // causal | full
  std::string kernel = "dot";        // attention scores: dot | distance | inverse
  double kernel_power = 2.0;         // inverse: n of the weights ∝ 1/distance^n
  std::string logits = "linear";     // linear: u·o | harmonic: probabilities ∝ 1/‖o - u‖^n
  double logits_power = 2.0;         // harmonic: its n
  std::string unembedding = "tied";  // tied: the embedding's own rows | free: a matrix of its own
  std::string init = "uniform";      // uniform in ±scale/√D | normal with deviation scale/√D
  double init_scale = 1.0;
  double position_scale = 1.0;  // learned positions start N(0, scale²)
};

void describe(Fields& fields, NetworkConfig& config);
void validate(const NetworkConfig& config);

}  // namespace atto

// What learns: the shape of the network.
#pragma once

#include <cstdint>
#include <string>

#include "base/fields.h"

namespace atto {

struct NetworkConfig {
  std::string form = "attention";    // attention | scores: y = W Σ_t softmax(a)_t x_t with free scores a
  int64_t width = 2;                 // D, features of an embedding
  std::string positions = "none";    // none | learned | sinusoidal
  std::string mask = "causal";       // causal | full
  std::string kernel = "dot";        // attention scores: dot | distance | inverse | none: the position bias alone
  double kernel_power = 2.0;         // inverse: n of the weights ∝ 1/distance^n
  std::string logits = "linear";     // linear: u·o | harmonic: probabilities ∝ 1/‖o - u‖^n
  double logits_power = 2.0;         // harmonic: its n
  std::string unembedding = "tied";  // tied: the embedding's own rows | free: a matrix of its own
  std::string init = "uniform";      // uniform in ±scale/√D | normal with deviation scale/√D
  double init_scale = 1.0;
  double position_scale = 1.0;         // learned positions start N(0, scale²)
  double embedding_scale = 0.0;        // the table of tokens starts N(0, scale²); 0: as the other matrices
  int64_t layers = 1;                  // L, blocks
  int64_t heads = 1;                   // H; the values of a head have D/H features
  int64_t head_width = 0;              // K, features of a head's queries and keys; 0: D/H
  bool output = false;                 // W_O after the heads
  bool residual = false;               // x + attention(x), x + mlp(x)
  std::string mlp = "none";            // none | gelu | relu
  int64_t mlp_factor = 4;              // hidden features / D
  std::string norm = "none";           // none | pre: layer norm before attention, MLP and read-out
  bool biases = false;                 // on every linear map
  int64_t window = 0;                  // a query sees keys at most so far away; 0: all
  int64_t stride = 1;                  // a query sees every stride-th key, counted from itself
  std::string position_bias = "none";  // none | slope: -m_h |i-j| | free: b_h[i-j], added to scores
};

void describe(Fields& fields, NetworkConfig& config);
void validate(const NetworkConfig& config);

// Whether it is more than one layer of one head with nothing around it.
bool needs_blocks(const NetworkConfig& config);

// Whether the order of the tokens before the last one can make a difference to its answer at the last position.
bool sees_order(const NetworkConfig& config);

}  // namespace atto

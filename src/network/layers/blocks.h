// The parts of a transformer block, one file each; transformer.cpp puts them together.
//
//   attention:  x + W_O concat_h(softmax(q_h·k_h/√K + bias_h) v_h) + b_O     with q, k, v maps of norm(x)
//   mlp:        x + W_out act(W_in norm(x) + b_in) + b_out
//   linear:     x + W norm(x) + b
//
// Each "x +", norm and bias may be absent, attention has other forms, and the parts stand in any order.
#pragma once

#include <memory>
#include <string>

#include "kernels/wide/wide_kernels.h"
#include "network/config.h"
#include "network/layer.h"
#include "network/layers/residual.h"
#include "network/layers/starting_weights.h"
#include "network/layout.h"

namespace atto {

// What the parts of a block need to know of the network.
struct BlockConfig {
  explicit BlockConfig(const NetworkConfig& config);

  int heads, key_width;  // H; K, width of a head's queries and keys
  ScoreForm scores;
  float scale;  // of scores, as HeadsShape has it
  Normalizer normalizer;
  bool rotary, qk_norm;  // what is done to queries and keys
  bool gate, output;     // W_G, W_O
  bool biases;
  int mlp_factor;
  BiasKind position_bias;
  AttentionMask mask;
  StartingWeights start;
  Layout::Sums sums = Layout::Sums::plain;  // of the gradients of matrices; by_lane: of a narrow network
  bool keep_scores = false;                 // attention leaves its scores at "layer.0.attention.scores"

  bool scored() const { return scale != 0; }  // else scores are the position bias alone, without queries and keys
  // Whether the weights of a query that sees anything add up to 1.
  bool sums_to_one() const { return normalizer == Normalizer::softmax && mask.own; }
  // The name of a bias where there are biases; else empty.
  std::string bias_name(const std::string& name) const { return biases ? name : ""; }
};

// Layer norm of `input` into `output`; its gradient is added to what `input` has when `add`.
std::unique_ptr<Layer> make_norm(Layout& layout, const std::string& name, const Stream& input, const Stream& output,
                                 bool add);

// Attention of H heads at the positions of `output` over those of `input`, and W_O.
std::unique_ptr<Layer> make_heads(Layout& layout, const BlockConfig& config, int index, const Residual& residual,
                                  const Stream& input, const Stream& output);
// The same for an output of one position, C times cheaper: keys and values are never formed.
std::unique_ptr<Layer> make_last_query(Layout& layout, const BlockConfig& config, int index, const Residual& residual,
                                       const Stream& input, const Stream& output);

// An MLP, at every position alike; `prefix` opens the names of its matrices: "blocks.0.mlp.".
using MakeMlp = std::unique_ptr<Layer> (*)(Layout& layout, const BlockConfig& config, const std::string& prefix,
                                           const Residual& residual, const Stream& input, const Stream& output);
MakeMlp mlp_maker(const NetworkConfig& config);  // nullptr: it has none

// A nonlinearity, number by number: y = act(x), and dx = dy act'(x), where dx may be dy.
struct Nonlinearity {
  void (*forward)(const float* x, float* y, size_t count);
  void (*backward)(const float* x, const float* dy, float* dx, size_t count);
};
// The usual MLP, W_out act(W_in x + b_in) + b_out.
std::unique_ptr<Layer> make_two_layer_mlp(Layout& layout, const BlockConfig& config, const std::string& prefix,
                                          const Residual& residual, const Stream& input, const Stream& output,
                                          const Nonlinearity& nonlinearity);

// One map W x + b at every position, named prefix + "W": "blocks.0.linear.W".
std::unique_ptr<Layer> make_linear(Layout& layout, const BlockConfig& config, const std::string& prefix,
                                   const Residual& residual, const Stream& input, const Stream& output);

// The positions of `stream` from `first` on, as a stream over the same rows. The layer that it stands for moves
// nothing; on the way back it clears the gradient of the others.
Stream from_position(const Stream& stream, int first);
std::unique_ptr<Layer> make_from_position(const Stream& stream, int first);

// Vectors → x[C][D] = W_in input + b_in
std::unique_ptr<Layer> make_input_map(Layout& layout, const BlockConfig& config, int inputs, const Stream& output);
// x → y[Q][outputs] = W_U x + b_U; with `tied` W_U is that matrix.
std::unique_ptr<Layer> make_readout(Layout& layout, const BlockConfig& config, const Matrix* tied, const Stream& input,
                                    const Stream& output);

// Mean cross-entropy of logits; mean of half the squared error of answers.
std::unique_ptr<Loss> make_cross_entropy(const Stream& logits);
std::unique_ptr<Loss> make_squared_error(const Stream& answers);

}  // namespace atto

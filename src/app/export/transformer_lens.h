// Weight matrices in TransformerLens' shapes.
//
// The store keeps a matrix as [out][in], for y = W x. TransformerLens means x W, with a leading axis of heads in
// attention, and its names are ours, so what is exported under them has to be in its shapes:
//   attn.W_Q, W_K, W_V   [n_heads, d_model, d_head]      attn.b_Q, b_K, b_V   [n_heads, d_head]
//   attn.W_O             [n_heads, d_head, d_model]      mlp.W_in, W_out      [d_model, d_mlp], [d_mlp, d_model]
//   W_E, W_pos           [d_vocab, d_model], [n_ctx, d_model]        W_U      [d_model, d_vocab]
// and all other biases and the norms' weights are vectors. What TransformerLens does not have follows the same rule:
// the input matrix of vectors, W_in, is [features, d_model]; attn.slope is [n_heads], attn.bias [n_heads, 2 n_ctx - 1].
#pragma once

#include <cstdint>
#include <vector>

#include "app/export/safetensors.h"
#include "observe/recording.h"

namespace atto {

// `heads` of the network whose weights they are.
std::vector<NamedTensor> transformer_lens_tensors(const std::vector<WeightMatrix>& weights, int64_t heads);

}  // namespace atto

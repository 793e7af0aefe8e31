// The makers of the layers and of the head, one file each; network.cpp puts them together.
#pragma once

#include <memory>
#include <string>

#include "network/layer.h"
#include "network/layout.h"

namespace atto {

// tokens → x[C][D] = W_E[token]
std::unique_ptr<Layer> make_embedding(const Matrix& table, const Stream& output);

// x += deviation · N(0, 1) where the pass has noise; the gradient passes through as it is.
void add_embedding_noise(const Pass& pass, const Stream& stream);

// x[c] += W_pos[c], learned
std::unique_ptr<Layer> make_learned_positions(const Matrix& table, const Stream& stream);
// x[c][2i] += sin(c / 10000^(2i/D)), x[c][2i+1] += cos(same)
std::unique_ptr<Layer> make_sinusoidal_positions(const Stream& stream);

// Logits and the mean cross-entropy at the positions of `input`. harmonic_power 0 means linear logits U·o.
std::unique_ptr<Loss> make_unembedding(Layout& layout, const Matrix& table, double harmonic_power, const Stream& input);

}  // namespace atto

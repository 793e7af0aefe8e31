// How a network's layers are put together from its configuration.
#pragma once

#include <memory>
#include <vector>

#include "kernels/wide/wide_kernels.h"
#include "network/config.h"
#include "network/layer.h"
#include "network/layout.h"

namespace atto {

struct Assembly {
  std::vector<std::unique_ptr<Layer>> layers;
  std::unique_ptr<Loss> loss;
};

// What a network leaves for observers that its training does not need.
enum class Keep { nothing, scores };  // scores: of attention, at "layer.0.attention.scores", like the pattern

// At most one layer of one head and nothing else, the network of tiny widths: see attention/dot_product.cpp for what
// makes it fast.
Assembly assemble_single_head(Layout& layout, const NetworkConfig& config, const BatchShape& shape, Keep keep);
// Everything beyond that.
Assembly assemble_transformer(Layout& layout, const NetworkConfig& config, const BatchShape& shape, Keep keep);

// Which keys a query sees, in every layer.
AttentionMask attention_mask(const NetworkConfig& config);

// W_pos or sinusoids added to the stream, as network.positions says.
void add_positions(Layout& layout, const NetworkConfig& config, const Stream& stream, Assembly& assembly);

}  // namespace atto

// What stands between a network's embedding and its read-out, part by part.
#pragma once

#include <string>
#include <vector>

#include "network/config.h"

namespace atto {

enum class PartKind { attention, mlp, linear };

template <>
struct EnumWords<PartKind> {
  static constexpr std::array words{"attention", "mlp", "linear"};
};

struct StackPart {
  PartKind kind;
  int block;  // its matrices are "blocks.<block>...."
};

// The parts in order. Within a block attention comes first, then an MLP, then a linear map, each at most once; a part
// that does not fit behind its predecessor opens the next block.
std::vector<StackPart> stack_of(const NetworkConfig& config);

// The blocks that have attention: "layer.<block>" opens the addresses of what is observed of it.
std::vector<int> attention_blocks(const NetworkConfig& config);
int block_count(const NetworkConfig& config);

// The words that network.stack may have.
std::vector<std::string> stack_words();
// Whether the stack is what network.layers and network.mlp say.
bool stack_is_shorthand(const NetworkConfig& config);

}  // namespace atto

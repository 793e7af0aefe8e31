#include "network/stack.h"

#include "network/parts.h"

namespace atto {
namespace {

constexpr const char* kShorthand = "blocks";

}  // namespace

bool stack_is_shorthand(const NetworkConfig& config) {
  return config.stack.size() == 1 && config.stack.front() == kShorthand;
}

std::vector<std::string> stack_words() {
  std::vector<std::string> words{kShorthand};
  for (const char* word : EnumWords<PartKind>::words) words.emplace_back(word);
  return words;
}

std::vector<StackPart> stack_of(const NetworkConfig& config) {
  std::vector<StackPart> parts;
  if (stack_is_shorthand(config)) {
    for (int block = 0; block < config.layers; ++block) {
      parts.push_back({PartKind::attention, block});
      if (has_mlp(config)) parts.push_back({PartKind::mlp, block});
    }
    return parts;
  }
  for (const std::string& word : config.stack) {
    const PartKind kind = from_word<PartKind>(word);
    const bool opens = !parts.empty() && kind <= parts.back().kind;
    parts.push_back({kind, parts.empty() ? 0 : parts.back().block + (opens ? 1 : 0)});
  }
  return parts;
}

std::vector<int> attention_blocks(const NetworkConfig& config) {
  std::vector<int> blocks;
  for (const StackPart& part : stack_of(config))
    if (part.kind == PartKind::attention) blocks.push_back(part.block);
  return blocks;
}

int block_count(const NetworkConfig& config) {
  const std::vector<StackPart> parts = stack_of(config);
  return parts.empty() ? 0 : parts.back().block + 1;
}

}  // namespace atto

// Which settings of a network go together. What would have no effect is refused as well: nothing trains another network
// than the one that was asked for.
#include <algorithm>

#include "base/error.h"
#include "network/config.h"
#include "network/parts.h"
#include "network/stack.h"

namespace atto {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& remedy) {
  throw Error(ErrorKind::config, what, remedy);
}

std::string quoted(const char* key, const std::string& value) { return std::string(key) + " = \"" + value + "\""; }

// A setting that only attention has, where it is not at its default; empty: there is none.
std::string attention_setting(const NetworkConfig& config) {
  const NetworkConfig plain;
  const auto number = [](const char* key, int64_t value) { return std::string(key) + " = " + std::to_string(value); };
  if (config.heads != plain.heads) return number("network.heads", config.heads);
  if (config.head_width != plain.head_width) return number("network.head_width", config.head_width);
  if (config.window != plain.window) return number("network.window", config.window);
  if (config.stride != plain.stride) return number("network.stride", config.stride);
  if (config.output) return "network.output = true";
  if (config.qk_norm) return "network.qk_norm = true";
  if (config.gate) return "network.gate = true";
  if (config.mask != plain.mask) return setting("network.mask", config.mask);
  if (config.kernel != plain.kernel) return quoted("network.kernel", config.kernel);
  if (config.position_bias != plain.position_bias) return setting("network.position_bias", config.position_bias);
  if (config.normalizer != plain.normalizer) return setting("network.normalizer", config.normalizer);
  if (config.positions == PositionKind::rotary) return setting("network.positions", config.positions);
  return "";
}

void validate_stack(const NetworkConfig& config) {
  constexpr size_t kMost = 128;
  if (stack_is_shorthand(config)) return;
  const std::vector<std::string>& words = config.stack;
  if (std::find(words.begin(), words.end(), stack_words().front()) != words.end())
    refuse(
        "network.stack has \"blocks\" among other parts: it stands for the whole stack that network.layers and "
        "network.mlp say",
        "name the parts one by one: attention, mlp, linear");
  if (words.size() > kMost)
    refuse("network.stack has " + std::to_string(words.size()) + " parts, of at most " + std::to_string(kMost),
           "take a shorter stack");
  if (config.layers != NetworkConfig().layers)
    refuse("network.layers = " + std::to_string(config.layers) + " has no effect where network.stack is given",
           "leave network.layers alone: the stack has as many layers as it names");
  const std::vector<StackPart> stack = stack_of(config);
  const auto has = [&](PartKind kind) {
    return std::any_of(stack.begin(), stack.end(), [&](const StackPart& part) { return part.kind == kind; });
  };
  if (has(PartKind::mlp) && !has_mlp(config))
    refuse("network.stack has an mlp, but network.mlp = \"none\"", "say which: network.mlp = \"gelu\" or \"relu\"");
  if (has_mlp(config) && !has(PartKind::mlp))
    refuse(quoted("network.mlp", config.mlp) + " has no effect: network.stack has no mlp",
           "put \"mlp\" into network.stack, or leave network.mlp alone");
  if (config.residual && stack.empty())
    refuse("network.residual = true has no effect: network.stack is empty", "set network.residual = false");
  if (has(PartKind::attention)) return;
  if (const std::string set = attention_setting(config); !set.empty())
    refuse(set + " has no effect: network.stack has no attention",
           "put \"attention\" into network.stack, or leave the settings of attention at their defaults");
}

void validate_queries(const NetworkConfig& config) {
  const bool rotary = config.positions == PositionKind::rotary;
  const int64_t key_width = config.head_width > 0 ? config.head_width : config.width / config.heads;
  const AttentionForm& form = attention_form(config);
  const bool scored = form.scale == nullptr || form.scale(config, static_cast<int>(key_width)) != 0;
  if (!scored && (rotary || config.qk_norm))
    refuse((rotary ? setting("network.positions", config.positions) : "network.qk_norm = true") +
               " has no effect: with " + quoted("network.kernel", config.kernel) + " there are no queries and keys",
           "take the kernel dot, distance or inverse");
  if (rotary && key_width == 1)
    refuse("network.positions = \"rotary\" turns pairs of features, but queries and keys have one",
           "take network.width / network.heads, or network.head_width, of at least 2");
}

}  // namespace

void validate(const NetworkConfig& config) {
  const std::string heads = std::to_string(config.heads), width = std::to_string(config.width);
  if (config.width % config.heads != 0)
    refuse("network.heads = " + heads + " does not divide network.width = " + width +
               ": the values of a head have width/heads features",
           "take a width that is a multiple of the heads");
  if (config.heads > 1 && !config.output)
    refuse("network.heads = " + heads + " needs network.output = true: without W_O the heads would never mix",
           "set network.output = true, or take one head");
  validate_stack(config);
  validate_queries(config);
  const AttentionForm& form = attention_form(config);
  if (form.in_blocks && form.scale(config, 1) == 0 && config.position_bias == BiasKind::none)
    refuse(quoted("network.kernel", config.kernel) + " leaves attention no scores",
           "set network.position_bias to slope or free, or network.kernel to dot");
  if (!form.in_blocks && (needs_blocks(config) || !plain_attention(config)))
    refuse(quoted("network.kernel", config.kernel) + " exists for one layer of one plain head alone",
           "leave network.layers, stack, heads, output, residual, mlp, norm, biases, window, stride, position_bias, "
           "normalizer, qk_norm and gate at their defaults, or take the kernel dot, distance or inverse");
  if (needs_blocks(config) && config.logits == Logits::harmonic)
    refuse(
        "network.logits = \"harmonic\" exists for one layer of one head alone",
        "leave network.layers, heads, output, residual, mlp, norm, biases, window, stride and position_bias at their "
        "defaults, or take linear logits");
}

}  // namespace atto

#include "spec/flops.h"

namespace atto {
namespace {

constexpr double kPerMultiplyAdd = 6;  // forward 2, backward 4

// Multiply-adds of one sequence, forward.
double sequence_multiply_adds(const NetworkConfig& network, const BatchShape& shape) {
  const double width = static_cast<double>(network.width), context = shape.context;
  const double heads = static_cast<double>(network.heads);
  const double scored = network.head_width > 0 ? heads * static_cast<double>(network.head_width) : width;
  const double hidden = static_cast<double>(network.mlp_factor) * width;
  double count = shape.vectors() ? context * shape.inputs * width : 0;  // a table of tokens is looked up
  for (const StackPart& part : stack_of(network)) {
    switch (part.kind) {
      case PartKind::attention:
        count += context * width * (2 * scored + width);  // queries, keys, values
        count += context * context * (scored + width);    // scores, and the sum of values
        if (network.output) count += context * width * width;
        break;
      case PartKind::mlp:
        count += context * 2 * hidden * width;
        break;
      case PartKind::linear:
        count += context * width * width;
        break;
    }
  }
  return count + shape.asked() * width * (shape.vectors() ? shape.outputs : shape.vocabulary);
}

}  // namespace

std::optional<double> flops_per_step(const RunSpec& spec) {
  const AttentionSpec* attention = spec.attention();
  if (attention == nullptr) return std::nullopt;
  return kPerMultiplyAdd * static_cast<double>(attention->sequences) *
         sequence_multiply_adds(spec.config().network, attention->task.shape);
}

}  // namespace atto

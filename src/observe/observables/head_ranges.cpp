#include "observe/observables/head_ranges.h"

#include "network/stack.h"

namespace atto {

std::vector<HeadRange> head_ranges(const NetworkConfig& network) {
  const int heads = static_cast<int>(network.heads);
  std::vector<HeadRange> ranges;
  for (const int l : attention_blocks(network)) {
    const std::string layer = "layer." + std::to_string(l), pattern = layer + ".attention.pattern";
    const std::string scores = layer + ".attention.scores";
    const std::string whose = "layer " + std::to_string(l);
    ranges.push_back({layer + ".attention", pattern, scores, whose, 0, heads});
    for (int h = 0; h < heads && heads > 1; ++h)
      ranges.push_back({layer + ".head." + std::to_string(h), pattern, scores,
                        "head " + std::to_string(h) + " of " + whose, h, h + 1});
  }
  return ranges;
}

}  // namespace atto

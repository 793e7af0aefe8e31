#include "network/attention/attention_head.h"

#include "network/assembly.h"

namespace atto {

AttentionHead::AttentionHead(Layout& layout, const NetworkConfig& config, int index, Init init, const Stream& input,
                             const Stream& output)
    : input_(input), output_(output), causal_(attention_mask(config).causal) {
  const int d = input.features, q = output.positions;
  const std::string block = "blocks." + std::to_string(index) + ".attn.";
  query_ = layout.matrix(block + "W_Q", d, d, init);
  key_ = layout.matrix(block + "W_K", d, d, init);
  value_ = layout.matrix(block + "W_V", d, d, init);
  queries_ = layout.rows(q * d);
  means_ = layout.rows(q * d);
  pattern_ = layout.named_rows("layer." + std::to_string(index) + ".attention.pattern", q * input.positions);
  dmean_ = layout.rows(d);
  dquery_ = layout.rows(d);
  dscores_ = layout.rows(input.positions + 2 * d);
}

}  // namespace atto

#include "network/attention_head.h"

namespace atto {

AttentionHead::AttentionHead(Plan& plan, int index, bool causal, Init init, const Stream& input, const Stream& output)
    : input_(input), output_(output), causal_(causal) {
  const int d = input.features, q = output.positions;
  const std::string block = "blocks." + std::to_string(index) + ".attn.";
  query_ = plan.matrix(block + "W_Q", d, d, init);
  key_ = plan.matrix(block + "W_K", d, d, init);
  value_ = plan.matrix(block + "W_V", d, d, init);
  queries_ = plan.rows(q * d);
  means_ = plan.rows(q * d);
  pattern_ = plan.named_rows("layer." + std::to_string(index) + ".attention.pattern", q * input.positions);
  dmean_ = plan.rows(d);
  dquery_ = plan.rows(d);
  dscores_ = plan.rows(input.positions + 2 * d);
}

}  // namespace atto

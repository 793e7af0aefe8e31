// The parts of a network that come by name: forms of attention (network.kernel) and MLPs (network.mlp). A new one is
// one file and one line: docs/adding-an-attention-form.md, docs/adding-a-network-part.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "network/config.h"
#include "network/layer.h"

namespace atto {

// What an attention form's file says of it; attention/registry.cpp has the list.
struct AttentionForm {
  // One head with nothing around it, over the tokens of `input` at the positions of `output`, in layer `index` with
  // matrices that start as `init` says. nullptr where the form exists in blocks alone.
  std::unique_ptr<Layer> (*one_head)(Layout& layout, const NetworkConfig& config, int index, Init init,
                                     const Stream& input, const Stream& output) = nullptr;
  // The heads of blocks know it (attention/every_query.cpp), by these scores ...
  std::optional<ScoreForm> in_blocks = std::nullopt;
  // ... with this factor, for queries and keys of `width` features; 0: the position bias is the whole score.
  double (*scale)(const NetworkConfig& config, int width) = nullptr;

  bool dot_product() const { return one_head != nullptr && in_blocks == ScoreForm::dot; }
};

const AttentionForm& attention_form(const NetworkConfig& config);
std::vector<std::string> attention_form_names();

// "none", which is no MLP at all, and those of layers/registry.cpp.
std::vector<std::string> mlp_names();
bool has_mlp(const NetworkConfig& config);

}  // namespace atto

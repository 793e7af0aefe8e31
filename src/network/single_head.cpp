#include "network/assembly.h"
#include "network/layers/blocks.h"
#include "network/layers/layers.h"
#include "network/layers/starting_weights.h"
#include "network/parts.h"
#include "network/stack.h"

namespace atto {
namespace {

// The head of a network that is nothing else, at the positions of `output`. Those that every study of tiny networks
// uses have kernels of their own; the others take those of blocks.
std::unique_ptr<Layer> make_only_head(Layout& layout, const NetworkConfig& config, Init init, const Stream& input,
                                      const Stream& output, Keep keep) {
  const AttentionForm& form = attention_form(config);
  const bool scores = keep == Keep::scores && form.in_blocks;
  if (plain_attention(config) && !scores) return form.one_head(layout, config, 0, init, input, output);
  BlockConfig block(config);
  block.keep_scores = scores;
  if (input.features <= kNarrowWidth) block.sums = Layout::Sums::by_lane;
  return (output.positions == 1 ? make_last_query : make_heads)(layout, block, 0, Residual(), input, output);
}

}  // namespace

Assembly assemble_single_head(Layout& layout, const NetworkConfig& config, const BatchShape& shape, Keep keep) {
  Assembly assembly;
  const int d = static_cast<int>(config.width);
  const Init init = StartingWeights(config).matrix(d);

  const Matrix embedding = layout.matrix("W_E", shape.vocabulary, d, StartingWeights(config).embedding(d));
  const Stream x = layout.stream(0, shape.context, d);
  assembly.layers.push_back(make_embedding(embedding, x));
  add_positions(layout, config, x, assembly);

  Stream o = from_position(x, shape.first_asked);
  if (stack_of(config).empty()) {
    assembly.layers.push_back(make_from_position(x, shape.first_asked));
  } else {
    o = layout.stream(shape.first_asked, shape.asked(), d);
    assembly.layers.push_back(make_only_head(layout, config, init, x, o, keep));
  }

  const Matrix unembedding =
      config.unembedding == Tying::tied ? embedding : layout.matrix("W_U", shape.vocabulary, d, init);
  assembly.loss = make_unembedding(layout, unembedding, config.logits == Logits::harmonic ? config.logits_power : 0, o);
  return assembly;
}

void add_positions(Layout& layout, const NetworkConfig& config, const Stream& stream, Assembly& assembly) {
  if (config.positions == PositionKind::learned) {
    const Matrix table =
        layout.matrix("W_pos", stream.positions, stream.features, {Init::Kind::normal, config.position_scale});
    assembly.layers.push_back(make_learned_positions(table, stream));
  } else if (config.positions == PositionKind::sinusoidal) {
    assembly.layers.push_back(make_sinusoidal_positions(stream));
  }
}

}  // namespace atto

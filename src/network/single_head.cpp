#include "network/assembly.h"
#include "network/layers/layers.h"
#include "network/layers/starting_weights.h"
#include "network/parts.h"

namespace atto {

Assembly assemble_single_head(Layout& layout, const NetworkConfig& config, const BatchShape& shape) {
  Assembly assembly;
  const int d = static_cast<int>(config.width);
  const Init init = StartingWeights(config).matrix(d);

  const Matrix embedding = layout.matrix("W_E", shape.vocabulary, d, StartingWeights(config).embedding(d));
  const Stream x = layout.stream(0, shape.context, d);
  assembly.layers.push_back(make_embedding(embedding, x));
  add_positions(layout, config, x, assembly);

  const Stream o = layout.stream(shape.first_asked, shape.asked(), d);
  assembly.layers.push_back(attention_form(config).one_head(layout, config, 0, init, x, o));

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

#include <cmath>

#include "network/assembly.h"
#include "network/layers/layers.h"
#include "network/layers/starting_weights.h"

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
  const bool causal = attention_mask(config).causal;
  if (config.kernel == Kernel::dot) {
    assembly.layers.push_back(make_attention(layout, 0, causal, init, x, o));
  } else {
    const bool inverse = config.kernel == Kernel::inverse;
    const double factor = inverse ? config.kernel_power : 1 / std::sqrt(d);
    assembly.layers.push_back(
        make_distance_attention(layout, 0, causal, init, {inverse, static_cast<float>(factor)}, x, o));
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

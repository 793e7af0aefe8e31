#include <cmath>

#include "network/assembly.h"
#include "network/layers.h"
#include "network/starting_weights.h"

namespace atto {

Assembly assemble_single_head(Plan& plan, const NetworkConfig& config, const BatchShape& shape) {
  Assembly assembly;
  const int d = static_cast<int>(config.width);
  const Init init = StartingWeights(config).matrix(d);

  const Matrix embedding = plan.matrix("W_E", shape.vocabulary, d, StartingWeights(config).embedding(d));
  const Stream x = plan.stream(0, shape.context, d);
  assembly.layers.push_back(make_embedding(embedding, x));
  add_positions(plan, config, x, assembly);

  const Stream o = plan.stream(shape.first_asked, shape.asked(), d);
  const bool causal = config.mask == "causal";
  if (config.kernel == "dot") {
    assembly.layers.push_back(make_attention(plan, 0, causal, init, x, o));
  } else {
    const bool inverse = config.kernel == "inverse";
    const double factor = inverse ? config.kernel_power : 1 / std::sqrt(d);
    assembly.layers.push_back(
        make_distance_attention(plan, 0, causal, init, {inverse, static_cast<float>(factor)}, x, o));
  }

  const Matrix unembedding = config.unembedding == "tied" ? embedding : plan.matrix("W_U", shape.vocabulary, d, init);
  assembly.head = make_unembedding(plan, unembedding, config.logits == "harmonic" ? config.logits_power : 0, o);
  return assembly;
}

void add_positions(Plan& plan, const NetworkConfig& config, const Stream& stream, Assembly& assembly) {
  if (config.positions == "learned") {
    const Matrix table =
        plan.matrix("W_pos", stream.positions, stream.features, {Init::Kind::normal, config.position_scale});
    assembly.layers.push_back(make_learned_positions(table, stream));
  } else if (config.positions == "sinusoidal") {
    assembly.layers.push_back(make_sinusoidal_positions(stream));
  }
}

}  // namespace atto

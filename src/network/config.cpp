#include "network/config.h"

namespace atto {

void describe(Fields& fields, NetworkConfig& config) {
  fields
      .word("network.form", config.form, {"attention", "scores"},
            "attention over embedded tokens, or y = W Σ softmax(a)_t x_t with free scores a (regression)")
      .integer("network.width", config.width, 1, 1024, "D, features of an embedding (n_embd, d_model)")
      .word("network.positions", config.positions, {"none", "learned", "sinusoidal"},
            "what is added to an embedding to mark its position")
      .word("network.mask", config.mask, {"causal", "full"}, "whether a position sees only itself and earlier ones")
      .word("network.kernel", config.kernel, {"dot", "distance", "inverse"},
            "attention scores: q·k/√D, -‖q-k‖²/√D, or -n ln ‖q-k‖ (weights ∝ 1/distance^n)")
      .real("network.kernel_power", config.kernel_power, 0.001, 1000, "inverse: the n of its weights")
      .word("network.logits", config.logits, {"linear", "harmonic"}, "logits u·o, or probabilities ∝ 1/‖o-u‖^n")
      .real("network.logits_power", config.logits_power, 0.001, 1000, "harmonic: the n of its probabilities")
      .word("network.unembedding", config.unembedding, {"tied", "free"},
            "logits from the embedding's own rows, or from a matrix of their own")
      .word("network.init", config.init, {"uniform", "normal"},
            "starting weights: uniform in ±init_scale/√D, or normal with deviation init_scale/√D")
      .real("network.init_scale", config.init_scale, 0, 1000, "factor on the starting weights")
      .real("network.position_scale", config.position_scale, 0, 1000, "deviation of learned positions at the start");
}

void validate(const NetworkConfig&) {}

}  // namespace atto

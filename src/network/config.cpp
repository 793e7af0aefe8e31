#include "network/config.h"

#include "network/parts.h"
#include "network/stack.h"

namespace atto {

NetworkConfig::NetworkConfig() = default;
NetworkConfig::NetworkConfig(const NetworkConfig&) = default;
NetworkConfig::NetworkConfig(NetworkConfig&&) noexcept = default;
NetworkConfig& NetworkConfig::operator=(const NetworkConfig&) = default;
NetworkConfig& NetworkConfig::operator=(NetworkConfig&&) noexcept = default;
NetworkConfig::~NetworkConfig() = default;

const Schema<NetworkConfig>& network_schema() {
  static const Schema<NetworkConfig> schema =
      Schema<NetworkConfig>()
          .choice("network.form", &NetworkConfig::form,
                  "attention over embedded tokens, or y = W Σ softmax(a)_t x_t with free scores a (regression)")
          .integer("network.width", &NetworkConfig::width, 1, 1024, "D, features of an embedding (n_embd, d_model)")
          .choice("network.positions", &NetworkConfig::positions,
                  "what marks a position: added to its embedding, or a rotation of queries and keys (rotary)")
          .choice("network.mask", &NetworkConfig::mask,
                  "whether a position sees itself and earlier ones, all, or only earlier ones")
          .word(
              "network.kernel", &NetworkConfig::kernel, attention_form_names(),
              "attention scores: q·k/√K, -‖q-k‖²/√K, -n ln ‖q-k‖ (weights ∝ 1/distance^n), or nothing but the position "
              "bias")
          .real("network.kernel_power", &NetworkConfig::kernel_power, 0.001, 1000, "inverse: the n of its weights")
          .choice("network.logits", &NetworkConfig::logits, "logits u·o, or probabilities ∝ 1/‖o-u‖^n")
          .real("network.logits_power", &NetworkConfig::logits_power, 0.001, 1000,
                "harmonic: the n of its probabilities")
          .choice("network.unembedding", &NetworkConfig::unembedding,
                  "logits from the embedding's own rows, or from a matrix of their own")
          .choice(
              "network.init", &NetworkConfig::init,
              "starting weights: uniform in ±init_scale/√(inputs of the matrix), biases likewise, or normal with that "
              "deviation and biases 0")
          .real("network.init_scale", &NetworkConfig::init_scale, 0, 1000, "factor on the starting weights")
          .real("network.position_scale", &NetworkConfig::position_scale, 0, 1000,
                "deviation of learned positions at the start")
          .real("network.embedding_scale", &NetworkConfig::embedding_scale, 0, 1000,
                "deviation of the table of tokens at the start; 0: it starts as the other matrices do")
          .integer("network.layers", &NetworkConfig::layers, 1, 64, "L, blocks of attention and MLP (n_layer)")
          .integer("network.heads", &NetworkConfig::heads, 1, 256,
                   "H, heads of a layer; the values of each have width/H features")
          .integer("network.head_width", &NetworkConfig::head_width, 0, 1024,
                   "K, features of a head's queries and keys (d_head); 0: width/H")
          .flag("network.output", &NetworkConfig::output, "a map W_O after the heads; several heads need it")
          .flag("network.residual", &NetworkConfig::residual, "x + attention(x) and x + mlp(x) (skip connections)")
          .word("network.mlp", &NetworkConfig::mlp, mlp_names(), "nonlinearity of the MLP after attention")
          .integer("network.mlp_factor", &NetworkConfig::mlp_factor, 1, 64, "hidden features of the MLP / width")
          .choice("network.norm", &NetworkConfig::norm, "layer norm before attention, before the MLP and at the end")
          .flag("network.biases", &NetworkConfig::biases, "a bias in every linear map")
          .integer("network.window", &NetworkConfig::window, 0, 4096,
                   "fixed sparse mask: a query sees only keys at most this far away; 0: no limit")
          .integer("network.stride", &NetworkConfig::stride, 1, 4096,
                   "fixed sparse mask: a query sees only keys whose distance is a multiple of this")
          .choice("network.position_bias", &NetworkConfig::position_bias,
                  "learnt and added to scores, per head: -slope·distance (ALiBi), or a free number for each distance")
          .later()
          .word_table("network.start", &NetworkConfig::start,
                      "starting values of single matrices: zero, identity, orthogonal, each with a factor if wanted "
                      "(\"identity 0.5\"), constant X, or scale X times what it would start as: { \"W_E\" = \"zero\" }")
          .words("network.stack", &NetworkConfig::stack, stack_words(),
                 "the parts between embedding and read-out, in any order; [\"blocks\"]: as network.layers and "
                 "network.mlp say")
          .choice("network.normalizer", &NetworkConfig::normalizer,
                  "from scores s to weights: e^s over the sum of all e^s, over one plus the sum, over the sum with a "
                  "learnt sink logit; 1/(1 + e^-s); s itself; s over the number of keys seen")
          .flag("network.qk_norm", &NetworkConfig::qk_norm,
                "queries and keys of each head divided by their root mean square, times a learnt scale per feature")
          .flag("network.gate", &NetworkConfig::gate,
                "the output of the heads times sigmoid(W_G x), number by number, before W_O")
          .real("network.weight_start", &NetworkConfig::weight_start, -1000, 1000,
                "free scores: W starts this far along W*, in units of W*/‖W*‖, next to what it starts as otherwise")
          .real("network.gap_start", &NetworkConfig::gap_start, -1000, 1000,
                "free scores: the scores of the relevant positions start this far above those of the others")
          .word_table(
              "network.start_file", &NetworkConfig::start_file,
              "starting values from CSV, NPY or NPZ files, relative to the folder of the study, one row for each "
              "output; an archive has an array under the name of each matrix: { \"*\" = \"weights.npz\" }")
          .unhashed()
          .word_table("network.start_hash", &NetworkConfig::start_hash,
                      "hashes of the contents of network.start_file, filled in when the study is read; given in the "
                      "study, they hold the files to those contents");
  return schema;
}

bool needs_blocks(const NetworkConfig& config) {
  const std::vector<StackPart> stack = stack_of(config);
  const bool attention_alone = stack.size() == 1 && stack.front().kind == PartKind::attention;
  return !(stack.empty() || attention_alone) || config.heads > 1 || config.head_width > 0 || config.output ||
         config.residual || config.norm != NormKind::none || config.biases || config.window > 0 || config.stride > 1 ||
         config.position_bias != BiasKind::none || attention_form(config).one_head == nullptr;
}

bool plain_attention(const NetworkConfig& config) {
  return config.normalizer == Normalizer::softmax && config.positions != PositionKind::rotary && !config.qk_norm &&
         !config.gate && config.mask != Mask::earlier;
}

// Attention is a sum over positions. A causal mask hides nothing from the last one, but from those that a second layer
// asks about.
bool sees_order(const NetworkConfig& config) {
  return config.positions != PositionKind::none || config.position_bias != BiasKind::none || config.window > 0 ||
         config.stride > 1 || (attention_blocks(config).size() > 1 && config.mask != Mask::full);
}

}  // namespace atto

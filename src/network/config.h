// What learns: the shape of the network.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/schema.h"
#include "kernels/wide/wide_kernels.h"

namespace atto {

struct NumberFile;  // data/files/number_file.h

enum class Form { attention, scores };  // scores: y = W Σ_t softmax(a)_t x_t with free scores a
enum class PositionKind { none, learned, sinusoidal, rotary };  // rotary: queries and keys are turned
enum class Mask { causal, full, earlier };                      // earlier: causal without the query's own position
enum class Logits { linear, harmonic };                         // u·o, or probabilities ∝ 1/‖o - u‖^n
enum class Tying { tied, free };                                // the embedding's own rows, or a matrix of its own
enum class InitKind { uniform, normal };                        // in ±scale/√D, or with deviation scale/√D
enum class NormKind { none, pre };                              // pre: layer norm before attention, MLP and read-out
enum class BiasKind { none, slope, free };                      // -m_h |i-j|, or b_h[i-j], added to scores

template <>
struct EnumWords<Form> {
  static constexpr std::array words{"attention", "scores"};
};
template <>
struct EnumWords<PositionKind> {
  static constexpr std::array words{"none", "learned", "sinusoidal", "rotary"};
};
template <>
struct EnumWords<Mask> {
  static constexpr std::array words{"causal", "full", "earlier"};
};
template <>
struct EnumWords<Logits> {
  static constexpr std::array words{"linear", "harmonic"};
};
template <>
struct EnumWords<Tying> {
  static constexpr std::array words{"tied", "free"};
};
template <>
struct EnumWords<InitKind> {
  static constexpr std::array words{"uniform", "normal"};
};
template <>
struct EnumWords<NormKind> {
  static constexpr std::array words{"none", "pre"};
};
template <>
struct EnumWords<BiasKind> {
  static constexpr std::array words{"none", "slope", "free"};
};
template <>
struct EnumWords<Normalizer> {
  static constexpr std::array words{"softmax", "softmax-plus-one", "sink", "sigmoid", "linear", "linear-mean"};
};

struct NetworkConfig {
  // Compiled once, and not in every file that holds one.
  NetworkConfig();
  NetworkConfig(const NetworkConfig&);
  NetworkConfig(NetworkConfig&&) noexcept;
  NetworkConfig& operator=(const NetworkConfig&);
  NetworkConfig& operator=(NetworkConfig&&) noexcept;
  ~NetworkConfig();
  bool operator==(const NetworkConfig&) const = default;

  Form form = Form::attention;                  // attention | scores: y = W Σ_t softmax(a)_t x_t with free scores a
  int64_t width = 2;                            // D, features of an embedding
  PositionKind positions = PositionKind::none;  // none | learned | sinusoidal | rotary
  Mask mask = Mask::causal;                     // causal | full | earlier
  std::string kernel = "dot";                   // attention scores: the name of a registered form (network/parts.h)
  double kernel_power = 2.0;                    // inverse: n of the weights ∝ 1/distance^n
  Logits logits = Logits::linear;               // linear: u·o | harmonic: probabilities ∝ 1/‖o - u‖^n
  double logits_power = 2.0;                    // harmonic: its n
  Tying unembedding = Tying::tied;              // tied: the embedding's own rows | free: a matrix of its own
  InitKind init = InitKind::uniform;            // uniform in ±scale/√D | normal with deviation scale/√D
  double init_scale = 1.0;
  double position_scale = 1.0;              // learned positions start N(0, scale²)
  double embedding_scale = 0.0;             // the table of tokens starts N(0, scale²); 0: as the other matrices
  int64_t layers = 1;                       // L, blocks
  int64_t heads = 1;                        // H; the values of a head have D/H features
  int64_t head_width = 0;                   // K, features of a head's queries and keys; 0: D/H
  bool output = false;                      // W_O after the heads
  bool residual = false;                    // x + attention(x), x + mlp(x)
  std::string mlp = "none";                 // none, or the name of a registered MLP (network/parts.h)
  int64_t mlp_factor = 4;                   // hidden features / D
  NormKind norm = NormKind::none;           // none | pre: layer norm before attention, MLP and read-out
  bool biases = false;                      // on every linear map
  int64_t window = 0;                       // a query sees keys at most so far away; 0: all
  int64_t stride = 1;                       // a query sees every stride-th key, counted from itself
  BiasKind position_bias = BiasKind::none;  // none | slope: -m_h |i-j| | free: b_h[i-j], added to scores
  // What stands between embedding and read-out: attention, mlp and linear in any order, or the word for what `layers`
  // and `mlp` say.
  std::vector<std::string> stack = {"blocks"};
  Normalizer normalizer = Normalizer::softmax;  // how weights follow from scores
  bool qk_norm = false;                         // queries and keys of unit root mean square, times a learnt scale
  bool gate = false;                            // the heads' output times sigmoid(W_G x), before W_O
  double weight_start = 0, gap_start = 0;       // scores: w and Δa at the start (theory/emergence_model.h)
  // Starting values of single matrices (network/starting_values.h): in words; from files, relative to the study's
  // folder; the hashes of their contents; and the contents, read with the study.
  std::map<std::string, std::string> start, start_file, start_hash;
  std::map<std::string, std::shared_ptr<const NumberFile>> start_content;
};

// The settings `network.*`.
const Schema<NetworkConfig>& network_schema();
void validate(const NetworkConfig& config);

// Whether it is more than at most one layer of one head with nothing around it.
bool needs_blocks(const NetworkConfig& config);

// Whether attention is softmax over the keys a query sees, its own among them, with queries, keys and output as they
// come out of their maps.
bool plain_attention(const NetworkConfig& config);

// Whether the order of the tokens before the last one can make a difference to its answer at the last position.
bool sees_order(const NetworkConfig& config);

}  // namespace atto

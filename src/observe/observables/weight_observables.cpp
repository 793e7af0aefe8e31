// The weights themselves, and how many dimensions they use.
//
// A matrix goes by the name it has in exports, "blocks.0.attn.W_Q". Most have a plainer address as well,
// "layer.0.query": the two are the same, and the name is marked as an alias.
#include <algorithm>
#include <set>

#include "math/spectrum.h"
#include "network/stack.h"
#include "observe/observable.h"

namespace atto {
namespace {

// A decomposition costs up to half a step of the smallest networks.
constexpr int64_t kSpectrumPoints = 30;

Observable values_of(const Matrix& matrix, const std::string& address, const std::string& help) {
  return {address, help, {matrix.rows, matrix.columns}, [matrix](const NetworkMoment& moment, double* out) {
            const auto weights = moment.trainer.parameters().subspan(matrix.offset, matrix.size());
            std::copy(weights.begin(), weights.end(), out);
          }};
}

Observable dimension_of(const Matrix& matrix, const std::string& address) {
  return {address,
          "exp(entropy of the variance shares of the principal components) of " + matrix.name,
          {},
          [matrix](const NetworkMoment& moment, double* out) {
            const auto weights = moment.trainer.parameters().subspan(matrix.offset, matrix.size());
            *out = effective_dimension(weights.data(), matrix.rows, matrix.columns);
          },
          kSpectrumPoints};
}

// Adds what matrices offer, under plain addresses and under their names.
class Weights {
 public:
  Weights(const RunSpec& spec, std::vector<Observable>& offers) : spec_(spec), offers_(offers) {}

  // The values of a matrix, and how many dimensions they use: the last part of that address.
  void matrix(const std::string& name, const std::string& address, const std::string& dimension) {
    const Matrix* found = spec_.find(name);
    if (found == nullptr) return;
    offers_.push_back(values_of(*found, address, name + ", one row per token, position or output feature"));
    offers_.push_back(dimension_of(*found, address + "." + dimension));
    aliases_.push_back(values_of(*found, name, "the same as " + address));
    aliases_.push_back(dimension_of(*found, name + "." + dimension));
    named_.insert(name);
  }
  void values(const std::string& name, const std::string& address, const std::string& help) {
    const Matrix* found = spec_.find(name);
    if (found == nullptr) return;
    offers_.push_back(values_of(*found, address, help));
    aliases_.push_back(values_of(*found, name, "the same as " + address));
    named_.insert(name);
  }
  // What has no plainer address: biases and norms.
  void rest() {
    for (const Matrix& matrix : spec_.matrices())
      if (!named_.contains(matrix.name)) offers_.push_back(values_of(matrix, matrix.name, matrix.name));
    for (Observable& alias : aliases_) {
      alias.alias = true;
      offers_.push_back(std::move(alias));
    }
  }

 private:
  const RunSpec& spec_;
  std::vector<Observable>& offers_;
  std::vector<Observable> aliases_;
  std::set<std::string> named_;
};

}  // namespace

void offer_weights(const RunSpec& spec, std::vector<Observable>& offers) {
  if (spec.attention() == nullptr) return;
  Weights weights(spec, offers);
  weights.matrix("W_E", "embedding", "effective_dimension");
  weights.matrix("W_in", "input", "effective_rank");
  weights.matrix("W_U", "unembedding", "effective_dimension");
  weights.matrix("W_pos", "positions", "effective_dimension");
  for (int l = 0; l < block_count(spec.config().network); ++l) {
    const std::string block = "blocks." + std::to_string(l), layer = "layer." + std::to_string(l);
    weights.matrix(block + ".attn.W_Q", layer + ".query", "effective_rank");
    weights.matrix(block + ".attn.W_K", layer + ".key", "effective_rank");
    weights.matrix(block + ".attn.W_V", layer + ".value", "effective_rank");
    weights.matrix(block + ".attn.W_O", layer + ".output", "effective_rank");
    weights.values(block + ".attn.slope", layer + ".slope", "slope of each head");
    weights.values(block + ".attn.bias", layer + ".bias", "bias of each head by distance, -(C-1) .. C-1");
    weights.matrix(block + ".attn.W_G", layer + ".gate", "effective_rank");
    weights.values(block + ".attn.sink", layer + ".sink", "logit of the sink of each head");
    weights.matrix(block + ".mlp.W_in", layer + ".mlp.in", "effective_rank");
    weights.matrix(block + ".mlp.W_out", layer + ".mlp.out", "effective_rank");
    weights.matrix(block + ".linear.W", layer + ".linear", "effective_rank");
  }
  weights.rest();
}

}  // namespace atto

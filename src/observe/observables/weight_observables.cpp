// The weights themselves, and how many dimensions they use.
#include <algorithm>

#include "math/spectrum.h"
#include "observe/observable.h"

namespace atto {
namespace {

// A decomposition costs up to half a step of the smallest networks.
constexpr int64_t kSpectrumPoints = 30;

void offer_values(const RunSpec& spec, const std::string& name, const std::string& address, const std::string& help,
                  std::vector<Observable>& offers) {
  const Matrix* found = spec.find(name);
  if (found == nullptr) return;
  const Matrix matrix = *found;
  offers.push_back({address, help, {matrix.rows, matrix.columns}, [matrix](const NetworkMoment& moment, double* out) {
                      const auto weights = moment.trainer.parameters().subspan(matrix.offset, matrix.size());
                      std::copy(weights.begin(), weights.end(), out);
                    }});
}

// The values of a matrix, and how many dimensions they use.
void offer_matrix(const RunSpec& spec, const std::string& name, const std::string& address,
                  const std::string& dimension, std::vector<Observable>& offers) {
  const Matrix* found = spec.find(name);
  if (found == nullptr) return;
  const Matrix matrix = *found;
  offer_values(spec, name, address, name + ", one row per token, position or output feature", offers);
  offers.push_back({address + "." + dimension,
                    "exp(entropy of the variance shares of the principal components) of " + name,
                    {},
                    [matrix](const NetworkMoment& moment, double* out) {
                      const auto weights = moment.trainer.parameters().subspan(matrix.offset, matrix.size());
                      *out = effective_dimension(weights.data(), matrix.rows, matrix.columns);
                    },
                    kSpectrumPoints});
}

}  // namespace

void offer_weights(const RunSpec& spec, std::vector<Observable>& offers) {
  if (spec.attention() == nullptr) return;
  offer_matrix(spec, "W_E", "embedding", "effective_dimension", offers);
  offer_matrix(spec, "W_in", "input", "effective_rank", offers);
  offer_matrix(spec, "W_U", "unembedding", "effective_dimension", offers);
  offer_matrix(spec, "W_pos", "positions", "effective_dimension", offers);
  for (int l = 0; l < spec.config().network.layers; ++l) {
    const std::string block = "blocks." + std::to_string(l), layer = "layer." + std::to_string(l);
    offer_matrix(spec, block + ".attn.W_Q", layer + ".query", "effective_rank", offers);
    offer_matrix(spec, block + ".attn.W_K", layer + ".key", "effective_rank", offers);
    offer_matrix(spec, block + ".attn.W_V", layer + ".value", "effective_rank", offers);
    offer_matrix(spec, block + ".attn.W_O", layer + ".output", "effective_rank", offers);
    offer_values(spec, block + ".attn.slope", layer + ".slope", "slope of each head", offers);
    offer_values(spec, block + ".attn.bias", layer + ".bias", "bias of each head by distance, -(C-1) .. C-1", offers);
    offer_matrix(spec, block + ".mlp.W_in", layer + ".mlp.in", "effective_rank", offers);
    offer_matrix(spec, block + ".mlp.W_out", layer + ".mlp.out", "effective_rank", offers);
  }
}

}  // namespace atto

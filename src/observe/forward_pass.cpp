#include "observe/forward_pass.h"

#include <algorithm>

#include "base/error.h"
#include "kernels/simd/denormals.h"

namespace atto {
namespace {

constexpr int kTile = 64;  // sequences at a time

BatchShape asked_everywhere(const RunSpec& spec) {
  const AttentionSpec* attention = spec.attention();
  if (attention == nullptr || attention->task.shape.vectors())
    throw Error(ErrorKind::usage, "only networks of attention on tokens answer to sequences");
  BatchShape shape = attention->task.shape;
  shape.first_asked = 0;
  return shape;
}

}  // namespace

ForwardPass::ForwardPass(const RunSpec& spec)
    : network_(spec.config().network, asked_everywhere(spec)), work_(network_.make_workspace(kTile)) {
  for (int layer = 0;; ++layer) {
    const Rows* rows = network_.find_rows("layer." + std::to_string(layer) + ".attention.pattern");
    if (rows == nullptr) break;
    patterns_.push_back(*rows);
  }
}

int ForwardPass::heads(int layer) const {
  return patterns_.at(static_cast<size_t>(layer)).count / (context() * context());
}

size_t ForwardPass::sequences_in(std::span<const int32_t> tokens) const {
  for (const int32_t token : tokens)
    if (token < 0 || token >= vocabulary())
      throw Error(ErrorKind::usage, "the token " + std::to_string(token) + " is not one of the vocabulary",
                  "tokens are 0 to " + std::to_string(vocabulary() - 1));
  return tokens.size() / static_cast<size_t>(context());
}

template <class Visit>
void ForwardPass::each_tile(std::span<const float> parameters, std::span<const int32_t> tokens, Visit visit) {
  const FlushDenormals guard;
  const size_t sequences = sequences_in(tokens), positions = static_cast<size_t>(context());
  for (size_t first = 0; first < sequences; first += kTile) {
    const size_t count = std::min<size_t>(kTile, sequences - first);
    for (size_t position = 0; position < positions; ++position)
      for (size_t lane = 0; lane < kTile; ++lane)  // what is left of the last tile repeats its first sequence
        work_.batch().tokens[position * kTile + lane] =
            tokens[(first + (lane < count ? lane : 0)) * positions + position];
    network_.forward(parameters.data(), work_);
    visit(first, count);
  }
}

std::vector<float> ForwardPass::logits(std::span<const float> parameters, std::span<const int32_t> tokens) {
  const size_t size = static_cast<size_t>(vocabulary()), positions = static_cast<size_t>(context());
  std::vector<float> all(sequences_in(tokens) * positions * size);
  std::vector<double> answer(size);
  each_tile(parameters, tokens, [&](size_t first, size_t count) {
    for (size_t lane = 0; lane < count; ++lane)
      for (size_t position = 0; position < positions; ++position) {
        network_.answer(parameters.data(), work_, static_cast<int>(position), static_cast<int>(lane), 1, answer.data());
        std::transform(answer.begin(), answer.end(),
                       all.begin() + static_cast<int64_t>(((first + lane) * positions + position) * size),
                       [](double logit) { return static_cast<float>(logit); });
      }
  });
  return all;
}

std::vector<float> ForwardPass::attention(std::span<const float> parameters, std::span<const int32_t> tokens,
                                          int layer) {
  if (layer < 0 || layer >= layers())
    throw Error(ErrorKind::usage, "the network has no layer " + std::to_string(layer) + " of attention",
                "layers are 0 to " + std::to_string(layers() - 1));
  const Rows rows = patterns_[static_cast<size_t>(layer)];
  const size_t block = static_cast<size_t>(rows.count);  // heads · queries · keys
  std::vector<float> all(sequences_in(tokens) * block);
  each_tile(parameters, tokens, [&](size_t first, size_t count) {
    const float* const weights = work_.activations.data() + static_cast<size_t>(rows.first) * kTile;
    for (size_t lane = 0; lane < count; ++lane)
      for (size_t entry = 0; entry < block; ++entry)
        all[(first + lane) * block + entry] = weights[entry * kTile + lane];
  });
  return all;
}

}  // namespace atto

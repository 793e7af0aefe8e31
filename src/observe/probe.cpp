#include "observe/probe.h"

#include <algorithm>

#include "numeric/denormals.h"

namespace atto {
namespace {

// Beyond any training step (training.steps is at most 1e12 < 2^40).
constexpr uint64_t kProbeStep = uint64_t{1} << 40;

}  // namespace

Probe::Probe(const Trainer& trainer, int sequences)
    : network_(trainer.config().network, trainer.network().vocabulary(), trainer.network().context(), 0),
      work_(network_.make_workspace(sequences)) {
  Workspace drawn = trainer.network().make_workspace(sequences);
  trainer.task().fill(0, kProbeStep, 0, drawn.batch);
  std::copy(drawn.tokens.span().begin(), drawn.tokens.span().end(), work_.tokens.data());
  answers_ = std::move(drawn.targets);
}

const float* Probe::attention(const Trainer& trainer, const std::string& address) {
  if (fresh_at_ != trainer.step()) {
    const FlushDenormals guard;
    network_.forward(trainer.parameters().data(), work_);
    fresh_at_ = trainer.step();
  }
  const size_t first = static_cast<size_t>(network_.find_rows(address)->first);
  return work_.activations.data() + first * static_cast<size_t>(work_.lanes);
}

}  // namespace atto

#include "observe/probe.h"

#include <algorithm>

#include "numeric/denormals.h"

namespace atto {
namespace {

// Beyond any training step (training.steps is at most 1e12 < 2^40).
constexpr uint64_t kProbeStep = uint64_t{1} << 40;

BatchShape every_position(BatchShape shape) {
  shape.first_asked = 0;
  return shape;
}

}  // namespace

Probe::Probe(const Trainer& trainer, int sequences)
    : network_(trainer.config().network, every_position(trainer.task().shape())),
      work_(network_.make_workspace(sequences)),
      drawn_(trainer.task().shape(), sequences) {
  trainer.task().fill({0, kProbeStep, 0}, drawn_.batch);
  std::copy(drawn_.tokens().span().begin(), drawn_.tokens().span().end(), work_.batch().tokens);
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

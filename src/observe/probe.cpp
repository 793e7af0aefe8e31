#include "observe/probe.h"

#include <algorithm>

#include "kernels/simd/denormals.h"

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
  const BatchShape& shape = trainer.task().shape();
  trainer.task().fill({0, kProbeStep}, drawn_.batch);
  const auto rows = [sequences](int count) { return static_cast<size_t>(count) * static_cast<size_t>(sequences); };
  if (shape.vectors()) std::copy_n(drawn_.batch.inputs, rows(shape.context * shape.inputs), work_.batch().inputs);
  else std::copy_n(drawn_.batch.tokens, rows(shape.context), work_.batch().tokens);
}

size_t Probe::bytes(const Trainer& trainer, int sequences) {
  const BatchShape& shape = trainer.task().shape();
  return Network(trainer.config().network, every_position(shape)).workspace_bytes(sequences) +
         BatchMemory::bytes(shape, sequences);
}

const float* Probe::activations(const Trainer& trainer, const std::string& address) {
  if (fresh_at_ != trainer.step()) {
    const FlushDenormals guard;
    network_.forward(trainer.parameters().data(), work_);
    fresh_at_ = trainer.step();
  }
  const Rows* rows = network_.find_rows(address);
  if (rows == nullptr) return nullptr;
  return work_.activations.data() + static_cast<size_t>(rows->first) * static_cast<size_t>(work_.lanes);
}

const float* Probe::attention(const Trainer& trainer, const std::string& address) {
  return activations(trainer, address);
}

const float* Probe::output(const Trainer& trainer) {
  const float* all = activations(trainer, "output");
  if (all == nullptr) return nullptr;
  const BatchShape& shape = network_.shape();
  const int features = shape.vectors() ? shape.outputs : shape.vocabulary;
  return all + static_cast<size_t>((shape.context - 1) * features) * static_cast<size_t>(work_.lanes);
}

}  // namespace atto

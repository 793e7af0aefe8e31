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

Probe::Probe(const LiveRun& run, int sequences, Keep keep)
    : trainer_(run.trainer()),
      network_(run.spec().config().network, every_position(run.attention()->task().shape()), keep),
      work_(network_.make_workspace(sequences)),
      drawn_(run.attention()->task().shape(), sequences) {
  const BatchShape& shape = run.attention()->task().shape();
  run.attention()->task().fill({0, kProbeStep}, drawn_.batch);
  const auto rows = [sequences](int count) { return static_cast<size_t>(count) * static_cast<size_t>(sequences); };
  if (shape.vectors()) std::copy_n(drawn_.batch.inputs, rows(shape.context * shape.inputs), work_.batch().inputs);
  else std::copy_n(drawn_.batch.tokens, rows(shape.context), work_.batch().tokens);
}

size_t Probe::bytes(const RunSpec& spec, int sequences, Keep keep) {
  const BatchShape& shape = spec.attention()->task.shape;
  return Network(spec.config().network, every_position(shape), keep).workspace_bytes(sequences) +
         BatchMemory::bytes(shape, sequences);
}

void Probe::refresh() {
  if (fresh_at_ == trainer_.step()) return;
  const FlushDenormals guard;
  network_.forward(trainer_.parameters().data(), work_);
  fresh_at_ = trainer_.step();
}

const float* Probe::attention(const std::string& address) {
  refresh();
  const Rows* rows = network_.find_rows(address);
  if (rows == nullptr) return nullptr;
  return work_.activations.data() + static_cast<size_t>(rows->first) * static_cast<size_t>(work_.lanes);
}

void Probe::answer(int sequence, double* out) {
  refresh();
  network_.answer(trainer_.parameters().data(), work_, network_.context() - 1, sequence, 1, out);
}

}  // namespace atto

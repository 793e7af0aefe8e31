// The ends of a network that has a read-out: they turn logits or answers into a loss.
#include <algorithm>

#include "network/layers/blocks.h"

namespace atto {
namespace {

// What a read-out wrote for some samples at their asked position number `asked`.
void copy_answer(const Pass& pass, const Stream& answers, int asked, int lane, int count, double* out) {
  for (int i = 0; i < answers.features; ++i)
    out = std::copy_n(pass.row(answers.value, asked * answers.features + i) + lane, count, out);
}

class CrossEntropyOfLogits final : public Loss {
 public:
  explicit CrossEntropyOfLogits(const Stream& logits) : logits_(logits) {}

  void loss(const Pass& pass) const override {
    const Batch& batch = pass.work.batch();
    for (int i = 0; i < logits_.positions; ++i) {
      const size_t at = static_cast<size_t>(i) * static_cast<size_t>(pass.lanes());
      const int row = i * logits_.features;
      if (batch.distributions) {
        soft_cross_entropy(pass.row(logits_.value, row), {batch.distributions, batch.distribution_rows},
                           batch.targets + at, batch.weights + at, logits_.features, pass.loss_scale,
                           pass.row(logits_.gradient, row), pass.work.sums, pass.lanes());
        continue;
      }
      cross_entropy(pass.row(logits_.value, row), batch.targets + at, batch.weights + at, logits_.features,
                    pass.loss_scale, pass.row(logits_.gradient, row), pass.work.sums, pass.lanes());
    }
  }
  void answer(const Pass& pass, int asked, int lane, int count, double* out) const override {
    copy_answer(pass, logits_, asked, lane, count, out);
  }

 private:
  Stream logits_;
};

class SquaredError final : public Loss {
 public:
  explicit SquaredError(const Stream& answers) : answers_(answers) {}

  void loss(const Pass& pass) const override {
    const Batch& batch = pass.work.batch();
    squared_error(pass.row(answers_.value), batch.answers, batch.weights, answers_.features, pass.loss_scale,
                  pass.gradients ? pass.row(answers_.gradient) : nullptr, pass.work.sums, pass.lanes());
  }
  void answer(const Pass& pass, int asked, int lane, int count, double* out) const override {
    copy_answer(pass, answers_, asked, lane, count, out);
  }

 private:
  Stream answers_;  // one position
};

}  // namespace

std::unique_ptr<Loss> make_cross_entropy(const Stream& logits) {
  return std::make_unique<CrossEntropyOfLogits>(logits);
}
std::unique_ptr<Loss> make_squared_error(const Stream& answers) { return std::make_unique<SquaredError>(answers); }

}  // namespace atto

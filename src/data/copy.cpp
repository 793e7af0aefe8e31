// Copy: tokens are uniform and independent; the answer at a position is the token `offset` places before it (0:
// itself).
#include <algorithm>

#include "data/tasks.h"
#include "numeric/kernels.h"
#include "numeric/random.h"

namespace atto {
namespace {

class Copy final : public Task {
 public:
  explicit Copy(const DataConfig& config)
      : vocab_(static_cast<int>(config.vocab)),
        context_(static_cast<int>(config.context)),
        offset_(static_cast<int>(config.offset)),
        first_asked_(config.targets == "every" ? offset_ : context_ - 1) {}

  int vocabulary() const override { return vocab_; }
  int context() const override { return context_; }
  int first_asked() const override { return first_asked_; }
  std::optional<double> best_loss() const override { return 0.0; }

  void fill(uint64_t seed, uint64_t step, uint32_t first_sample, const TokenBatch& batch) const override {
    const int blocks = (context_ + 3) / 4;
    auto* words = reinterpret_cast<uint32_t*>(batch.tokens);
    random_words(seed, static_cast<uint32_t>(Purpose::data), step, first_sample, blocks, words, batch.lanes);
    const size_t lanes = batch.lanes;
    bounded_integers(words, static_cast<uint32_t>(vocab_), batch.tokens, context_ * lanes);
    for (int i = first_asked_; i < context_; ++i) {
      const size_t row = (i - first_asked_) * lanes;
      std::copy_n(batch.tokens + (i - offset_) * lanes, lanes, batch.targets + row);
      std::fill_n(batch.weights + row, batch.samples, 1.0f);
      std::fill(batch.weights + row + batch.samples, batch.weights + row + lanes, 0.0f);
    }
  }

 private:
  int vocab_, context_, offset_, first_asked_;
};

}  // namespace

std::unique_ptr<Task> make_copy(const DataConfig& config) { return std::make_unique<Copy>(config); }

}  // namespace atto

// Copy: tokens are independent; the answer at a position is the token `offset` places before it (0: itself).
#include <cmath>

#include "base/error.h"
#include "data/tasks/sequences.h"
#include "data/tasks/tasks.h"

namespace atto {
namespace {

class Copy final : public Task {
 public:
  explicit Copy(const DataConfig& config)
      : Task(config,
             config.targets == Targets::every ? static_cast<int>(config.offset) : static_cast<int>(config.context) - 1),
        offset_(static_cast<int>(config.offset)),
        source_(config) {
    if (config.offset >= config.context)
      throw Error(ErrorKind::config,
                  "data.offset = " + std::to_string(config.offset) + " reaches before the start of a context of " +
                      std::to_string(config.context),
                  "set data.context to at least " + std::to_string(config.offset + 1) + " or lower data.offset");
  }

  std::vector<double> frequencies() const override { return source_.frequencies(); }
  std::vector<ReferenceLoss> references() const override {
    if (offset_ == 0) return {{"best", 0.0}};
    return {{"best", 0.0}, guess_among_earlier()};
  }

  void fill(const Draw& draw, const Batch& batch) const override {
    source_.draw(draw, context(), batch.tokens, batch.lanes);
    answer(batch);
    weigh_samples(batch);
  }

  // The current token is the answer whatever stands before it, and in whatever order.
  std::optional<Listing> listing() const override {
    return Listing{context(), offset_ == 0 && last_only() ? context() - 1 : 0};
  }
  void answer(const Batch& batch) const override {
    const size_t lanes = static_cast<size_t>(batch.lanes);
    const size_t first = static_cast<size_t>(first_asked() - offset_) * lanes;
    std::copy_n(batch.tokens + first, static_cast<size_t>(asked()) * lanes, batch.targets);
  }

 private:
  int offset_;
  IndependentTokens source_;
};

}  // namespace

std::unique_ptr<Task> make_copy(const DataConfig& config, uint64_t) { return std::make_unique<Copy>(config); }

}  // namespace atto

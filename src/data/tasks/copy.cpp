// Copy: tokens are independent; the answer at a position is the token `offset` places before it (0: itself).
#include <cmath>

#include "base/error.h"
#include "data/tasks/sequences.h"

namespace atto {
namespace {

TaskSpec describe_copy(const DataConfig& config) {
  const auto offset = static_cast<int>(config.offset), context = static_cast<int>(config.context);
  TaskSpec spec = describe_tokens(config, config.targets == Targets::every ? offset : context - 1);
  if (config.offset >= config.context)
    throw Error(ErrorKind::config,
                "data.offset = " + std::to_string(config.offset) + " reaches before the start of a context of " +
                    std::to_string(config.context),
                "set data.context to at least " + std::to_string(config.offset + 1) + " or lower data.offset");
  // The current token is the answer whatever stands before it, and in whatever order.
  spec.listing = list_independent(config, context, offset == 0 && spec.last_only() ? context - 1 : 0);
  spec.references = offset > 0 ? earlier_token_losses(spec.shape) : std::vector<ReferenceLoss>{{"best", 0.0}};
  return spec;
}

class Copy final : public Task {
 public:
  Copy(const DataConfig& config, const TaskSpec& spec)
      : Task(spec), offset_(static_cast<int>(config.offset)), source_(config) {}

  std::vector<double> frequencies() const override { return source_.frequencies(); }

  void fill(const Draw& draw, const Batch& batch) const override {
    source_.draw(draw, context(), batch.tokens, batch.lanes);
    answer(batch);
    weigh_samples(batch);
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

TaskKind copy_task() {
  return {{"data.vocab", "data.context"}, false, describe_copy, make_from<Copy>, {"data.frequencies"}};
}

}  // namespace atto

// Unigram: predict the next of independent tokens. Nothing in the context helps, so the best loss is the entropy of the
// frequencies, and attention has nowhere to go.
#include "data/tasks/sequences.h"

namespace atto {
namespace {

TaskSpec describe_unigram(const DataConfig& config) {
  const int last = static_cast<int>(config.context) - 1;
  TaskSpec spec = describe_tokens(config, config.targets == Targets::every ? 0 : last, Bos::if_asked);
  // All but the current token and the next, where only that is asked for.
  spec.listing = list_independent(config, spec.drawn(), spec.last_only() ? std::max(spec.drawn() - 2, 0) : 0);
  return spec;
}

class Unigram final : public Task {
 public:
  Unigram(const DataConfig& config, const TaskSpec& spec) : Task(spec), source_(config) {}

  std::vector<double> frequencies() const override { return source_.frequencies(); }
  std::vector<ReferenceLoss> references() const override { return {{"best", entropy(source_.frequencies())}}; }

  void fill(const Draw& draw, const Batch& batch) const override {
    source_.draw(draw, spec().drawn(), batch.tokens, batch.lanes);
    answer(batch);
    weigh_samples(batch);
  }

  void answer(const Batch& batch) const override { ask_next(batch); }

 private:
  IndependentTokens source_;
};

}  // namespace

TaskKind unigram_task() {
  return {{"data.vocab", "data.context"}, false, describe_unigram, make_from<Unigram>, {"data.frequencies"}};
}

}  // namespace atto

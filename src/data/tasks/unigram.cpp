// Unigram: predict the next of independent tokens. Nothing in the context helps, so the best loss is the entropy of the
// frequencies, and attention has nowhere to go.
#include "data/tasks/sequences.h"
#include "data/tasks/tasks.h"

namespace atto {
namespace {

class Unigram final : public Task {
 public:
  explicit Unigram(const DataConfig& config)
      : Task(config, config.targets == Targets::every ? 0 : static_cast<int>(config.context) - 1, config.bos),
        source_(config) {}

  std::vector<double> frequencies() const override { return source_.frequencies(); }
  std::vector<ReferenceLoss> references() const override { return {{"best", entropy(source_.frequencies())}}; }

  void fill(const Draw& draw, const Batch& batch) const override {
    source_.draw(draw, drawn(), batch.tokens, batch.lanes);
    answer(batch);
    weigh_samples(batch);
  }

  // All but the current token and the next, where only that is asked for.
  std::optional<Listing> listing() const override {
    return Listing{drawn(), last_only() ? std::max(drawn() - 2, 0) : 0};
  }
  void answer(const Batch& batch) const override { ask_next(batch); }

 private:
  IndependentTokens source_;
};

}  // namespace

std::unique_ptr<Task> make_unigram(const DataConfig& config, uint64_t) { return std::make_unique<Unigram>(config); }

}  // namespace atto

// Seen: was the current token seen earlier in the context? The answer is token 1 if so, else token 0.
#include "base/error.h"
#include "data/tasks/sequences.h"
#include "data/tasks/tasks.h"

namespace atto {
namespace {

class Seen final : public Task {
 public:
  // The second argument is the first position that is asked: the last one, or all that have an earlier token.
  explicit Seen(const DataConfig& config)
      : Task(config, config.targets == Targets::every ? 1 : static_cast<int>(config.context) - 1), source_(config) {
    if (config.context < 2)
      throw Error(ErrorKind::config, "data.context = 1 leaves the task 'seen' nothing earlier to look at",
                  "set data.context to at least 2");
  }

  std::vector<double> frequencies() const override { return source_.frequencies(); }
  std::vector<ReferenceLoss> references() const override { return {{"best", 0.0}}; }

  void fill(const Draw& draw, const Batch& batch) const override {
    source_.draw(draw, context(), batch.tokens, batch.lanes);
    answer(batch);
    weigh_samples(batch);
  }

  // Optional: what it takes to train on all sequences at once. The order of what was seen does not matter.
  std::optional<Listing> listing() const override { return Listing{context(), last_only() ? context() - 1 : 0}; }
  void answer(const Batch& batch) const override {
    const size_t lanes = static_cast<size_t>(batch.lanes);
    for (int i = first_asked(); i < context(); ++i) {
      const int32_t* current = batch.tokens + static_cast<size_t>(i) * lanes;
      int32_t* answer = batch.targets + static_cast<size_t>(i - first_asked()) * lanes;
      std::fill_n(answer, lanes, 0);
      for (int j = 0; j < i; ++j) {
        const int32_t* earlier = batch.tokens + static_cast<size_t>(j) * lanes;
        for (size_t b = 0; b < lanes; ++b)
          if (earlier[b] == current[b]) answer[b] = 1;
      }
    }
  }

 private:
  IndependentTokens source_;  // uniform, or Zipf by data.exponent
};

}  // namespace

std::unique_ptr<Task> make_seen(const DataConfig& config, uint64_t) { return std::make_unique<Seen>(config); }

}  // namespace atto

// Seen: was the current token seen earlier in the context? The answer is token 1 if so, else token 0.
#include "base/error.h"
#include "data/tasks/sequences.h"

namespace atto {
namespace {

// What can be told without drawing anything: which positions are asked (the last one, or all that have an earlier
// token), what there is to compare a loss with, and what the task refuses.
TaskSpec describe(const DataConfig& config) {
  const auto context = static_cast<int>(config.context);
  TaskSpec spec = describe_tokens(config, config.targets == Targets::every ? 1 : context - 1);
  if (config.context < 2)
    throw Error(ErrorKind::config, "data.context = 1 leaves the task 'seen' nothing earlier to look at",
                "set data.context to at least 2");
  spec.references = {{"best", 0.0}};
  // Optional: what it takes to train on all sequences at once. The order of what was seen does not matter.
  spec.listing = Listing{context, spec.last_only() ? context - 1 : 0};
  return spec;
}

class Seen final : public Task {
 public:
  Seen(const DataConfig& config, const TaskSpec& spec) : Task(spec), source_(config) {}

  std::vector<double> frequencies() const override { return source_.frequencies(); }

  void fill(const Draw& draw, const Batch& batch) const override {
    source_.draw(draw, context(), batch.tokens, batch.lanes);
    answer(batch);
    weigh_samples(batch);
  }

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

// The settings that a caption names, whether the task knows data.repeat, data.cross and data.schedule, and the two
// functions above.
TaskKind seen_task() { return {{"data.vocab", "data.context"}, false, describe, make_from<Seen>}; }

}  // namespace atto

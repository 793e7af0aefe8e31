// Nearest: tokens stand for numbers; the answer is the earlier token closest to the current one, the first such if
// several are ([1][5][10][6] → [5]).
#include <cstdlib>

#include "base/error.h"
#include "data/tasks/sequences.h"

namespace atto {
namespace {

TaskSpec describe_nearest(const DataConfig& config) {
  const auto context = static_cast<int>(config.context);
  TaskSpec spec = describe_tokens(config, config.targets == Targets::every ? 1 : context - 1);
  if (config.context < 2)
    throw Error(ErrorKind::config, "data.context = 1 leaves the task 'nearest' no earlier token to answer with",
                "set data.context to at least 2");
  spec.listing =
      list_independent(config, context);  // of two tokens equally near the first is the answer, so their order counts
  spec.references = earlier_token_losses(spec.shape);
  return spec;
}

class Nearest final : public Task {
 public:
  Nearest(const DataConfig& config, const TaskSpec& spec) : Task(spec), source_(config) {}

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
      std::copy_n(batch.tokens, lanes, answer);
      for (int j = 1; j < i; ++j) keep_nearer(batch.tokens + static_cast<size_t>(j) * lanes, current, lanes, answer);
    }
  }

 private:
  // Chosen without a branch and written always, so that the compiler makes vectors of it.
  static void keep_nearer(const int32_t* earlier, const int32_t* current, size_t lanes, int32_t* __restrict__ answer) {
    for (size_t b = 0; b < lanes; ++b) {
      const int32_t distance = std::abs(earlier[b] - current[b]), least = std::abs(answer[b] - current[b]);
      answer[b] = distance < least ? earlier[b] : answer[b];
    }
  }

  IndependentTokens source_;
};

}  // namespace

TaskKind nearest_task() {
  return {{"data.vocab", "data.context"}, false, describe_nearest, make_from<Nearest>, {"data.frequencies"}};
}

}  // namespace atto

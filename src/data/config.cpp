#include "data/config.h"

#include "data/regression.h"
#include "data/task.h"
#include "numeric/error.h"

namespace atto {

void describe(Fields& fields, DataConfig& config) {
  std::vector<std::string> tasks = task_names();
  tasks.emplace_back(kRegression);
  fields.word("data.task", config.task, tasks, "what is asked about a sequence")
      .integer("data.vocab", config.vocab, 2, 1 << 16, "V, kinds of token, [BOS] not counted")
      .integer("data.context", config.context, 1, 1e6, "C or T, tokens in a sequence (block_size, n_ctx)")
      .integer("data.offset", config.offset, 0, 4095, "copy: positions back from the current one to the answer")
      .word("data.targets", config.targets, {"last", "every"}, "which positions must answer")
      .real("data.exponent", config.exponent, 0, 20,
            "Zipf exponent of the token frequencies; 0 is uniform (not bigram)")
      .flag("data.bos", config.bos, "unigram, bigram: open every sequence with a [BOS] token of its own")
      .integer("data.rank", config.rank, 1, 4096, "bigram: rank R of the transition logits A·B/√R")
      .real("data.scale", config.scale, 0, 1000, "bigram: factor on the transition logits")
      .word("data.rank_weights", config.rank_weights, {}, "bigram: comma-separated weights of the ranks; empty: all 1")
      .integer("data.table", config.table, 0, 9007199254740992.0, "bigram: seed of the transition matrix")
      .integer("data.dimension", config.dimension, 1, 1e5, "regression: d, features of a token")
      .integer("data.repeat", config.repeat, 1, 1e6, "regression: B, positions that hold the relevant token")
      .real("data.cross", config.cross, 0, 1,
            "regression: p, probability that the relevant token is one vector, the same in all samples");
}

// The limits each task sets are its own: it checks them as it is made.
void validate(const DataConfig& config) {
  if (is_regression(config)) make_regression(config);
  else make_task(config);
}

std::vector<ReferenceLoss> reference_losses(const DataConfig& config) {
  if (is_regression(config)) return {{"best", 0.0}, {"start", kRegressionStartLoss}};
  return make_task(config)->references();
}

}  // namespace atto

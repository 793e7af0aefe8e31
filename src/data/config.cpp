#include "data/config.h"

#include "data/task.h"
#include "numeric/error.h"

namespace atto {

void describe(Fields& fields, DataConfig& config) {
  fields.word("data.task", config.task, task_names(), "what is asked about a sequence")
      .integer("data.vocab", config.vocab, 2, 1 << 16, "V, kinds of token, [BOS] not counted")
      .integer("data.context", config.context, 1, 4096, "C, tokens in a sequence (block_size, n_ctx)")
      .integer("data.offset", config.offset, 0, 4095, "copy: positions back from the current one to the answer")
      .word("data.targets", config.targets, {"last", "every"}, "which positions must answer")
      .real("data.exponent", config.exponent, 0, 20,
            "Zipf exponent of the token frequencies; 0 is uniform (not bigram)")
      .flag("data.bos", config.bos, "unigram, bigram: open every sequence with a [BOS] token of its own")
      .integer("data.rank", config.rank, 1, 4096, "bigram: rank R of the transition logits A·B/√R")
      .real("data.scale", config.scale, 0, 1000, "bigram: factor on the transition logits")
      .word("data.rank_weights", config.rank_weights, {}, "bigram: comma-separated weights of the ranks; empty: all 1")
      .integer("data.table", config.table, 0, 9007199254740992.0, "bigram: seed of the transition matrix");
}

// The limits each task sets are its own: it checks them as it is made.
void validate(const DataConfig& config) { make_task(config); }

}  // namespace atto

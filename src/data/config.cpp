#include "data/config.h"

#include "data/task.h"
#include "numeric/error.h"

namespace atto {

void describe(Fields& fields, DataConfig& config) {
  fields.word("data.task", config.task, task_names(), "what is asked about a sequence")
      .integer("data.vocab", config.vocab, 2, 1 << 16, "V, kinds of token")
      .integer("data.context", config.context, 1, 4096, "C, tokens in a sequence (block_size, n_ctx)")
      .integer("data.offset", config.offset, 0, 4095, "copy: positions back from the current one to the answer")
      .word("data.targets", config.targets, {"last", "every"}, "which positions must answer");
}

void validate(const DataConfig& config) {
  if (config.task == "copy" && config.offset >= config.context) {
    throw Error(ErrorKind::config,
                "data.offset = " + std::to_string(config.offset) + " reaches before the start of a context of " +
                    std::to_string(config.context),
                "set data.context to at least " + std::to_string(config.offset + 1) + " or lower data.offset");
  }
}

}  // namespace atto

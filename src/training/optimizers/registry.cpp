// Every optimizer, by the word a study calls it by. A new one is a file that defines <name>_optimizer() and one line
// here.
#include "base/error.h"
#include "training/optimizers/optimizer.h"

#ifdef ATTO_MORE_PARTS
#include ATTO_MORE_PARTS  // a build with parts of its own (docs/adding-parts.md)
#endif
#ifndef ATTO_MORE_OPTIMIZERS
#define ATTO_MORE_OPTIMIZERS(ENTRY)
#endif

#define ATTO_OPTIMIZERS(ENTRY) \
  ENTRY(adam)                  \
  ENTRY(adamw)                 \
  ENTRY(sgd)                   \
  ENTRY(nesterov)              \
  ENTRY(signsgd)               \
  ENTRY(lion)                  \
  ENTRY(muon)                  \
  ENTRY(flow)                  \
  ATTO_MORE_OPTIMIZERS(ENTRY)

namespace atto {

#define DECLARE(name) OptimizerKind name##_optimizer();
ATTO_OPTIMIZERS(DECLARE)
#undef DECLARE

namespace {

struct Entry {
  const char* name;
  OptimizerKind kind;
};

const std::vector<Entry>& optimizers() {
  static const std::vector<Entry> all = {
#define LIST(name) {#name, name##_optimizer()},
      ATTO_OPTIMIZERS(LIST)
#undef LIST
  };
  return all;
}

}  // namespace

const OptimizerKind& optimizer_kind(const TrainingConfig& config) {
  for (const Entry& one : optimizers())
    if (one.name == config.optimizer) return one.kind;
  throw Error(ErrorKind::config, "unknown optimizer '" + config.optimizer + "'");
}

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const Entry& one : optimizers()) names.emplace_back(one.name);
  return names;
}

size_t optimizer_memory(const TrainingConfig& config, std::span<const Matrix> matrices, size_t parameter_count) {
  return optimizer_kind(config).memory(matrices, parameter_count);
}

size_t optimizer_scratch(const TrainingConfig& config, std::span<const Matrix> matrices) {
  const OptimizerKind& kind = optimizer_kind(config);
  return kind.scratch == nullptr ? 0 : kind.scratch(matrices);
}

std::unique_ptr<Optimizer> make_optimizer(const TrainingConfig& config, std::span<const Matrix> matrices,
                                          size_t parameter_count) {
  auto optimizer = optimizer_kind(config).make(config, optimizer_memory(config, matrices, parameter_count));
  optimizer->reserve_scratch(optimizer_scratch(config, matrices));
  return optimizer;
}

}  // namespace atto

// Every task, by the word a study calls it by. A new one is a file that defines <name>_task() and one line here.
#include "base/contains.h"
#include "base/error.h"
#include "data/task_spec.h"

#ifdef ATTO_MORE_PARTS
#include ATTO_MORE_PARTS  // a build with parts of its own (docs/adding-parts.md)
#endif
#ifndef ATTO_MORE_TASKS
#define ATTO_MORE_TASKS(ENTRY)
#endif

#define ATTO_TASKS(ENTRY) \
  ENTRY(copy)             \
  ENTRY(nearest)          \
  ENTRY(unigram)          \
  ENTRY(bigram)           \
  ENTRY(markov)           \
  ENTRY(formula)          \
  ENTRY(table)            \
  ENTRY(function)         \
  ENTRY(recall)           \
  ENTRY(regression)       \
  ATTO_MORE_TASKS(ENTRY)

namespace atto {

#define DECLARE(name) TaskKind name##_task();
ATTO_TASKS(DECLARE)
#undef DECLARE

namespace {

struct Entry {
  const char* name;
  TaskKind kind;
};

const std::vector<Entry>& tasks() {
  static const std::vector<Entry> all = {
#define LIST(name) {#name, name##_task()},
      ATTO_TASKS(LIST)
#undef LIST
  };
  return all;
}

}  // namespace

const TaskKind& task_kind(const DataConfig& config) {
  for (const Entry& one : tasks())
    if (one.name == config.task) return one.kind;
  throw Error(ErrorKind::config, "unknown task '" + config.task + "'");
}

std::vector<std::string> tasks_with(const std::string& key) {
  std::vector<std::string> names;
  for (const Entry& one : tasks())
    if (contains(one.kind.settings, key)) names.emplace_back(one.name);
  return names;
}

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const Entry& one : tasks()) names.emplace_back(one.name);
  return names;
}

}  // namespace atto

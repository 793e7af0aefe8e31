// Every verb, by name. A new one is a file that defines <name>_verb() and one line here.
#include "app/verbs/verbs.h"

#define ATTO_VERBS(ENTRY) \
  ENTRY(list)             \
  ENTRY(run)              \
  ENTRY(reproduce)        \
  ENTRY(multiverse)       \
  ENTRY(explore)          \
  ENTRY(merge)            \
  ENTRY(submit)           \
  ENTRY(work)             \
  ENTRY(status)           \
  ENTRY(collect)          \
  ENTRY(show)             \
  ENTRY(report)           \
  ENTRY(serve)            \
  ENTRY(ledger)           \
  ENTRY(figure)           \
  ENTRY(predict)          \
  ENTRY(export)           \
  ENTRY(check)            \
  ENTRY(prune)            \
  ENTRY(help)

namespace atto {

#define DECLARE(name) Verb name##_verb();
ATTO_VERBS(DECLARE)
#undef DECLARE

const std::vector<NamedVerb>& all_verbs() {
  static const std::vector<NamedVerb> verbs = {
#define LIST(name) {#name, name##_verb()},
      ATTO_VERBS(LIST)
#undef LIST
  };
  return verbs;
}

const Verb* find_verb(const std::string& name) {
  for (const NamedVerb& one : all_verbs())
    if (one.name == name) return &one.verb;
  return nullptr;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const NamedVerb& one : all_verbs()) names.push_back(one.name);
  return names;
}

}  // namespace atto

// Every form of attention, by the word a study calls it by. A new one is a file that defines <name>_attention() and one
// line here.
#include "base/error.h"
#include "network/parts.h"

#ifdef ATTO_MORE_PARTS
#include ATTO_MORE_PARTS  // a build with parts of its own (docs/adding-parts.md)
#endif
#ifndef ATTO_MORE_ATTENTION_FORMS
#define ATTO_MORE_ATTENTION_FORMS(ENTRY)
#endif

#define ATTO_ATTENTION_FORMS(ENTRY) \
  ENTRY(dot)                        \
  ENTRY(distance)                   \
  ENTRY(inverse)                    \
  ENTRY(none)                       \
  ATTO_MORE_ATTENTION_FORMS(ENTRY)

namespace atto {

#define DECLARE(name) AttentionForm name##_attention();
ATTO_ATTENTION_FORMS(DECLARE)
#undef DECLARE

namespace {

struct Entry {
  const char* name;
  AttentionForm form;
};

const std::vector<Entry>& forms() {
  static const std::vector<Entry> all = {
#define LIST(name) {#name, name##_attention()},
      ATTO_ATTENTION_FORMS(LIST)
#undef LIST
  };
  return all;
}

}  // namespace

const AttentionForm& attention_form(const NetworkConfig& config) {
  for (const Entry& one : forms())
    if (one.name == config.kernel) return one.form;
  throw Error(ErrorKind::config, "unknown form of attention '" + config.kernel + "'");
}

std::vector<std::string> attention_form_names() {
  std::vector<std::string> names;
  for (const Entry& one : forms()) names.emplace_back(one.name);
  return names;
}

}  // namespace atto

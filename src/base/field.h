// What is known of one setting, apart from where its value is kept: key, type, range, words and help. TOML, `--set`,
// `--help`, JSON and the content hash all go by it, so they cannot drift apart.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"

namespace atto {

// list: values of one kind. table: values of one kind by any names. record: values of known names, each of its own
// kind.
enum class FieldType { flag, integer, real, word, list, table, record };

struct FieldInfo {
  std::string key;  // dotted path, "data.vocab"
  std::string help;
  FieldType type = FieldType::flag;
  // Inclusive range of a number; choices of a word (empty: any).
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices = {};
  std::shared_ptr<const FieldInfo> item = {};  // of a list or a table: what each value may be
  int64_t length = 0;                          // of a list that has exactly so many; 0: any number
  std::vector<FieldInfo> members = {};         // of a record; those left out have their initial value
  Value initial = {};                          // what it is unless a study says otherwise

  // Part of a run's identity: always, only where it differs from `initial` (keys that came later, so that earlier runs
  // keep their ids), or never (where a file stands, whose content has a key of its own).
  enum class Identity { always, if_set, never };
  Identity identity = Identity::always;

  bool is_number() const { return type == FieldType::integer || type == FieldType::real; }
  bool is_plain() const { return type < FieldType::list; }
  // The value as the field keeps it: an integer is taken for a real field, and a record forgets what it would be
  // anyway. Throws Error(config) naming the key, the offending value and what is allowed.
  Value checked(const Value& value) const;
  // The same of a value as people write it: 1e4 is a whole number.
  Value read(const Value& value) const;
  // The same of a text, read by the field's type ("0.01", "copy", "[attention, mlp]").
  Value parsed(std::string_view text) const;
  // "an integer from 2 to 1048576", "one of copy, nearest": for help and messages.
  std::string allowed() const;
};

// Error(config) about a key that is not among the known ones, with the nearest of them.
[[noreturn]] void refuse_key(std::string_view key, const std::vector<std::string>& known);

}  // namespace atto

// A configuration field is described once: key, type, range, default and help live in one `Field` bound to a variable.
// TOML, `--set`, `--help`, JSON and the content hash all walk the same list, so they cannot drift apart.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace atto {

using Value = std::variant<bool, int64_t, double, std::string>;

// "true", "42", "0.001", "copy": plain text of a value, round-trip exact for doubles; the hash and messages use it.
std::string to_text(const Value& value);

class Field {
 public:
  using Target = std::variant<bool*, int64_t*, double*, std::string*>;

  std::string key;  // dotted path, "data.vocab"
  std::string help;
  Target target;
  // Inclusive range of a number; choices of a word (empty: any).
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices;

  Value get() const;
  // Throws Error(config) naming the key, the offending value and what is allowed. An integer is taken for a real field.
  void set(const Value& value) const;
  // Parses `text` by the field's type ("0.01", "copy"), then set().
  void set_text(std::string_view text) const;
  // "integer 2..1048576", "one of copy, nearest": for help and messages.
  std::string allowed() const;
};

// The fields of one or several configuration structs, in the order of their description.
class Fields {
 public:
  Fields& integer(std::string key, int64_t& target, double low, double high, std::string help);
  Fields& real(std::string key, double& target, double low, double high, std::string help);
  Fields& word(std::string key, std::string& target, std::vector<std::string> choices, std::string help);
  Fields& flag(std::string key, bool& target, std::string help);

  const std::vector<Field>& all() const { return fields_; }
  const Field* find(std::string_view key) const;
  // find(), or Error(config) with the nearest known key.
  const Field& at(std::string_view key) const;

 private:
  std::vector<Field> fields_;
};

// The candidate closest to `word` by edit distance, or "" when none is close enough to be a likely typo.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace atto

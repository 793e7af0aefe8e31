// What is known of one setting, apart from where its value is kept: key, type, range, words and help. TOML, `--set`,
// `--help`, JSON and the content hash all go by it, so they cannot drift apart.
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

enum class FieldType { flag, integer, real, word };

struct FieldInfo {
  std::string key;  // dotted path, "data.vocab"
  std::string help;
  FieldType type = FieldType::flag;
  // Inclusive range of a number; choices of a word (empty: any).
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices;

  bool is_number() const { return type == FieldType::integer || type == FieldType::real; }
  // The value as the field keeps it: an integer is taken for a real field. Throws Error(config) naming the key, the
  // offending value and what is allowed.
  Value checked(const Value& value) const;
  // The same of a text, read by the field's type ("0.01", "copy").
  Value parsed(std::string_view text) const;
  // "an integer from 2 to 1048576", "one of copy, nearest": for help and messages.
  std::string allowed() const;
};

// Error(config) about a key that is not among the known ones, with the nearest of them.
[[noreturn]] void refuse_key(std::string_view key, const std::vector<std::string>& known);

}  // namespace atto

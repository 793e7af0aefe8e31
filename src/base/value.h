// A value of a setting: a flag, a number, a text, a list of values or a table of them by name.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace atto {

struct ValueList;
struct ValueTable;
using Value = std::variant<bool, int64_t, double, std::string, ValueList, ValueTable>;

// Their own types and not containers themselves, because the comparison of a container would ask for that of values,
// which asks for theirs.
struct ValueList {
  std::vector<Value> items;

  friend bool operator==(const ValueList& a, const ValueList& b);
  friend std::partial_ordering operator<=>(const ValueList& a, const ValueList& b);
};

struct ValueTable {
  std::map<std::string, Value> entries;

  friend bool operator==(const ValueTable& a, const ValueTable& b);
  friend std::partial_ordering operator<=>(const ValueTable& a, const ValueTable& b);
};

// "true", "42", "0.001", "copy", "[attention, mlp]", "{W_E = 0.5}": plain text of a value, round-trip exact for
// doubles; messages, tables and captions use it.
std::string to_text(const Value& value);

// What such a text says, as TOML writes it; inside of lists and tables the quotes of plain words may be left out.
// Throws Error(config) that says what does not fit.
Value parse_value(std::string_view text);

}  // namespace atto

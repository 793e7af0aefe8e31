// A TOML text as a tree in which every key and value remembers where it stood, so that any later complaint can point at
// it. The only place that knows toml++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/fields.h"

namespace atto {

struct Place {
  int64_t line = 1, column = 1;
};

struct TomlEntry;

struct TomlNode {
  enum class Kind { scalar, list, table };
  Kind kind = Kind::table;
  Place place;
  Value scalar;                    // of a scalar
  std::vector<TomlNode> items;     // of a list
  std::vector<TomlEntry> entries;  // of a table, in the order of the file

  const TomlEntry* find(std::string_view key) const;
};

struct TomlEntry {
  std::string key;
  Place place;
  TomlNode value;
};

struct TomlDocument {
  std::string path;  // as messages name it
  TomlNode root;

  // Throws an error, of the configuration unless another kind is named, "path:line:column: message".
  [[noreturn]] void fail(Place place, const std::string& message, const std::string& remedy = "",
                         ErrorKind kind = ErrorKind::config) const;
  [[noreturn]] void fail_unknown_key(Place place, const std::string& message, const std::string& remedy = "") const;

 private:
  std::string at(Place place, const std::string& message) const;
};

// Throws Error(config) at the place of a syntax error.
TomlDocument parse_toml(const std::string& text, const std::string& path);

// The node as a value; `scalar` where it is one.
Value to_value(const TomlNode& node);

// "a number", "text", "a list", "a table": what a node is, for messages.
std::string kind_text(const TomlNode& node);

}  // namespace atto

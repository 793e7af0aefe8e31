// Reading a study's tables: each key is asked for by name, and what nobody asked for is an error with the nearest name.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "lab/study/toml_document.h"
#include "spec/run_config.h"

namespace atto {

class TomlReader {
 public:
  // `name` is how messages call the table: "[seeds]", "[[claim]]". Fails if `node` is not a table.
  TomlReader(const TomlDocument& document, const TomlNode& node, std::string name);

  // The value of a key, or null. Asking makes the key a known one.
  const TomlNode* find(const std::string& key);
  const TomlNode& require(const std::string& key);
  std::string text(const std::string& key);           // "" when absent
  std::string required_text(const std::string& key);  // not empty
  const TomlNode* table(const std::string& key);
  // Sets every field that the table mentions; the rest keep their defaults.
  void apply(const Fields& fields);
  // Call first where a misspelt key would be told of as the absence of another: fails at the first key that is none of
  // these. They still have to be asked for.
  void allow(const std::vector<std::string>& keys) const;
  // Call last: fails at the first key that was never asked for.
  void finish() const { allow(known_); }

  [[noreturn]] void fail(const TomlNode& at, const std::string& message, const std::string& remedy = "") const;
  Place place() const { return node_.place; }
  const TomlDocument& document() const { return document_; }

 private:
  const TomlDocument& document_;
  const TomlNode& node_;
  std::string name_;
  std::vector<std::string> known_;
};

// The tables of a list such as [[claim]]; a null list has none.
std::vector<const TomlNode*> table_list(const TomlDocument& document, const TomlNode* list, const std::string& name);

// The words of `["a", "b"]`; `what` names it in messages. Fails when it is empty.
std::vector<std::string> word_list(const TomlDocument& document, const TomlNode& node, const std::string& what);

// The node's value as the field keeps it, or a complaint with the node's place; 1e4 is taken for a whole number where
// one is expected.
Value field_value(const TomlDocument& document, const FieldInfo& field, const TomlNode& node);
void set_field(const TomlDocument& document, const Field& field, const TomlNode& node);

// One value or list under its full dotted key, however its tables were nested: "data.vocab", [data] vocab, data.vocab.
struct Leaf {
  std::string key;
  Place place;
  const TomlNode* node;
};
// The leaves of a table in file order. `prefix` is the path of the table itself, if that belongs to the keys.
std::vector<Leaf> leaves(const TomlDocument& document, const TomlNode& table, const std::string& prefix = "");

// The field of a run that a leaf names. Seeds are refused: the study's [seeds] hands them out.
const RunField& run_field(const TomlDocument& document, const Leaf& leaf);
// A value for the leaf's field, checked and in the field's own type.
Value run_value(const TomlDocument& document, const Leaf& leaf, const TomlNode& node);
// A table of run keys with one value each: { "data.vocab" = 4, "network.width" = 2 }.
std::vector<std::pair<std::string, Value>> run_values(const TomlDocument& document, const TomlNode& table);

// The place of a byte of a text: texts are written on one line, after their quote.
inline Place inside(const TomlNode& text, size_t position) {
  return {text.place.line, text.place.column + 1 + static_cast<int64_t>(position)};
}

// "unknown key 'x'; did you mean 'y'?" over the fields of a run; a key given without its section finds its home.
std::string unknown_run_key(const std::string& key);

}  // namespace atto

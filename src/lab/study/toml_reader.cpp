#include "lab/study/toml_reader.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "base/names.h"
#include "spec/run_config.h"

namespace atto {
namespace {

void collect_leaves(const TomlDocument& document, const TomlNode& table, const std::string& prefix,
                    std::vector<Leaf>& found) {
  for (const TomlEntry& entry : table.entries) {
    const std::string key = prefix.empty() ? entry.key : prefix + "." + entry.key;
    const RunField* field = run_schema().find(key);
    const bool own_table = field != nullptr && field->type == FieldType::table;  // the table is the value
    if (entry.value.kind == TomlNode::Kind::table && !own_table) {
      collect_leaves(document, entry.value, key, found);
      continue;
    }
    // A quoted "data.vocab" beside a nested [data] vocab is legal TOML, but says two things at once.
    if (std::any_of(found.begin(), found.end(), [&](const Leaf& leaf) { return leaf.key == key; }))
      document.fail(entry.place, "'" + key + "' is given twice");
    found.push_back({key, entry.place, &entry.value});
  }
}

}  // namespace

TomlReader::TomlReader(const TomlDocument& document, const TomlNode& node, std::string name)
    : document_(document), node_(node), name_(std::move(name)) {
  if (node.kind != TomlNode::Kind::table)
    document.fail(node.place, name_ + " must be a table, found " + kind_text(node));
}

const TomlNode* TomlReader::find(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  const TomlEntry* entry = node_.find(key);
  return entry ? &entry->value : nullptr;
}

const TomlNode& TomlReader::require(const std::string& key) {
  if (const TomlNode* node = find(key)) return *node;
  // A misspelt key explains a missing one better than the absence does.
  for (const TomlEntry& entry : node_.entries) {
    if (std::find(known_.begin(), known_.end(), entry.key) == known_.end() && nearest_name(entry.key, {key}) == key)
      document_.fail_unknown_key(entry.place,
                                 "unknown key '" + entry.key + "' in " + name_ + did_you_mean(entry.key, {key}));
  }
  document_.fail(node_.place, name_ + " lacks '" + key + "'", "add " + key + " = … below this line");
}

std::string TomlReader::text(const std::string& key) {
  const TomlNode* node = find(key);
  if (!node) return "";
  if (node->kind != TomlNode::Kind::scalar || !std::holds_alternative<std::string>(node->scalar))
    fail(*node, key + " must be text, found " + kind_text(*node));
  return std::get<std::string>(node->scalar);
}

std::string TomlReader::required_text(const std::string& key) {
  const TomlNode& node = require(key);
  std::string value = text(key);
  if (value.empty()) fail(node, key + " must not be empty");
  return value;
}

const TomlNode* TomlReader::table(const std::string& key) {
  const TomlNode* node = find(key);
  if (node && node->kind != TomlNode::Kind::table) fail(*node, key + " must be a table, found " + kind_text(*node));
  return node;
}

void TomlReader::apply(const Fields& fields) {
  for (const Field& field : fields.all())
    if (const TomlNode* node = find(field.key)) set_field(document_, field, *node);
}

void TomlReader::allow(const std::vector<std::string>& keys) const {
  for (const TomlEntry& entry : node_.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    std::string list;
    for (const std::string& key : keys) list += (list.empty() ? "" : ", ") + key;
    document_.fail_unknown_key(entry.place,
                               "unknown key '" + entry.key + "' in " + name_ + did_you_mean(entry.key, keys),
                               "the keys of " + name_ + " are " + list);
  }
}

void TomlReader::fail(const TomlNode& at, const std::string& message, const std::string& remedy) const {
  document_.fail(at.place, name_ + ": " + message, remedy);
}

std::vector<const TomlNode*> table_list(const TomlDocument& document, const TomlNode* list, const std::string& name) {
  std::vector<const TomlNode*> tables;
  if (!list) return tables;
  if (list->kind != TomlNode::Kind::list)
    document.fail(list->place, name + " must be a list of tables, found " + kind_text(*list),
                  "write [[" + name + "]] above each one");
  for (const TomlNode& item : list->items) {
    if (item.kind != TomlNode::Kind::table)
      document.fail(item.place, name + " must be a list of tables, found " + kind_text(item) + " in it");
    tables.push_back(&item);
  }
  return tables;
}

std::vector<std::string> word_list(const TomlDocument& document, const TomlNode& node, const std::string& what) {
  if (node.kind != TomlNode::Kind::list)
    document.fail(node.place, what + " must be a list of texts, found " + kind_text(node));
  if (node.items.empty()) document.fail(node.place, what + " must name at least one");
  std::vector<std::string> words;
  for (const TomlNode& item : node.items) {
    if (item.kind != TomlNode::Kind::scalar || !std::holds_alternative<std::string>(item.scalar))
      document.fail(item.place, what + " must hold texts, found " + kind_text(item));
    words.push_back(std::get<std::string>(item.scalar));
  }
  return words;
}

Value field_value(const TomlDocument& document, const FieldInfo& field, const TomlNode& node) {
  const bool plain = node.kind == TomlNode::Kind::scalar, wanted_plain = field.is_plain();
  if (plain != wanted_plain)
    document.fail(node.place, field.key + " must be " + field.allowed() + ", found " + kind_text(node));
  // Item by item, so that a complaint points at the one that is wrong.
  if (field.type == FieldType::list && node.kind == TomlNode::Kind::list)
    for (const TomlNode& item : node.items) field_value(document, *field.item, item);
  try {
    return field.read(to_value(node));
  } catch (const Error& error) {
    document.fail(node.place, error.what(), error.remedy());
  }
}

void set_field(const TomlDocument& document, const Field& field, const TomlNode& node) {
  field.assign(field_value(document, field, node));
}

std::vector<Leaf> leaves(const TomlDocument& document, const TomlNode& table, const std::string& prefix) {
  if (table.kind != TomlNode::Kind::table)
    document.fail(table.place, "expected a table of keys such as \"data.vocab\", found " + kind_text(table));
  std::vector<Leaf> found;
  collect_leaves(document, table, prefix, found);
  // data.vocab, network.width, data.context: nesting has brought the first and the last together.
  std::stable_sort(found.begin(), found.end(), [](const Leaf& a, const Leaf& b) {
    return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
  });
  return found;
}

const RunField& run_field(const TomlDocument& document, const Leaf& leaf) {
  const RunField* field = run_schema().find(leaf.key);
  if (!field) document.fail_unknown_key(leaf.place, unknown_run_key(leaf.key), "`atto help keys` lists every key");
  if (field->key.starts_with("seeds."))
    document.fail(leaf.place, "'" + leaf.key + "' cannot be set: every run of a cell gets seeds of its own",
                  "choose them with [seeds] first, count and vary");
  return *field;
}

Value run_value(const TomlDocument& document, const Leaf& leaf, const TomlNode& node) {
  return field_value(document, run_field(document, leaf), node);
}

std::vector<std::pair<std::string, Value>> run_values(const TomlDocument& document, const TomlNode& table) {
  std::vector<std::pair<std::string, Value>> values;
  for (const Leaf& leaf : leaves(document, table)) values.emplace_back(leaf.key, run_value(document, leaf, *leaf.node));
  return values;
}

std::string unknown_run_key(const std::string& key) {
  const std::string bare = key.substr(key.rfind('.') + 1);
  std::vector<std::string> names, homes;
  for (const RunField& field : run_schema().all()) {
    if (field.key.starts_with("seeds.")) continue;
    names.push_back(field.key);
    if (field.key.ends_with("." + bare)) homes.push_back(field.key);
  }
  const std::string hint = homes.empty() ? did_you_mean(key, names) : "; did you mean '" + homes.front() + "'?";
  return "unknown key '" + key + "'" + hint;
}

}  // namespace atto

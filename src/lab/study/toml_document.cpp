#include "lab/study/toml_document.h"

#include <toml++/toml.h>

#include <algorithm>
#include <tuple>

#include "base/unknown_key.h"

namespace atto {
namespace {

Place place_of(const toml::source_region& region) {
  return {static_cast<int64_t>(region.begin.line), static_cast<int64_t>(region.begin.column)};
}

TomlNode convert(const toml::node& node, const TomlDocument& document);

TomlNode convert_table(const toml::table& table, const TomlDocument& document) {
  TomlNode result;
  for (const auto& [key, value] : table)
    result.entries.push_back({std::string(key.str()), place_of(key.source()), convert(value, document)});
  // toml++ sorts keys by name; a study's axes and claims keep the order they were written in.
  std::stable_sort(result.entries.begin(), result.entries.end(), [](const TomlEntry& a, const TomlEntry& b) {
    return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
  });
  return result;
}

TomlNode convert(const toml::node& node, const TomlDocument& document) {
  TomlNode result;
  if (const auto* table = node.as_table()) {
    result = convert_table(*table, document);
  } else if (const auto* array = node.as_array()) {
    result.kind = TomlNode::Kind::list;
    for (const toml::node& item : *array) result.items.push_back(convert(item, document));
  } else {
    result.kind = TomlNode::Kind::scalar;
    if (const auto* flag = node.as_boolean()) result.scalar = flag->get();
    else if (const auto* whole = node.as_integer()) result.scalar = whole->get();
    else if (const auto* real = node.as_floating_point()) result.scalar = real->get();
    else if (const auto* text = node.as_string()) result.scalar = text->get();
    else document.fail(place_of(node.source()), "a date or a time has no meaning in a study");
  }
  result.place = place_of(node.source());
  return result;
}

// Keys are read into tables within tables, and those recursively: a limit keeps a file from exhausting the stack.
// Nested values have the parser's own limit. Text in quotes counts as one part of a key, whatever is in it.
class KeyParts {
 public:
  KeyParts(const std::string& text, const TomlDocument& document) : text_(text), document_(document) {}

  void require_few() {
    int64_t parts = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_quoted(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (c == '.' && ++parts >= kMostParts)
        document_.fail(place(), "a key has more than " + std::to_string(kMostParts) + " parts",
                       "no setting has more than four");
      if (std::string_view("=[]{},\n").find(c) != std::string_view::npos) parts = 0;
      ++at_;
    }
  }

 private:
  static constexpr int64_t kMostParts = 32;

  void skip_quoted(char quote) {
    const std::string three(3, quote);
    const bool long_one = text_.compare(at_, 3, three) == 0;
    at_ += long_one ? 3 : 1;
    for (; at_ < text_.size(); ++at_) {
      if (quote == '"' && text_[at_] == '\\') ++at_;
      else if (long_one ? text_.compare(at_, 3, three) == 0 : text_[at_] == quote || text_[at_] == '\n') break;
    }
    at_ = std::min(at_ + (long_one ? 3 : 1), text_.size());
  }
  Place place() const {
    const std::string_view before(text_.data(), at_);
    const size_t line_start = before.rfind('\n') + 1;
    return {1 + std::count(before.begin(), before.end(), '\n'), static_cast<int64_t>(at_ - line_start) + 1};
  }

  const std::string& text_;
  const TomlDocument& document_;
  size_t at_ = 0;
};

}  // namespace

const TomlEntry* TomlNode::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const TomlEntry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

void TomlDocument::fail(Place place, const std::string& message, const std::string& remedy, ErrorKind kind) const {
  throw Error(kind, at(place, message), remedy);
}

void TomlDocument::fail_unknown_key(Place place, const std::string& message, const std::string& remedy) const {
  throw UnknownKey(at(place, message), remedy);
}

std::string TomlDocument::at(Place place, const std::string& message) const {
  return path + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + message;
}

TomlDocument parse_toml(const std::string& text, const std::string& path) {
  TomlDocument document{path, {}};
  KeyParts(text, document).require_few();
  try {
    document.root = convert_table(toml::parse(text, path), document);
  } catch (const toml::parse_error& error) {
    document.fail(place_of(error.source()), std::string(error.description()), "the file must be valid TOML (toml.io)");
  }
  return document;
}

Value to_value(const TomlNode& node) {
  if (node.kind == TomlNode::Kind::scalar) return node.scalar;
  if (node.kind == TomlNode::Kind::list) {
    ValueList list;
    for (const TomlNode& item : node.items) list.items.push_back(to_value(item));
    return list;
  }
  ValueTable table;
  for (const TomlEntry& entry : node.entries) table.entries[entry.key] = to_value(entry.value);
  return table;
}

std::string kind_text(const TomlNode& node) {
  if (node.kind == TomlNode::Kind::table) return "a table";
  if (node.kind == TomlNode::Kind::list) return "a list";
  if (std::holds_alternative<bool>(node.scalar)) return to_text(node.scalar);
  if (std::holds_alternative<std::string>(node.scalar)) return "the text \"" + to_text(node.scalar) + "\"";
  return "the number " + to_text(node.scalar);
}

}  // namespace atto

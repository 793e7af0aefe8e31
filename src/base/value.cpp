#include "base/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/number_text.h"

namespace atto {
namespace {

bool is_word(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == '*';
  };
  for (const char c : text)
    if (!plain(c)) return false;
  return !text.empty();
}

Value word_value(std::string_view word);

// A text inside of a list: in quotes where it would not read back otherwise.
std::string inner_text(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (!text) return to_text(value);
  if (is_word(*text) && std::holds_alternative<std::string>(word_value(*text))) return *text;
  return "\"" + *text + "\"";
}

std::string list_text(const ValueList& list) {
  std::string text;
  for (const Value& item : list.items) text += (text.empty() ? "" : ", ") + inner_text(item);
  return "[" + text + "]";
}

std::string table_text(const ValueTable& table) {
  std::string text;
  for (const auto& [key, item] : table.entries)
    text += (text.empty() ? "" : ", ") + inner_text(key) + " = " + inner_text(item);
  return "{" + text + "}";
}

// A flag or a number where the word is one.
Value word_value(std::string_view word) {
  if (word == "true") return true;
  if (word == "false") return false;
  const char *first = word.data(), *last = first + word.size();
  int64_t whole = 0;
  if (const auto [end, status] = std::from_chars(first, last, whole); status == std::errc() && end == last)
    return whole;
  double real = 0;
  if (const auto [end, status] = read_number(first, last, real); status == std::errc() && end == last) return real;
  return std::string(word);
}

class ValueReader {
 public:
  explicit ValueReader(std::string_view text) : text_(text) {}

  Value whole() {
    Value value = read(0);
    skip_blanks();
    if (at_ < text_.size()) fail("'" + std::string(text_.substr(at_)) + "' is left over");
    return value;
  }

 private:
  static constexpr int kDeepest = 20;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::config, "cannot read the value '" + std::string(text_.substr(0, 200)) + "': " + what,
                "write lists as [a, b], tables as {name = 1}, as in TOML");
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  // The text between quotes, or a bare word.
  std::string_view word(bool& quoted) {
    skip_blanks();
    quoted = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
    if (quoted) {
      const char quote = text_[at_++];
      const size_t end = text_.find(quote, at_);
      if (end == std::string_view::npos) fail("a quote is not closed");
      const std::string_view inside = text_.substr(at_, end - at_);
      at_ = end + 1;
      return inside;
    }
    const size_t start = at_;
    while (at_ < text_.size() && (is_word(text_.substr(at_, 1)) || text_[at_] == '+')) ++at_;
    if (at_ == start)
      fail(at_ < text_.size() ? "'" + std::string(1, text_[at_]) + "' does not fit" : "it ends too early");
    return text_.substr(start, at_ - start);
  }

  Value read(int depth) {
    if (depth > kDeepest) fail("it nests too deeply");
    if (take('[')) {
      ValueList list;
      while (!take(']')) {
        if (!list.items.empty() && !take(',')) fail("a list needs commas and a ']'");
        if (!list.items.empty() && take(']')) break;  // a comma may close the list
        list.items.push_back(read(depth + 1));
      }
      return list;
    }
    if (take('{')) {
      ValueTable table;
      while (!take('}')) {
        if (!table.entries.empty() && !take(',')) fail("a table needs commas and a '}'");
        bool quoted = false;
        std::string key(word(quoted));
        if (!take('=')) fail("'" + key + "' has no value");
        if (!table.entries.emplace(key, read(depth + 1)).second) fail("'" + key + "' is given twice");
      }
      return table;
    }
    bool quoted = false;
    const std::string_view plain = word(quoted);
    return quoted ? Value(std::string(plain)) : word_value(plain);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

bool operator==(const ValueList& a, const ValueList& b) { return a.items == b.items; }
std::partial_ordering operator<=>(const ValueList& a, const ValueList& b) {
  return std::lexicographical_compare_three_way(a.items.begin(), a.items.end(), b.items.begin(), b.items.end());
}
bool operator==(const ValueTable& a, const ValueTable& b) { return a.entries == b.entries; }
std::partial_ordering operator<=>(const ValueTable& a, const ValueTable& b) {
  return std::lexicographical_compare_three_way(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end());
}

std::string to_text(const Value& value) {
  struct Visitor {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return shortest_text(d); }
    std::string operator()(const std::string& s) const { return s; }
    std::string operator()(const ValueList& list) const { return list_text(list); }
    std::string operator()(const ValueTable& table) const { return table_text(table); }
  };
  return std::visit(Visitor{}, value);
}

Value parse_value(std::string_view text) { return ValueReader(text).whole(); }

}  // namespace atto

#include "base/field.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/names.h"

namespace atto {
namespace {

std::string number_text(double number) {
  char buffer[40];
  const auto [end, status] = std::to_chars(buffer, buffer + sizeof buffer, number);
  return std::string(buffer, end);
}

[[noreturn]] void refuse(const FieldInfo& field, const std::string& given, const std::string& hint = "") {
  throw Error(ErrorKind::config, field.key + " = " + given + " is not allowed: expected " + field.allowed() + hint);
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

}  // namespace

std::string to_text(const Value& value) {
  struct Visitor {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return number_text(d); }
    std::string operator()(const std::string& s) const { return s; }
  };
  return std::visit(Visitor{}, value);
}

Value FieldInfo::checked(const Value& value) const {
  const std::string given = std::holds_alternative<std::string>(value) ? quoted(to_text(value)) : to_text(value);
  switch (type) {
    case FieldType::flag:
      if (!std::holds_alternative<bool>(value)) refuse(*this, given);
      return value;
    case FieldType::integer: {
      const auto* number = std::get_if<int64_t>(&value);
      if (!number || static_cast<double>(*number) < low || static_cast<double>(*number) > high) refuse(*this, given);
      return value;
    }
    case FieldType::real: {
      double number = 0;
      if (const auto* real = std::get_if<double>(&value)) number = *real;
      else if (const auto* whole = std::get_if<int64_t>(&value)) number = static_cast<double>(*whole);
      else refuse(*this, given);
      if (!(number >= low && number <= high)) refuse(*this, given);  // also turns NaN away
      return number;
    }
    case FieldType::word:
      break;
  }
  const auto* text = std::get_if<std::string>(&value);
  if (!text) refuse(*this, given);
  if (!choices.empty() && std::find(choices.begin(), choices.end(), *text) == choices.end())
    refuse(*this, given, did_you_mean(*text, choices));
  return value;
}

Value FieldInfo::parsed(std::string_view text) const {
  if (type == FieldType::word) return checked(std::string(text));
  if (type == FieldType::flag) {
    if (text == "true") return true;
    if (text == "false") return false;
    refuse(*this, quoted(text));
  }
  const char* first = text.data();
  const char* last = first + text.size();
  int64_t whole = 0;
  if (const auto [end, status] = std::from_chars(first, last, whole); status == std::errc() && end == last)
    return checked(whole);
  double real = 0;
  if (const auto [end, status] = std::from_chars(first, last, real); status == std::errc() && end == last) {
    // "1e4" is a whole number too.
    if (type == FieldType::integer && std::floor(real) == real && std::abs(real) < 9e15)
      return checked(static_cast<int64_t>(real));
    return checked(real);
  }
  refuse(*this, quoted(text));
}

std::string FieldInfo::allowed() const {
  if (type == FieldType::flag) return "true or false";
  if (type == FieldType::word) {
    if (choices.empty()) return "text";
    std::string list;
    for (const auto& choice : choices) list += (list.empty() ? "" : ", ") + choice;
    return choices.size() == 1 ? list : "one of " + list;
  }
  const std::string name = type == FieldType::integer ? "an integer" : "a number";
  const bool from = std::isfinite(low), to = std::isfinite(high);
  if (from && to) return name + " from " + number_text(low) + " to " + number_text(high);
  if (from) return name + " of at least " + number_text(low);
  if (to) return name + " of at most " + number_text(high);
  return name;
}

void refuse_key(std::string_view key, const std::vector<std::string>& known) {
  throw Error(ErrorKind::config, "unknown key '" + std::string(key) + "'" + did_you_mean(key, known),
              "`atto help keys` lists every key");
}

}  // namespace atto

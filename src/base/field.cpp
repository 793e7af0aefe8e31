#include "base/field.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/names.h"
#include "base/unknown_key.h"

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

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string given_text(const Value& value) {
  return std::holds_alternative<std::string>(value) ? in_quotes(to_text(value)) : to_text(value);
}

// The value with 1e4 turned into a whole number wherever one is expected.
Value with_whole_numbers(const FieldInfo& field, const Value& value) {
  const auto* real = std::get_if<double>(&value);
  if (real && field.type == FieldType::integer && std::floor(*real) == *real && std::abs(*real) < 9e15)
    return static_cast<int64_t>(*real);
  if (const auto* list = std::get_if<ValueList>(&value); list && field.type == FieldType::list) {
    ValueList items;
    for (const Value& item : list->items) items.items.push_back(with_whole_numbers(*field.item, item));
    return items;
  }
  if (const auto* table = std::get_if<ValueTable>(&value); table && !field.is_plain()) {
    ValueTable entries = *table;
    for (auto& [key, item] : entries.entries) {
      if (field.type == FieldType::table) item = with_whole_numbers(*field.item, item);
      for (const FieldInfo& member : field.members)
        if (member.key == key) item = with_whole_numbers(member, item);
    }
    return entries;
  }
  return value;
}

Value checked_list(const FieldInfo& field, const Value& value) {
  const auto* list = std::get_if<ValueList>(&value);
  if (!list || (field.length > 0 && std::ssize(list->items) != field.length)) refuse(field, given_text(value));
  ValueList items;
  for (const Value& item : list->items) items.items.push_back(field.item->checked(item));
  return items;
}

Value checked_table(const FieldInfo& field, const Value& value) {
  const auto* table = std::get_if<ValueTable>(&value);
  if (!table) refuse(field, given_text(value));
  ValueTable entries;
  for (const auto& [key, item] : table->entries) {
    FieldInfo named = *field.item;
    named.key = field.key + "." + key;
    entries.entries[key] = named.checked(item);
  }
  return entries;
}

Value checked_record(const FieldInfo& field, const Value& value) {
  const auto* table = std::get_if<ValueTable>(&value);
  if (!table) refuse(field, given_text(value));
  ValueTable entries;
  for (const auto& [key, item] : table->entries) {
    const auto member = std::find_if(field.members.begin(), field.members.end(),
                                     [&key = key](const FieldInfo& one) { return one.key == key; });
    if (member == field.members.end()) {
      std::vector<std::string> known;
      std::string list;
      for (const FieldInfo& one : field.members) {
        known.push_back(one.key);
        list += (list.empty() ? "" : ", ") + one.key;
      }
      throw Error(ErrorKind::config, "unknown key '" + key + "' in " + field.key + did_you_mean(key, known),
                  "the keys of " + field.key + " are " + list);
    }
    FieldInfo named = *member;
    named.key = field.key + "." + key;
    if (Value kept = named.checked(item); kept != member->initial) entries.entries[key] = std::move(kept);
  }
  return entries;
}

}  // namespace

Value FieldInfo::checked(const Value& value) const {
  const std::string given = given_text(value);
  switch (type) {
    case FieldType::list:
      return checked_list(*this, value);
    case FieldType::table:
      return checked_table(*this, value);
    case FieldType::record:
      return checked_record(*this, value);
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

Value FieldInfo::read(const Value& value) const { return checked(with_whole_numbers(*this, value)); }

Value FieldInfo::parsed(std::string_view text) const {
  if (!is_plain()) {
    try {
      return read(parse_value(text));
    } catch (const Error& error) {
      const std::string what = error.what();
      if (what.starts_with("cannot read")) throw Error(ErrorKind::config, key + ": " + what, error.remedy());
      throw;
    }
  }
  if (type == FieldType::word) return checked(std::string(text));
  if (type == FieldType::flag) {
    if (text == "true") return true;
    if (text == "false") return false;
    refuse(*this, in_quotes(text));
  }
  const char* first = text.data();
  const char* last = first + text.size();
  int64_t whole = 0;
  if (const auto [end, status] = std::from_chars(first, last, whole); status == std::errc() && end == last)
    return checked(whole);
  double real = 0;
  if (const auto [end, status] = std::from_chars(first, last, real); status == std::errc() && end == last) {
    return read(real);
  }
  refuse(*this, in_quotes(text));
}

std::string FieldInfo::allowed() const {
  if (type == FieldType::flag) return "true or false";
  if (type == FieldType::list && length > 0) return "a list of " + std::to_string(length) + ", each " + item->allowed();
  if (type == FieldType::list) return "a list, each " + item->allowed();
  if (type == FieldType::table) return "a table of names, each with " + item->allowed();
  if (type == FieldType::record) {
    std::string list;
    for (const FieldInfo& member : members) list += (list.empty() ? "" : ", ") + member.key;
    return "a table with keys of " + list;
  }
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
  throw UnknownKey("unknown key '" + std::string(key) + "'" + did_you_mean(key, known),
                   "`atto help keys` lists every key");
}

}  // namespace atto

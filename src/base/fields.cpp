#include "base/fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"

namespace atto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string number_text(double number) {
  char buffer[40];
  const auto [end, status] = std::to_chars(buffer, buffer + sizeof buffer, number);
  return std::string(buffer, end);
}

// Levenshtein distance with adjacent transpositions counted as one slip.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

[[noreturn]] void refuse(const Field& field, const std::string& given) {
  throw Error(ErrorKind::config, field.key + " = " + given + " is not allowed: expected " + field.allowed());
}

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

Value Field::get() const {
  return std::visit([](auto* variable) { return Value(*variable); }, target);
}

void Field::set(const Value& value) const {
  const std::string given = std::holds_alternative<std::string>(value) ? "\"" + to_text(value) + "\"" : to_text(value);
  if (std::holds_alternative<bool*>(target)) {
    if (!std::holds_alternative<bool>(value)) refuse(*this, given);
    *std::get<bool*>(target) = std::get<bool>(value);
  } else if (std::holds_alternative<int64_t*>(target)) {
    if (!std::holds_alternative<int64_t>(value)) refuse(*this, given);
    const auto number = std::get<int64_t>(value);
    if (static_cast<double>(number) < low || static_cast<double>(number) > high) refuse(*this, given);
    *std::get<int64_t*>(target) = number;
  } else if (std::holds_alternative<double*>(target)) {
    double number = 0;
    if (const auto* real = std::get_if<double>(&value)) number = *real;
    else if (const auto* whole = std::get_if<int64_t>(&value)) number = static_cast<double>(*whole);
    else refuse(*this, given);
    if (!(number >= low && number <= high)) refuse(*this, given);  // also turns NaN away
    *std::get<double*>(target) = number;
  } else {
    if (!std::holds_alternative<std::string>(value)) refuse(*this, given);
    const auto& text = std::get<std::string>(value);
    if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) {
      const std::string near = nearest_name(text, choices);
      throw Error(ErrorKind::config, key + " = " + given + " is not allowed: expected " + allowed() +
                                         (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    *std::get<std::string*>(target) = text;
  }
}

void Field::set_text(std::string_view text) const {
  const char* first = text.data();
  const char* last = first + text.size();
  if (std::holds_alternative<std::string*>(target)) return set(Value(std::string(text)));
  if (std::holds_alternative<bool*>(target)) {
    if (text == "true") return set(Value(true));
    if (text == "false") return set(Value(false));
    refuse(*this, "\"" + std::string(text) + "\"");
  }
  int64_t whole = 0;
  if (const auto [end, status] = std::from_chars(first, last, whole); status == std::errc() && end == last)
    return set(Value(whole));
  double real = 0;
  if (const auto [end, status] = std::from_chars(first, last, real); status == std::errc() && end == last) {
    // "1e4" is a whole number too.
    if (std::holds_alternative<int64_t*>(target) && std::floor(real) == real && std::abs(real) < 9e15)
      return set(Value(static_cast<int64_t>(real)));
    return set(Value(real));
  }
  refuse(*this, "\"" + std::string(text) + "\"");
}

std::string Field::allowed() const {
  if (std::holds_alternative<bool*>(target)) return "true or false";
  if (std::holds_alternative<std::string*>(target)) {
    if (choices.empty()) return "text";
    std::string list;
    for (const auto& choice : choices) list += (list.empty() ? "" : ", ") + choice;
    return choices.size() == 1 ? list : "one of " + list;
  }
  std::string type = std::holds_alternative<int64_t*>(target) ? "an integer" : "a number";
  const bool from = std::isfinite(low), to = std::isfinite(high);
  if (from && to) return type + " from " + number_text(low) + " to " + number_text(high);
  if (from) return type + " of at least " + number_text(low);
  if (to) return type + " of at most " + number_text(high);
  return type;
}

Fields& Fields::integer(std::string key, int64_t& target, double low, double high, std::string help) {
  fields_.push_back({std::move(key), std::move(help), &target, low, high, {}});
  return *this;
}

Fields& Fields::real(std::string key, double& target, double low, double high, std::string help) {
  fields_.push_back({std::move(key), std::move(help), &target, low, high, {}});
  return *this;
}

Fields& Fields::word(std::string key, std::string& target, std::vector<std::string> choices, std::string help) {
  fields_.push_back({std::move(key), std::move(help), &target, -kInfinity, kInfinity, std::move(choices)});
  return *this;
}

Fields& Fields::flag(std::string key, bool& target, std::string help) {
  fields_.push_back(Field{std::move(key), std::move(help), &target, -kInfinity, kInfinity, {}});
  return *this;
}

const Field* Fields::find(std::string_view key) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(), [&](const Field& field) { return field.key == key; });
  return found == fields_.end() ? nullptr : &*found;
}

const Field& Fields::at(std::string_view key) const {
  if (const Field* field = find(key)) return *field;
  std::vector<std::string> names;
  for (const Field& field : fields_) names.push_back(field.key);
  const std::string near = nearest_name(key, names);
  throw Error(ErrorKind::config,
              "unknown key '" + std::string(key) + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
              "`atto help keys` lists every key");
}

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  size_t best_distance = 1 + std::max<size_t>(2, word.size() / 3);
  for (const auto& candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace atto

// Writes a study as TOML, for tests that read it back.
#pragma once

#include <string>

#include "base/fields.h"
#include "lab/study/study.h"

namespace atto {

inline std::string toml_text(const std::string& text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted += std::string("\\") + c;
    else if (byte < 0x20 || byte == 0x7f) quoted += std::string("\\u00") + kHex[byte >> 4] + kHex[byte & 15];
    else quoted += c;
  }
  return quoted + "\"";
}

inline std::string toml_value(const Value& value) {
  if (const auto* list = std::get_if<ValueList>(&value)) {
    std::string text;
    for (const Value& item : list->items) text += (text.empty() ? "" : ", ") + toml_value(item);
    return "[" + text + "]";
  }
  if (const auto* table = std::get_if<ValueTable>(&value)) {
    std::string text;
    for (const auto& [key, item] : table->entries)
      text += (text.empty() ? "" : ", ") + toml_text(key) + " = " + toml_value(item);
    return "{" + text + "}";
  }
  if (const auto* text = std::get_if<std::string>(&value)) return toml_text(*text);
  std::string text = to_text(value);
  const bool is_real = std::holds_alternative<double>(value);
  if (is_real && text.find_first_of(".einf") == std::string::npos) text += ".0";
  return text;
}

inline std::string toml_values(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) text += (text.empty() ? "" : ", ") + toml_value(value);
  return "[" + text + "]";
}

inline std::string toml_table(const Overrides& entries) {
  std::string text;
  for (const auto& [key, value] : entries)
    text += (text.empty() ? "" : ", ") + toml_text(key) + " = " + toml_value(value);
  return "{" + text + "}";
}

inline std::string toml_study(const Study& study) {
  std::string text = "title = " + toml_text(study.title) + "\nsource = " + toml_text(study.source) +
                     "\nsummary = " + toml_text(study.summary) + "\n";
  RunConfig base = study.base;
  const Fields fields = Fields().all_of(base, run_schema());
  for (const Field& field : fields.all())
    if (!field.key.starts_with("seeds.") && field.get() != field.initial)
      text += field.key + " = " + toml_value(field.get()) + "\n";
  for (const Observation& one : study.observe) {
    text += "[[observe]]\nwhat = " + toml_values({one.what.begin(), one.what.end()}) + "\n";
    if (one.when.every) text += "every = " + std::to_string(one.when.every) + "\n";
    if (one.when.linear) text += "linear = " + std::to_string(one.when.linear) + "\n";
    if (one.when.log) text += "log = " + std::to_string(one.when.log) + "\n";
    if (!one.when.at.empty()) text += "at = " + toml_values({one.when.at.begin(), one.when.at.end()}) + "\n";
  }
  if (!study.sweep.grid.empty()) text += "[sweep.grid]\n";
  for (const auto& axis : study.sweep.grid) text += toml_text(axis.key) + " = " + toml_values(axis.values) + "\n";
  for (const auto& group : study.sweep.zips) {
    text += "[[sweep.zip]]\n";
    for (const auto& axis : group) text += axis.key + " = " + toml_values(axis.values) + "\n";
  }
  for (const Overrides& cell : study.sweep.cells) {
    text += "[[sweep.cells]]\n";
    for (const auto& [key, value] : cell) text += toml_text(key) + " = " + toml_value(value) + "\n";
  }
  text += "[seeds]\ncount = " + std::to_string(study.seeds.count) + "\nfirst = " + std::to_string(study.seeds.first) +
          "\nvary = " + toml_text(to_word(study.seeds.vary)) + "\n";
  for (const auto& [where, count] : study.seeds.exceptions)
    text += "[[seeds.exceptions]]\nwhere = " + toml_table(where) + "\ncount = " + std::to_string(count) + "\n";
  for (const Phenomenon& one : study.phenomena)
    text += "[[phenomenon]]\ndetector = " + toml_text(one.detector_name) + "\nname = " + toml_text(one.name) + "\n";
  for (const Claim& claim : study.claims) {
    text += "[[claim]]\nid = " + toml_text(claim.id) + "\nstatement = " + toml_text(claim.statement) +
            "\nsource = " + toml_text(claim.source) + "\npublished = " + toml_text(claim.published) +
            "\nquantity = " + toml_text(claim.quantity) + "\nstatistic = " + toml_text(to_word(claim.statistic)) +
            "\nwhere = " + toml_table(claim.where) + "\nregion = " + toml_values({claim.low, claim.high}) + "\n";
    if (claim.against)
      text += "against = " + toml_table(*claim.against) + "\ncompare = " + toml_text(to_word(claim.compare)) + "\n";
    if (!claim.relative_to.empty()) text += "relative_to = " + toml_text(claim.relative_to) + "\n";
  }
  return text;
}

}  // namespace atto

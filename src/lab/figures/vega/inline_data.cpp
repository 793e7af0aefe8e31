#include "lab/figures/vega/inline_data.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "base/error.h"

namespace atto {
namespace {

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string real_text(double number) {
  if (!std::isfinite(number)) return "";
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.4g", number == 0 ? 0.0 : number);
  return buffer.data();
}

}  // namespace

DataTable::DataTable(std::vector<std::string> columns) : columns_(std::move(columns)), numeric_(columns_.size(), true) {
  for (size_t i = 0; i < columns_.size(); ++i) text_ += (i == 0 ? "" : ",") + csv_text(columns_[i]);
  text_ += "\n";
}

void DataTable::row(std::initializer_list<Entry> entries) { row(std::vector<Entry>(entries)); }

void DataTable::row(const std::vector<Entry>& entries) {
  if (entries.size() != columns_.size())
    throw Error(ErrorKind::internal, "a row of " + std::to_string(entries.size()) + " entries in a table of " +
                                         std::to_string(columns_.size()) + " columns");
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) text_ += ",";
    if (const auto* real = std::get_if<double>(&entries[i])) text_ += real_text(*real);
    else if (const auto* whole = std::get_if<int64_t>(&entries[i])) text_ += std::to_string(*whole);
    else {
      text_ += csv_text(std::get<std::string>(entries[i]));
      numeric_[i] = false;
    }
  }
  text_ += "\n";
  ++rows_;
}

Json DataTable::data() const {
  Json parse = Json::object();
  for (size_t i = 0; i < columns_.size(); ++i) parse[columns_[i]] = numeric_[i] ? "number" : "string";
  return {{"values", text_}, {"format", {{"type", "csv"}, {"parse", parse}}}};
}

}  // namespace atto

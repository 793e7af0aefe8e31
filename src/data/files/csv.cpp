// Tables of numbers as text: a line is a row, separated by commas, semicolons, tabs or blanks. The first line may name
// the columns. Empty lines and lines that begin with '#' are left out. In the column "split" the words train and test
// stand for 0 and 1.
#include <algorithm>
#include <optional>

#include "base/number_text.h"
#include "data/files/formats.h"

namespace atto {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\"";
  const size_t first = text.find_first_not_of(kBlank);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

char separator_of(std::string_view line) {
  for (const char one : {',', ';', '\t'})
    if (line.find(one) != std::string_view::npos) return one;
  return ' ';
}

struct CsvField {
  std::string_view text;
  size_t column;  // from 1
};

std::vector<CsvField> fields_of(std::string_view line, char separator) {
  std::vector<CsvField> fields;
  for (size_t at = 0; at <= line.size();) {
    size_t end = line.find(separator, at);
    if (end == std::string_view::npos) end = line.size();
    const std::string_view text = trimmed(line.substr(at, end - at));
    if (separator != ' ' || !text.empty()) fields.push_back({text, at + 1});  // several blanks are one
    at = end + 1;
  }
  return fields;
}

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [stop, status] = read_number(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void parse_csv(std::string_view bytes, NumberFile& file) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);  // the mark that some programs open UTF-8 with
  NumberArray array;
  char separator = 0;
  size_t width = 0, line_number = 0, first_line = 0;
  for (size_t at = 0; at < bytes.size();) {
    size_t end = bytes.find('\n', at);
    if (end == std::string_view::npos) end = bytes.size();
    const std::string_view line = bytes.substr(at, end - at);
    at = end + 1;
    ++line_number;
    if (trimmed(line).empty() || trimmed(line).starts_with('#')) continue;
    if (separator == 0) separator = separator_of(line);
    const std::vector<CsvField> fields = fields_of(line, separator);
    const std::string place = file.name + ":" + std::to_string(line_number);
    if (width == 0) {
      width = fields.size();
      first_line = line_number;
      const auto is_name = [](const CsvField& field) { return !field.text.empty() && !number_of(field.text); };
      if (std::any_of(fields.begin(), fields.end(), is_name)) {
        for (const CsvField& field : fields) file.columns.emplace_back(field.text);
        continue;
      }
    }
    if (fields.size() != width)
      refuse_file(place + ": " + std::to_string(fields.size()) + " values, but line " + std::to_string(first_line) +
                      " has " + std::to_string(width),
                  "give every row the same number of values");
    for (size_t i = 0; i < width; ++i) {
      std::optional<double> value = number_of(fields[i].text);
      if (!value && !file.columns.empty() && file.columns[i] == "split") {
        if (fields[i].text == "train") value = 0;
        if (fields[i].text == "test") value = 1;
      }
      if (!value)
        refuse_file(place + ":" + std::to_string(fields[i].column) + ": '" + std::string(fields[i].text.substr(0, 40)) +
                        "' is not a number",
                    "write numbers such as 3, 0.25 or 1e-3");
      array.values.push_back(*value);
    }
    array.lines.push_back(line_number);
  }
  if (array.lines.empty())
    refuse_file(file.name + ": the file holds no rows of numbers", "check that it is the right file");
  array.shape = {array.lines.size(), width};
  file.arrays.push_back(std::move(array));
}

}  // namespace atto

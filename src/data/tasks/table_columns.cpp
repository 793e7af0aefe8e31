#include "data/tasks/table_columns.h"

#include <cmath>
#include <map>
#include <string>

#include "base/error.h"

namespace atto {
namespace {

[[noreturn]] void refuse_table(const std::string& what, const std::string& remedy) {
  throw Error(ErrorKind::config, what, remedy);
}

const char* const kColumns =
    "name the columns x0, x1, .. for the tokens, answer (or answer0, answer1, ..), weight and split, or give "
    "data.context "
    "tokens and the answers without a header";

TableColumns named_columns(const NumberFile& file, const DataConfig& config) {
  const NumberArray& array = file.arrays.front();
  TableColumns table;
  table.rows = array.shape[0];
  std::map<std::string, TableColumn> by_name;
  for (size_t i = 0; i < file.columns.size(); ++i)
    if (!by_name.insert({file.columns[i], {&array, i}}).second)
      refuse_table(file.name + ": two columns are called '" + file.columns[i] + "'", kColumns);
  const auto take = [&](const std::string& name) -> std::optional<TableColumn> {
    const auto found = by_name.find(name);
    if (found == by_name.end()) return std::nullopt;
    const TableColumn column = found->second;
    by_name.erase(found);
    return column;
  };
  for (int64_t i = 0; i < config.context; ++i) {
    const std::string name = "x" + std::to_string(i);
    const auto column = take(name);
    if (!column)
      refuse_table(file.name + ": data.context = " + std::to_string(config.context) + ", but no column '" + name + "'",
                   kColumns);
    table.tokens.push_back(*column);
  }
  for (int64_t i = 0; i < config.context; ++i)
    if (const auto column = take("answer" + std::to_string(i))) table.answers.push_back(*column);
    else if (!table.answers.empty())
      refuse_table(file.name + ": no column 'answer" + std::to_string(i) + "' after those of earlier positions",
                   kColumns);
  if (const auto column = take("answer")) {
    if (!table.answers.empty()) refuse_table(file.name + ": both 'answer' and answers by position", kColumns);
    table.answers.push_back(*column);
  }
  table.weight = take("weight");
  table.test = take("split");
  if (!by_name.empty())
    refuse_table(file.name + ": nobody knows the column '" + by_name.begin()->first + "'", kColumns);
  return table;
}

TableColumns plain_columns(const NumberFile& file, const DataConfig& config) {
  const NumberArray& array = file.arrays.front();
  const auto context = static_cast<size_t>(config.context);
  if (array.shape.size() != 2 || array.shape[1] <= context)
    refuse_table(file.name + ": data.context = " + std::to_string(context) + " wants rows of " +
                     std::to_string(context) + " tokens and an answer, but the file has " + shape_text(array.shape),
                 kColumns);
  TableColumns table;
  table.rows = array.shape[0];
  for (size_t i = 0; i < context; ++i) table.tokens.push_back({&array, i});
  for (size_t i = context; i < array.shape[1]; ++i) table.answers.push_back({&array, i});
  return table;
}

TableColumns archive_columns(const NumberFile& file, const DataConfig& config) {
  TableColumns table;
  const auto find = [&](const std::string& name) {
    const NumberArray* array = file.find(name);
    if (array && table.rows != 0 && (array->shape.empty() || array->shape[0] != table.rows))
      refuse_table(file.name + ": " + name + " has " + shape_text(array->shape) + ", but there are " +
                       std::to_string(table.rows) + " rows of tokens",
                   "give one entry for each row");
    return array;
  };
  const NumberArray* tokens = find("tokens");
  if (!tokens || tokens->shape.size() != 2 || tokens->shape[1] != static_cast<size_t>(config.context))
    refuse_table(file.name + ": data.context = " + std::to_string(config.context) + " wants an array tokens[rows][" +
                     std::to_string(config.context) + "]" +
                     (tokens ? ", but that in the file has " + shape_text(tokens->shape) : ""),
                 "save it with numpy.savez(path, tokens=.., answers=..)");
  table.rows = tokens->shape[0];
  for (size_t i = 0; i < tokens->shape[1]; ++i) table.tokens.push_back({tokens, i});
  const NumberArray* answers = find("answers");
  if (!answers || answers->shape.size() > 2)
    refuse_table(file.name + ": there is no array answers[rows]",
                 "save it with numpy.savez(path, tokens=.., answers=..)");
  for (size_t i = 0; i < (answers->shape.size() == 1 ? 1 : answers->shape[1]); ++i)
    table.answers.push_back({answers, i});
  for (const auto& [name, column] : {std::pair{"weights", &table.weight}, std::pair{"test", &table.test}}) {
    const NumberArray* array = find(name);
    if (array && array->shape.size() != 1)
      refuse_table(file.name + ": " + name + " has " + shape_text(array->shape), "give one number for each row");
    if (array) *column = TableColumn{array, 0};
  }
  return table;
}

}  // namespace

TableColumns table_columns(const DataConfig& config) {
  const NumberFile& file = number_file(config);
  TableColumns table = !file.columns.empty()    ? named_columns(file, config)
                       : file.arrays.size() > 1 ? archive_columns(file, config)
                                                : plain_columns(file, config);
  const bool every = config.targets == Targets::every;
  if (table.answers.empty()) refuse_table(file.name + ": the rows have no answers", kColumns);
  if (table.answers.size() > table.tokens.size())
    refuse_table(file.name + ": " + std::to_string(table.answers.size()) + " answers of " +
                     std::to_string(table.tokens.size()) + " positions",
                 kColumns);
  if (every && table.answers.size() == 1 && config.context > 1)
    refuse_table(file.name + ": data.targets = \"every\", but there is one answer in a row",
                 "give an answer for every position, or set data.targets = \"last\"");
  if (!every) table.answers.erase(table.answers.begin(), table.answers.end() - 1);
  return table;
}

TableParts table_parts(const DataConfig& config, const TableColumns& table) {
  const NumberFile& file = number_file(config);
  const auto check_token = [&](const TableColumn& column, size_t row, const std::string& what) {
    const double value = column.at(row);
    if (!(value >= 0 && value < static_cast<double>(config.vocab) && value == std::floor(value)))
      refuse_table(file.place(*column.array, row) + ": the " + what + " " + to_text(value) + " is none of the " +
                       std::to_string(config.vocab) + " tokens",
                   "tokens are whole numbers from 0 to data.vocab - 1 = " + std::to_string(config.vocab - 1));
  };
  TableParts parts;
  double total[2] = {0, 0}, first = -1;
  for (size_t row = 0; row < table.rows; ++row) {
    for (size_t i = 0; i < table.tokens.size(); ++i) check_token(table.tokens[i], row, "token x" + std::to_string(i));
    for (const TableColumn& answer : table.answers) check_token(answer, row, "answer");
    const double weight = table.weight_of(row), test = table.test ? table.test->at(row) : 0;
    if (!(weight >= 0 && std::isfinite(weight)))
      refuse_table(file.place(*table.weight->array, row) + ": " + to_text(weight) + " is no weight", "give 0 or more");
    if (test != 0 && test != 1)
      refuse_table(file.place(*table.test->array, row) + ": " + to_text(test) + " is neither train (0) nor test (1)",
                   "write train or test, or 0 or 1");
    (test == 1 ? parts.test : parts.train).push_back(static_cast<uint32_t>(row));
    total[test == 1 ? 1 : 0] += weight;
    if (test == 1) continue;
    if (first < 0) first = weight;
    parts.equal = parts.equal && weight == first;
  }
  for (const bool test : {false, true}) {
    if (test && !table.test) continue;
    if (total[test ? 1 : 0] > 0) continue;
    refuse_table(file.name + ": no row " + ((test ? parts.test : parts.train).empty() ? "" : "of a weight above 0 ") +
                     "is left to " + (test ? "test" : "train") + " on",
                 test ? "mark some rows as test, or leave that column out" : "mark some rows as train");
  }
  return parts;
}

}  // namespace atto

#include "app/export/export_tables.h"

#include <algorithm>
#include <limits>

#include "app/export/parquet.h"
#include "lab/results/recordings.h"
#include "lab/results/results_json.h"

namespace atto {
namespace {

ParquetKind kind_of(const Value& value) {
  if (std::holds_alternative<bool>(value)) return ParquetKind::truth;
  if (std::holds_alternative<int64_t>(value)) return ParquetKind::integer;
  return std::holds_alternative<double>(value) ? ParquetKind::real : ParquetKind::text;
}

// The keys that cells differ in, each as the narrowest kind that holds all its values.
class CellColumns {
 public:
  void add(const Overrides& overrides) {
    for (const auto& [key, value] : overrides) {
      const auto found =
          std::find_if(columns_.begin(), columns_.end(), [&](const auto& one) { return one.name == key; });
      const ParquetKind kind = kind_of(value);
      if (found == columns_.end()) columns_.push_back({key, kind});
      else if (found->kind != kind)
        found->kind = is_number(found->kind) && is_number(kind) ? ParquetKind::real : ParquetKind::text;
    }
  }
  const std::vector<ParquetColumn>& columns() const { return columns_; }
  void put(const Overrides& overrides, std::vector<ParquetValue>& row) const {
    for (const ParquetColumn& column : columns_) {
      const auto found =
          std::find_if(overrides.begin(), overrides.end(), [&](const auto& one) { return one.first == column.name; });
      row.push_back(found == overrides.end() ? ParquetValue() : as(found->second, column.kind));
    }
  }

 private:
  static bool is_number(ParquetKind kind) { return kind == ParquetKind::integer || kind == ParquetKind::real; }
  static ParquetValue as(const Value& value, ParquetKind kind) {
    if (kind == ParquetKind::text) return to_text(value);
    if (const auto* truth = std::get_if<bool>(&value)) return *truth;
    if (const auto* real = std::get_if<double>(&value)) return *real;
    const int64_t integer = std::get<int64_t>(value);
    if (kind == ParquetKind::real) return static_cast<double>(integer);
    return integer;
  }

  std::vector<ParquetColumn> columns_;
};

std::vector<ParquetColumn> with_cells(const CellColumns& cells, const std::vector<ParquetColumn>& others) {
  std::vector<ParquetColumn> all = {{"study", ParquetKind::text}};
  all.insert(all.end(), cells.columns().begin(), cells.columns().end());
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

// What a verdict's JSON says, as a column wants it: numbers that JSON lacks are words there.
ParquetValue value_in(const Json& json, ParquetKind kind) {
  if (json.is_null()) return {};
  if (kind == ParquetKind::truth) return json.get<bool>();
  if (kind == ParquetKind::integer) return json.get<int64_t>();
  if (kind == ParquetKind::text) return json.is_string() ? json.get<std::string>() : json.dump();
  if (!json.is_string()) return json.get<double>();
  const double infinity = std::numeric_limits<double>::infinity();
  return json.get<std::string>().starts_with('-') ? -infinity : infinity;
}

}  // namespace

void write_scalars(const std::filesystem::path& path, const Selection& selection, const Store& store,
                   const std::vector<std::string>& observables) {
  CellColumns cells;
  for (const PickedCell& cell : selection.cells) cells.add(cell.overrides);
  ParquetWriter table(path, with_cells(cells, {{"seed", ParquetKind::integer},
                                               {"run", ParquetKind::text},
                                               {"observable", ParquetKind::text},
                                               {"step", ParquetKind::integer},
                                               {"value", ParquetKind::real}}));
  for (const PickedCell& cell : selection.cells) {
    std::vector<std::string> addresses = recorded(selection, cell, store);
    if (!observables.empty())
      std::erase_if(addresses, [&](const auto& one) {
        return std::find(observables.begin(), observables.end(), one) == observables.end();
      });
    for (const PickedRun& run : cell.runs) {
      const Recording recording = load_series({selection.study, store, cell.settings}, run.id, addresses);
      for (const Series& series : recording.series) {
        if (!series.shape.empty()) continue;
        std::vector<ParquetValue> row = {selection.origin.value("study", "")};
        cells.put(cell.overrides, row);
        row.insert(row.end(), {run.seed, run.id, series.address, int64_t{0}, 0.0});
        for (size_t i = 0; i < series.steps.size(); ++i) {
          row[row.size() - 2] = series.steps[i];
          row.back() = series.values[i];
          table.row(row);
        }
      }
    }
  }
  table.finish();
}

void write_outcomes(const std::filesystem::path& path, const StudyResult& result) {
  CellColumns cells;
  for (const CellResult& cell : result.cells) cells.add(cell.cell.overrides);
  ParquetWriter table(path, with_cells(cells, {{"seed", ParquetKind::integer},
                                               {"run", ParquetKind::text},
                                               {"quantity", ParquetKind::text},
                                               {"value", ParquetKind::real},
                                               {"censored", ParquetKind::truth},
                                               {"diverged", ParquetKind::truth}}));
  for (const CellResult& cell : result.cells) {
    for (const QuantitySummary& quantity : cell.quantities) {
      for (size_t i = 0; i < cell.runs.size(); ++i) {
        const Outcome& outcome = quantity.outcomes[i];
        std::vector<ParquetValue> row = {result.study.name};
        cells.put(cell.cell.overrides, row);
        row.insert(row.end(), {cell.runs[i].seed, cell.runs[i].id, quantity.name});
        row.push_back(outcome.exists() ? ParquetValue(*outcome.value) : ParquetValue());
        row.insert(row.end(), {outcome.censored, outcome.diverged});
        table.row(row);
      }
    }
  }
  table.finish();
}

void write_verdicts(const std::filesystem::path& path, const StudyResult& result) {
  using enum ParquetKind;
  const std::vector<ParquetColumn> columns = {
      {"study", text},    {"claim", text},      {"statement", text},   {"published", text},    {"source", text},
      {"quantity", text}, {"statistic", text},  {"verdict", text},     {"adjusted", text},     {"estimate", real},
      {"low", real},      {"high", real},       {"anytime_low", real}, {"anytime_high", real}, {"rests_on", text},
      {"error", real},    {"reason", text},     {"origin", text},      {"scope", text},        {"status", text},
      {"seeds", integer}, {"missing", integer}, {"censored", integer}, {"diverged", integer},  {"cells", integer},
      {"looks", integer}, {"paired", truth}};
  std::vector<ParquetColumn> all = columns;
  all.insert(all.end(), {{"region_low", real}, {"region_high", real}});
  ParquetWriter table(path, all);
  for (const Json& verdict : verdicts_with_status_json(result)) {
    std::vector<ParquetValue> row;
    for (const ParquetColumn& column : columns) row.push_back(value_in(verdict.at(column.name), column.kind));
    for (const size_t end : {0, 1}) row.push_back(value_in(verdict.at("region").at(end), real));
    table.row(row);
  }
  table.finish();
}

}  // namespace atto

// What the tests of figures of numbers share: a detector that finds in a run the number it was made with.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/fields.h"
#include "lab/figures/figure_samples.h"

namespace atto {

// `time`: the last value of `clue`, censored from 1000 on and missing below 0; `shown`: is there one?
class ClueDetector final : public Detector {
 public:
  void describe(Fields&) override {}
  SeriesNeeds needs() const override { return {SeriesNeed::scalar("clue")}; }
  std::vector<QuantityHelp> quantities() const override {
    return {{"step", "when it came"}, {"shown", "1 if it came", true}};
  }
  Finding detect(const Recording& recording, const RunConfig&) const override {
    const double clue = recording.find("clue")->values.back();
    if (std::isnan(clue) || clue < 0) return {{"step", {}}, {"shown", 0}};
    return {{"step", clue, clue >= 1000}, {"shown", clue >= 1000 ? 0.0 : 1.0}};
  }
};

class NumbersTest : public FigureTest {
 protected:
  NumbersTest() { study_.phenomena = {{"event", std::make_shared<ClueDetector>(), "clue"}}; }

  // A run for each clue; NaN is a run that diverged.
  void add_clues(const Overrides& overrides, const std::vector<double>& clues) {
    std::vector<Recording> runs;
    for (const double clue : clues)
      runs.push_back(recording_of({scalar_series("clue", {0, 10}, {1, clue})},
                                  std::isnan(clue) ? std::optional<int64_t>(7) : std::nullopt));
    add_cell(overrides, runs);
  }
  Claim& add_claim(const std::string& quantity, Statistic statistic, CellFilter where, double low, double high) {
    Claim& claim = study_.claims.emplace_back();
    claim.id = "C" + std::to_string(study_.claims.size());
    claim.statement = "so it is";
    claim.quantity = quantity;
    claim.statistic = statistic;
    claim.where = std::move(where);
    claim.low = low;
    claim.high = high;
    return claim;
  }
};

// Cells handed over as they would come from a store, which is slow to fill with many: each has one seed that ends at
// the clue.
inline StudyResult result_of(const Study& study, const std::vector<std::pair<Overrides, double>>& clues) {
  StudyResult result{study, {}, {}, {}};
  for (const auto& [overrides, clue] : clues) {
    CellResult& cell = result.cells.emplace_back();
    cell.cell = {overrides, study.base, 1};
    for (const auto& [key, value] : overrides) run_schema().at(key).set(cell.cell.config, value);
    cell.seeds = 1;
    cell.runs = {{"run", 1, false}};
    ObservableSummary& summary = cell.observables.emplace_back();
    summary.address = "clue";
    summary.finals = {{clue}};
  }
  return result;
}

inline Drawing draw_result(const FigureKind& kind, const StudyResult& result, const Store& store) {
  FigureSource source{result, store, {}};
  for (const CellResult& cell : result.cells) source.cells.push_back(&cell);
  return kind.draw(source);
}

// Every table of data in a specification, in the order it stands there.
inline void find_tables(const Json& part, std::vector<std::vector<DataRow>>& tables) {
  if (!part.is_structured()) return;
  if (part.is_object() && part.contains("values") && part.at("values").is_string() && part.contains("format"))
    tables.push_back(rows_of(part));
  for (const Json& inner : part) find_tables(inner, tables);
}

// The rows of the first table that has this column.
inline std::vector<DataRow> rows_with(const Json& spec, const std::string& column) {
  std::vector<std::vector<DataRow>> tables;
  find_tables(spec, tables);
  for (const auto& table : tables)
    if (!table.empty() && table.front().contains(column)) return table;
  return {};
}

inline double number(const DataRow& row, const std::string& column) { return std::stod(row.at(column)); }

}  // namespace atto

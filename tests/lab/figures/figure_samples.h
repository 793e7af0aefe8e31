// What the tests of figures share: a study of hand-made runs in a store, a kind set up as a study's file would, and the
// rows of data that its specification holds.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/fields.h"
#include "lab/figures/figure.h"
#include "lab/store/store_samples.h"

namespace atto {

inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// One row of a table of a specification, by column; numbers as they are written.
using DataRow = std::map<std::string, std::string>;

// The rows of {"values": CSV, "format": ...}; quoted entries may hold commas, quotes and line ends.
inline std::vector<DataRow> rows_of(const Json& data) {
  const std::string text = data.at("values").get<std::string>();
  std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') lines.back().back() += text[++i];
    else if (c == '"') quoted = !quoted;
    else if (!quoted && c == ',') lines.back().emplace_back();
    else if (!quoted && c == '\n') lines.emplace_back(1);
    else lines.back().back() += c;
  }
  lines.pop_back();  // after the last line end
  std::vector<DataRow> rows;
  for (size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].size(), lines[0].size()) << "line " << i;
    DataRow row;
    for (size_t column = 0; column < lines[0].size(); ++column) row[lines[0][column]] = lines[i].at(column);
    rows.push_back(std::move(row));
  }
  return rows;
}

// The views of a figure: the parts of a concat, or the one there is.
inline std::vector<Json> views_of(const Json& spec) {
  if (!spec.contains("concat")) return {spec};
  return spec.at("concat").get<std::vector<Json>>();
}

// A scalar series, a value for each step.
inline Series scalar_series(const std::string& address, std::vector<int64_t> steps, std::vector<double> values) {
  return {address, {}, std::move(steps), std::move(values)};
}

// A matrix series whose row r at step s is place(s, r).
template <typename Place>
Series matrix_series(const std::string& address, int64_t rows, int64_t width, const std::vector<int64_t>& steps,
                     Place&& place) {
  Series series{address, {rows, width}, steps, {}};
  for (const int64_t step : steps)
    for (int64_t row = 0; row < rows; ++row)
      for (const double value : place(step, row)) series.values.push_back(value);
  return series;
}

inline Recording recording_of(std::vector<Series> series, std::optional<int64_t> diverged_at = {}) {
  Recording recording;
  for (const Series& one : series)
    if (!one.steps.empty()) recording.steps_done = std::max(recording.steps_done, one.steps.back());
  recording.diverged_at = diverged_at;
  recording.series = std::move(series);
  return recording;
}

class FigureTest : public StoreFolder {
 protected:
  FigureTest() : store_(path(), Store::Mode::write) { study_.name = "sample"; }

  // A cell set apart by `overrides`, with a run for each recording.
  void add_cell(const Overrides& overrides, const std::vector<Recording>& recordings) {
    Cell cell{overrides, study_.base, std::ssize(recordings)};
    for (const auto& [key, value] : overrides) run_schema().at(key).set(cell.config, value);
    std::vector<FinishedRun> finished;
    for (size_t seed = 0; seed < recordings.size(); ++seed) {
      const std::string id = "run" + std::to_string(runs_.size());
      finished.push_back({id, "{}", 1, 1, recordings[seed], 0.1});
      runs_.push_back({cells_.size(), static_cast<int64_t>(seed), cell.config, id});
      for (const Series& series : recordings[seed].series) observe(series.address);
    }
    store_.save(finished);
    cells_.push_back(cell);
  }

  // `toml` as it would stand under [[figure]], `where` without it: all cells.
  Figure draw(const std::string& kind_name, const std::string& toml = "", const CellFilter& where = {}) {
    FigurePlan plan;
    plan.name = "figure";
    plan.kind_name = kind_name;
    plan.title = "A figure";
    plan.where = where;
    plan.kind = kind(kind_name, toml);
    return draw_figure(plan, collect(study_, cells_, runs_, store_), store_);
  }

  static std::shared_ptr<const FigureKind> kind(const std::string& name, const std::string& toml) {
    std::unique_ptr<FigureKind> made = make_figure_kind(name);
    FigureSettings settings;
    made->describe(settings);
    const TomlDocument document = parse_toml(toml, "figure.toml");
    TomlReader reader(document, document.root, "[[figure]]");
    settings.read(reader);
    reader.finish();
    return made;
  }

  Store store_;
  Study study_;
  std::vector<Cell> cells_;
  std::vector<atto::Run> runs_;  // inside a test, Run is GoogleTest's

 private:
  void observe(const std::string& address) {
    if (study_.observe.empty()) study_.observe.emplace_back();
    std::vector<std::string>& what = study_.observe.front().what;
    if (std::find(what.begin(), what.end(), address) == what.end()) what.push_back(address);
  }
};

}  // namespace atto

#include "app/export/export_series.h"

#include <algorithm>
#include <limits>
#include <set>

#include "app/export/npz.h"
#include "base/error.h"
#include "lab/results/recordings.h"

namespace atto {
namespace {

// What to export of this cell: all it has, or what was asked for of that.
std::vector<std::string> asked_of(const Selection& selection, const PickedCell& cell, const Store& store,
                                  const std::vector<std::string>& asked) {
  std::vector<std::string> addresses = recorded(selection, cell, store);
  if (!asked.empty())
    std::erase_if(addresses,
                  [&](const auto& one) { return std::find(asked.begin(), asked.end(), one) == asked.end(); });
  return addresses;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

// One observable of a cell on a common list of steps: [seeds, steps, ...], NaN where a run was not measured.
void add_cell(NpzWriter& npz, const std::string& cell_name, const std::vector<Recording>& runs,
              const std::string& address) {
  std::set<int64_t> all_steps;
  const std::vector<int64_t>* extents = nullptr;
  size_t block = 1;
  for (const Recording& run : runs) {
    if (const Series* series = run.find(address)) {
      all_steps.insert(series->steps.begin(), series->steps.end());
      if (extents != nullptr && *extents != series->shape)
        throw Error(ErrorKind::store, "the runs of a cell have recorded '" + address + "' in different shapes",
                    "`atto check` tells whether the store is whole; train the runs again");
      extents = &series->shape;
      block = series->block();
    }
  }
  const std::vector<int64_t> steps(all_steps.begin(), all_steps.end());
  std::vector<size_t> shape = {runs.size(), steps.size()};
  for (const int64_t extent : *extents) shape.push_back(static_cast<size_t>(extent));
  std::vector<double> values(runs.size() * steps.size() * block, std::numeric_limits<double>::quiet_NaN());
  for (size_t run = 0; run < runs.size(); ++run) {
    const Series* series = runs[run].find(address);
    if (series == nullptr) continue;
    for (size_t moment = 0; moment < series->steps.size(); ++moment) {
      const auto place = std::lower_bound(steps.begin(), steps.end(), series->steps[moment]) - steps.begin();
      std::copy_n(
          series->values.begin() + static_cast<std::ptrdiff_t>(moment * block), block,
          values.begin() + static_cast<std::ptrdiff_t>((run * steps.size() + static_cast<size_t>(place)) * block));
    }
  }
  npz.add(cell_name + "/" + address + "/steps", {steps.size()}, steps);
  npz.add(cell_name + "/" + address + "/values", shape, values);
}

}  // namespace

std::vector<std::string> recorded(const Selection& selection, const PickedCell& cell, const Store& store) {
  std::vector<std::string> addresses;
  if (cell.runs.empty()) return addresses;
  // Runs of a cell differ in nothing but seeds, so one tells for all.
  for (const Series& series : series_of({selection.study, store, cell.settings}, cell.runs.front().id))
    addresses.push_back(series.address);
  return addresses;
}

void write_csv(const std::filesystem::path& path, const Selection& selection, const Store& store,
               const std::vector<std::string>& observables) {
  std::vector<std::string> keys;
  for (const PickedCell& cell : selection.cells)
    for (const auto& [key, value] : cell.overrides)
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  OutputFile file(path);
  std::string head = "study";
  for (const std::string& key : keys) head += "," + csv_field(key);
  file.write(head + ",seed,run,observable,step,value\n");
  for (const PickedCell& cell : selection.cells) {
    std::string cell_fields = csv_field(selection.origin.value("study", ""));
    for (const std::string& key : keys) {
      cell_fields += ",";
      for (const auto& [name, value] : cell.overrides)
        if (name == key) cell_fields += csv_field(to_text(value));
    }
    const std::vector<std::string> addresses = asked_of(selection, cell, store, observables);
    for (const PickedRun& run : cell.runs) {
      const Recording recording = load_series({selection.study, store, cell.settings}, run.id, addresses);
      for (const Series& series : recording.series) {
        if (!series.shape.empty()) {
          if (observables.empty()) continue;
          throw Error(ErrorKind::usage,
                      "'" + series.address + "' is not a number a step but a matrix; CSV cannot hold it",
                      "use --format npz");
        }
        std::string lines;
        const std::string start =
            cell_fields + "," + std::to_string(run.seed) + "," + run.id + "," + csv_field(series.address) + ",";
        for (size_t i = 0; i < series.steps.size(); ++i)
          lines += start + std::to_string(series.steps[i]) + "," + to_text(Value(series.values[i])) + "\n";
        file.write(lines);
      }
    }
  }
  file.commit();
}

void write_npz(const std::filesystem::path& path, const Selection& selection, const Store& store,
               const std::vector<std::string>& observables) {
  NpzWriter npz(path);
  for (size_t index = 0; index < selection.cells.size(); ++index) {
    const PickedCell& cell = selection.cells[index];
    if (cell.runs.empty()) continue;
    const std::string cell_name = "cell" + std::to_string(index);
    std::vector<int64_t> seeds;
    for (const PickedRun& run : cell.runs) seeds.push_back(run.seed);
    npz.add(cell_name + "/seeds", {seeds.size()}, seeds);
    for (const std::string& address :
         asked_of(selection, cell, store, observables)) {  // one at a time: maps of many runs are large
      std::vector<Recording> runs;
      for (const PickedRun& run : cell.runs)
        runs.push_back(load_series({selection.study, store, cell.settings}, run.id, {address}));
      add_cell(npz, cell_name, runs, address);
    }
  }
  npz.finish();
}

}  // namespace atto

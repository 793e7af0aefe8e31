#include "lab/results/recordings.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/contains.h"
#include "base/error.h"
#include "math/expression/lanes.h"

namespace atto {
namespace {

const DerivedQuantity* find_derived(const Study& study, const std::string& name) {
  for (const DerivedQuantity& one : study.quantities)
    if (one.name == name) return &one;
  return nullptr;
}

void add_address(std::vector<std::string>& list, const std::string& address) {
  if (!contains(list, address)) list.push_back(address);
}

// The vector and the entry that an address names; the address itself and none for others.
std::pair<std::string, std::optional<size_t>> without_entry(const std::string& address) {
  const size_t bracket = address.find('[');
  if (bracket == std::string::npos || !address.ends_with("]")) return {address, std::nullopt};
  size_t entry = 0;
  const char *first = address.data() + bracket + 1, *last = address.data() + address.size() - 1;
  if (std::from_chars(first, last, entry).ptr != last) return {address, std::nullopt};
  return {address.substr(0, bracket), entry};
}

// What must be loaded to know a series: itself, or all that a quantity is made of.
void add_stored(const RecordedCell& cell, const std::string& address, std::vector<std::string>& stored) {
  const DerivedQuantity* quantity = find_derived(cell.study, address);
  if (!quantity) {
    add_address(stored, address);
    return;
  }
  for (const Expression::Name& name : quantity->expression.names())
    if (!constant_of_run(cell.config, std::nullopt, name.name)) add_stored(cell, name.name, stored);
}

// The steps at which all of these were measured.
std::vector<int64_t> common_steps(const std::vector<const Series*>& inputs) {
  std::vector<int64_t> steps;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i == 0) {
      steps = inputs[i]->steps;
      continue;
    }
    std::vector<int64_t> both;
    std::set_intersection(steps.begin(), steps.end(), inputs[i]->steps.begin(), inputs[i]->steps.end(),
                          std::back_inserter(both));
    steps = std::move(both);
  }
  return steps;
}

// The measurements of a series at these of its steps.
std::vector<double> values_at(const Series& series, const std::vector<int64_t>& steps) {
  if (series.steps == steps) return series.values;
  std::vector<double> values;
  values.reserve(steps.size() * series.block());
  size_t at = 0;
  for (const int64_t step : steps) {
    while (series.steps[at] != step) ++at;
    const auto first = series.values.begin() + static_cast<std::ptrdiff_t>(at * series.block());
    values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(series.block()));
  }
  return values;
}

// A quantity over the steps of a run, which are the lanes of its program. One that reads constants only has one value,
// at the last step.
Series derive(const DerivedQuantity& quantity, const RecordedCell& cell, const Recording& recording) {
  const std::vector<Expression::Name>& names = quantity.expression.names();
  std::vector<const Series*> read;      // by name; nullptr for a constant
  std::vector<const Series*> measured;  // the others
  for (const Expression::Name& name : names) {
    read.push_back(recording.find(name.name));
    if (read.back()) measured.push_back(read.back());
  }
  Series series{quantity.name, {}, common_steps(measured), {}};
  if (measured.empty()) series.steps = {recording.steps_done};
  std::vector<std::vector<double>> values;
  std::vector<LaneInput> inputs;
  for (size_t i = 0; i < names.size(); ++i) {
    values.push_back(read[i] ? values_at(*read[i], series.steps)
                             : std::vector{*constant_of_run(cell.config, recording.best_loss, names[i].name)});
    inputs.push_back(read[i] ? values_by_lane(values.back().data(), read[i]->block())
                             : every_lane(values.back().data()));
  }
  size_t next = 0;
  const LaneProgram program(quantity.expression, [&](const std::string&) {
    const Series* input = read[next++];
    return input ? input->shape : Shape{};
  });
  series.shape = program.shape();
  series.values.resize(series.steps.size() * series.block());
  LaneScratch scratch = program.scratch();
  program.run(inputs, series.steps.size(), series.values.data(), scratch);
  return series;
}

Series entry_of(const Series& vector, size_t entry, const std::string& address) {
  if (vector.shape.size() != 1 || entry >= vector.block())
    throw Error(ErrorKind::missing, "'" + vector.address + "' has no entry " + std::to_string(entry));
  Series series{address, {}, vector.steps, {}};
  for (size_t at = entry; at < vector.values.size(); at += vector.block()) series.values.push_back(vector.values[at]);
  return series;
}

}  // namespace

std::vector<Series> series_of(const RecordedCell& cell, const std::string& run_id) {
  std::vector<Series> all;
  for (const Series& one : cell.source.load(run_id).series) all.push_back({one.address, one.shape, {}, {}});
  const auto shape_of = [&](const std::string& name) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Series& one) { return one.address == name; });
    return found == all.end() ? Shape{} : found->shape;
  };
  for (const DerivedQuantity& one : cell.study.quantities) {
    Shape shape = one.expression.shape(shape_of);
    all.push_back({one.name, std::move(shape), {}, {}});
  }
  return all;
}

Recording load_series(const RecordedCell& cell, const std::string& run_id, const std::vector<std::string>& addresses) {
  std::vector<std::string> stored, derived;
  for (const std::string& address : addresses) {
    const std::string whole = without_entry(address).first;
    add_stored(cell, whole, stored);
    if (find_derived(cell.study, whole)) add_address(derived, whole);
  }
  Recording recording = cell.source.load(run_id, stored);
  if (stored.size() == addresses.size() && derived.empty() && stored == addresses) return recording;
  // The study has its quantities in an order in which each comes after those it reads.
  std::vector<std::string> wanted = derived;
  for (size_t i = 0; i < wanted.size(); ++i)
    for (const Expression::Name& name : find_derived(cell.study, wanted[i])->expression.names())
      if (find_derived(cell.study, name.name)) add_address(wanted, name.name);
  for (const DerivedQuantity& one : cell.study.quantities)
    if (contains(wanted, one.name)) recording.series.push_back(derive(one, cell, recording));
  for (const std::string& address : addresses)
    if (const auto [whole, entry] = without_entry(address); entry && !recording.find(address))
      recording.series.push_back(entry_of(*recording.find(whole), *entry, address));
  // What was only read on the way is dropped.
  std::erase_if(recording.series, [&](const Series& one) { return !contains(addresses, one.address); });
  return recording;
}

std::string entry_address(const std::string& address, int64_t entry) {
  return address + "[" + std::to_string(entry) + "]";
}

}  // namespace atto

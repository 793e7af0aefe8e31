#include "lab/results/cell_values.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/results/format_text.h"

namespace atto {
namespace {

const std::string kPlateau = "plateau.present";

}  // namespace

std::optional<double> cell_value(const CellResult& cell, const std::string& name) {
  const QuantitySummary* quantity = find_quantity(cell, name);
  const double value = cell_estimate(cell, name, quantity && quantity->fraction).value;
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

Estimate cell_estimate(const CellResult& cell, const std::string& name, bool share) {
  return summarise(outcomes_of(cell, name), share ? Statistic::rate : Statistic::median);
}

std::string default_quantity(const StudyResult& result) {
  std::string first;
  for (const CellResult& cell : result.cells) {
    for (const QuantitySummary& one : cell.quantities) {
      if (one.name == kPlateau) return one.name;
      if (first.empty()) first = one.name;
    }
    if (first.empty() && !cell.observables.empty()) first = cell.observables.front().address;
  }
  return first;
}

std::string default_quantity(const Study& study) {
  std::string first;
  for (const Phenomenon& phenomenon : study.phenomena)
    for (const QuantityHelp& one : phenomenon.detector->quantities()) {
      std::string full = phenomenon.name + "." + one.name;
      if (full == kPlateau) return full;
      if (first.empty()) first = full;
    }
  return first;
}

std::string telling_quantity(const StudyResult& result) {
  const std::string fallback = default_quantity(result);
  std::vector<std::string> candidates{fallback};
  for (const ClaimResult& one : result.claims) candidates.push_back(one.claim.quantity);
  for (const CellResult& cell : result.cells) {
    for (const QuantitySummary& one : cell.quantities) candidates.push_back(one.name);
    for (const ObservableSummary& one : cell.observables) candidates.push_back(one.address);
    if (cell.seeds > 0) break;  // cells without runs have no observables
  }
  for (const std::string& name : candidates) {
    std::set<double> values;
    for (const CellResult& cell : result.cells)
      if (const std::optional<double> value = cell_value(cell, name); value && !std::isnan(*value))
        values.insert(*value);
    if (values.size() > 1) return name;
  }
  return fallback;
}

bool is_share(const std::vector<const CellResult*>& cells, const std::string& name) {
  bool any = false;
  for (const CellResult* cell : cells) {
    const QuantitySummary* quantity = find_quantity(*cell, name);
    if (quantity == nullptr) return false;
    if (ranked_values(quantity->outcomes).empty()) continue;
    if (!quantity->fraction) return false;
    any = true;
  }
  return any;
}

std::string estimate_text(const Estimate& estimate) {
  if (std::isnan(estimate.value)) return "-";
  std::string value = estimate.beyond() ? "> " + number_text(estimate.reached) : number_text(estimate.value);
  if (std::isnan(estimate.low) || estimate.low == estimate.high) return value;
  return value + " [" + number_text(estimate.low) + ", " + number_text(estimate.high) + "]";
}

std::string samples_text(const Estimate& estimate) {
  std::string text = count_text(estimate.seeds, "seed");
  const auto add = [&](int64_t count, const std::string& what) {
    if (count > 0) text += ", " + count_text(count) + " " + what;
  };
  add(estimate.censored, "censored");
  add(estimate.missing, "without");
  add(estimate.diverged, "diverged");
  return text;
}

size_t SweptKey::index(const Value& value) const {
  return static_cast<size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

std::vector<SweptKey> swept_keys(const std::vector<const Cell*>& cells) {
  std::vector<SweptKey> keys;
  for (const Cell* cell : cells)
    for (const auto& [key, value] : cell->overrides)
      if (std::none_of(keys.begin(), keys.end(), [&key = key](const SweptKey& one) { return one.key == key; }))
        keys.push_back(swept_key(key, cells));
  std::erase_if(keys, [](const SweptKey& one) { return one.values.size() < 2; });
  return keys;
}

SweptKey swept_key(const std::string& key, const std::vector<const Cell*>& cells) {
  SweptKey swept{key, {}};
  for (const Cell* cell : cells) swept.values.push_back(key_value(*cell, key));
  std::sort(swept.values.begin(), swept.values.end());
  swept.values.erase(std::unique(swept.values.begin(), swept.values.end()), swept.values.end());
  return swept;
}

Value key_value(const Cell& cell, const std::string& key) {
  RunConfig config = cell.config;
  return run_schema().at(key).get(config);
}

}  // namespace atto

#include "lab/results/cell_values.h"

#include <algorithm>
#include <cmath>

#include "lab/results/format_text.h"
#include "math/statistics.h"

namespace atto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::string kPlateau = "plateau.present";

bool exists(const ClaimSample& sample) { return sample.value && !std::isnan(*sample.value); }

void count(const std::vector<ClaimSample>& samples, Estimate& estimate) {
  estimate.seeds = std::ssize(samples);
  for (const ClaimSample& sample : samples) {
    if (sample.diverged) ++estimate.diverged;
    else if (!exists(sample)) ++estimate.missing;
    if (exists(sample) && sample.censored) ++estimate.censored;
  }
}

// The interval that a claim about these samples would be judged by.
void judge_interval(Statistic statistic, const std::vector<ClaimSample>& samples, Estimate& estimate) {
  Claim claim;
  claim.statistic = statistic;
  const Verdict verdict = judge(claim, samples);
  estimate.low = verdict.low.value_or(Estimate::kNone);
  estimate.high = verdict.high.value_or(Estimate::kNone);
}

}  // namespace

std::optional<double> cell_value(const CellResult& cell, const std::string& name) {
  if (const QuantitySummary* quantity = find_quantity(cell, name)) {
    if (quantity->fraction) return quantity->fraction;
    const std::vector<double> values = known_values(*quantity);
    return values.empty() ? std::nullopt : std::optional(quantile(values, 0.5));
  }
  const ObservableSummary* observable = find_observable(cell, name);
  return observable && cell.seeds > 0 ? std::optional(observable->median) : std::nullopt;
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
    for (const auto& [name, help] : phenomenon.detector->quantities()) {
      std::string full = phenomenon.name + "." + name;
      if (full == kPlateau) return full;
      if (first.empty()) first = full;
    }
  return first;
}

Estimate median_estimate(const std::vector<ClaimSample>& samples) {
  Estimate estimate;
  count(samples, estimate);
  std::vector<double> values, at_least;
  for (const ClaimSample& sample : samples) {
    if (!exists(sample)) continue;
    at_least.push_back(*sample.value);
    values.push_back(sample.censored ? kInfinity : *sample.value);
  }
  if (values.empty()) return estimate;
  estimate.value = quantile(values, 0.5);
  estimate.reached = quantile(at_least, 0.5);
  estimate.largest = *std::max_element(at_least.begin(), at_least.end());
  estimate.range = std::ssize(values) < kFewestValues;
  if (!estimate.range) judge_interval(Statistic::median, samples, estimate);
  else {
    estimate.low = *std::min_element(at_least.begin(), at_least.end());
    estimate.high = *std::max_element(values.begin(), values.end());
  }
  return estimate;
}

Estimate share_estimate(const std::vector<ClaimSample>& samples) {
  Estimate estimate;
  count(samples, estimate);
  estimate.share = true;
  if (samples.empty()) return estimate;
  const auto shown = std::count_if(samples.begin(), samples.end(),
                                   [](const ClaimSample& one) { return exists(one) && *one.value != 0; });
  const Interval interval = wilson(shown, estimate.seeds);
  estimate.value = estimate.reached = estimate.largest = interval.estimate;
  estimate.low = interval.low;
  estimate.high = interval.high;
  if (estimate.seeds >= kFewestValues) judge_interval(Statistic::rate, samples, estimate);
  return estimate;
}

std::vector<ClaimSample> samples_of(const CellResult& cell, const std::string& name) {
  std::vector<ClaimSample> samples;
  if (const QuantitySummary* quantity = find_quantity(cell, name)) {
    for (size_t seed = 0; seed < quantity->per_seed.size(); ++seed)
      samples.push_back({quantity->per_seed[seed], quantity->censored[seed], cell.diverged_per_seed[seed]});
    return samples;
  }
  if (const ObservableSummary* observable = find_observable(cell, name))
    for (size_t seed = 0; seed < observable->final_per_seed.size(); ++seed)
      samples.push_back({observable->final_per_seed[seed], false, cell.diverged_per_seed[seed]});
  return samples;
}

bool is_share(const std::vector<const CellResult*>& cells, const std::string& name) {
  bool any = false;
  for (const CellResult* cell : cells) {
    const QuantitySummary* quantity = find_quantity(*cell, name);
    if (quantity == nullptr) return false;
    if (known_values(*quantity).empty()) continue;
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

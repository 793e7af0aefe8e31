#include "phenomena/detectors/readings.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/names.h"

namespace atto {

const Series& require_series(const Recording& recording, std::string_view address) {
  if (const Series* series = recording.find(address)) return *series;
  std::vector<std::string> measured;
  for (const Series& one : recording.series) measured.push_back(one.address);
  const std::string near = nearest_name(address, measured);
  throw Error(
      ErrorKind::config,
      "the run has no series '" + std::string(address) + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
      "add '" + std::string(address) + "' to what the study observes");
}

const Series& require_scalar(const Recording& recording, std::string_view address) {
  const Series& series = require_series(recording, address);
  if (!series.shape.empty())
    throw Error(ErrorKind::config,
                "series '" + std::string(address) + "' holds " + std::to_string(series.block()) +
                    " numbers a measurement where one is needed",
                "name a scalar observable");
  return series;
}

Finding all_missing(const Detector& detector) {
  Finding finding;
  for (const QuantityHelp& one : detector.quantities()) finding.push_back({one.name, std::nullopt});
  return finding;
}

Quantity quantity(std::string name, double value) {
  return {std::move(name), std::isfinite(value) ? std::optional(value) : std::nullopt};
}

Window window_between(const Series& series, int64_t from, int64_t to) {
  const auto& steps = series.steps;
  const auto low = std::lower_bound(steps.begin(), steps.end(), from) - steps.begin();
  const auto high = std::upper_bound(steps.begin(), steps.end(), to) - steps.begin();
  if (low >= high) return {};
  return {static_cast<size_t>(low), static_cast<size_t>(high - 1)};
}

void PlateauReader::describe(Fields& fields, const std::string& series_key, const std::string& prefix) {
  fields.text(series_key, series, "perplexity series whose plateau is meant");
  settings.describe(fields, prefix);
}

PlateauReader::Reading PlateauReader::read(const Recording& recording, const RunConfig& config) const {
  const Series& perplexity = require_scalar(recording, series);
  const auto usable = [](double value) { return std::isfinite(value) && value > 0; };
  if (recording.diverged_at || perplexity.steps.size() < kPlateauPoints ||
      !std::all_of(perplexity.values.begin(), perplexity.values.end(), usable))
    return {};
  Reading reading{true, {}};
  reading.plateaus = find_plateaus(perplexity.steps, perplexity.values,
                                   {std::log(static_cast<double>(config.data.vocab)), recording.best_loss}, settings);
  if (!reading.plateaus.empty()) {
    reading.start = perplexity.steps[reading.plateaus.front().first];
    reading.end = perplexity.steps[reading.plateaus.front().last];
  }
  return reading;
}

}  // namespace atto

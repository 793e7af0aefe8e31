#include "phenomena/detectors/readings.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/names.h"
#include "math/expression/expression.h"
#include "math/statistics.h"

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

std::vector<double> median_over_steps(const Series& series, double steps) {
  const std::vector<int64_t>& at = series.steps;
  const auto near = [&](size_t i, size_t j) {
    return 2 * std::abs(static_cast<double>(at[i]) - static_cast<double>(at[j])) <= steps;
  };
  std::vector<double> result = series.values, known;
  size_t first = 0, last = 0;  // of the measurements near i
  for (size_t i = 0; i < at.size(); ++i) {
    while (!near(i, first)) ++first;
    last = std::max(last, i);
    while (last + 1 < at.size() && near(i, last + 1)) ++last;
    const size_t room = std::min(i - first, last - i);
    if (room == 0 || std::isnan(series.values[i])) continue;
    known.clear();
    for (size_t j = i - room; j <= i + room; ++j)
      if (!std::isnan(series.values[j])) known.push_back(series.values[j]);
    result[i] = quantile(known, 0.5);
  }
  return result;
}

void PlateauReader::describe(Fields& fields, const std::string& series_key, const std::string& prefix) {
  fields.text(series_key, series, "perplexity series whose plateau is meant");
  settings.describe(fields, prefix);
  fields
      .text(prefix + "near", near,
            "level of the plateau that is meant, as \"data.vocab / 2\": the nearest one counts; \"\": the longest one")
      .real(prefix + "within", within, 1, 1e6, "how many times higher or lower than `near` its level may be");
}

double PlateauReader::level_meant(const RunConfig& config, std::optional<double> best_loss) const {
  const Expression level = number_expression(near);
  std::vector<std::string> known{"best_loss"};
  for (const RunField& field : run_schema().all())
    if (field.is_number() && !field.key.starts_with("seeds.")) known.push_back(field.key);
  level.check_names(known);
  return level.number([&](const std::string& name) {
    if (name == "best_loss") return best_loss.value_or(std::nan(""));
    const Value value = run_schema().at(name).get(config);
    const auto* whole = std::get_if<int64_t>(&value);
    return whole ? static_cast<double>(*whole) : std::get<double>(value);
  });
}

void PlateauReader::check(const RunConfig& config) const {
  if (near.empty()) return;
  constexpr double kAnyLoss = 0;  // what only a run knows is not judged
  const double level = level_meant(config, kAnyLoss);
  if (!(level > 0) && !number_expression(near).reads("best_loss"))
    throw Error(ErrorKind::config, "near = \"" + near + "\" is " + std::to_string(level) + ", no level of a perplexity",
                "give a level above 0, such as \"data.vocab / 2\"");
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
  if (!near.empty()) {
    const double meant = std::log(level_meant(config, recording.best_loss)), most = std::log(within);
    const auto off = [&](const Plateau& one) { return std::abs(std::log(one.level) - meant); };
    std::erase_if(reading.plateaus, [&](const Plateau& one) { return !(off(one) <= most); });
    std::stable_sort(reading.plateaus.begin(), reading.plateaus.end(),
                     [&](const Plateau& a, const Plateau& b) { return off(a) < off(b); });
  }
  if (!reading.plateaus.empty()) {
    reading.start = perplexity.steps[reading.plateaus.front().first];
    reading.end = perplexity.steps[reading.plateaus.front().last];
  }
  return reading;
}

}  // namespace atto

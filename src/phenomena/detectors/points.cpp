#include "phenomena/detectors/points.h"

#include <algorithm>

#include "base/error.h"

namespace atto {

const Series& require_matrix(const Recording& recording, std::string_view address) {
  const Series& series = require_series(recording, address);
  if (series.shape.size() != 2)
    throw Error(ErrorKind::config, "series '" + std::string(address) + "' is not a matrix",
                "name an observable with rows and columns, such as 'embedding'");
  return series;
}

Points points_of(const Series& series, size_t measurement) {
  return {series.values.data() + measurement * series.block(), series.shape[0], series.shape[1]};
}

Points tokens_of(const Series& series, size_t measurement, const RunConfig& config) {
  return {series.values.data() + measurement * series.block(), std::min(series.shape[0], config.data.vocab),
          series.shape[1]};
}

void MomentReader::describe(Fields& fields) {
  fields.integer("at", at, -1, 1e12, "step looked at; -1 is the end of the run");
}

void MomentReader::check(const RunConfig& config) const {
  if (at > config.training.steps)
    throw Error(
        ErrorKind::config,
        "at = " + std::to_string(at) + " lies beyond the run's " + std::to_string(config.training.steps) + " steps",
        "lower the detector's at or raise training.steps");
}

std::optional<size_t> MomentReader::read(const Recording& recording, const Series& series,
                                         const RunConfig& config) const {
  check(config);
  if (series.steps.empty()) return std::nullopt;
  if (at < 0) return recording.diverged_at ? std::nullopt : std::optional(series.steps.size() - 1);
  if (at > recording.steps_done || (recording.diverged_at && *recording.diverged_at <= at)) return std::nullopt;
  const Window before = window_between(series, 0, at);
  return before.empty() ? std::nullopt : std::optional(before.last);
}

std::optional<size_t> MomentReader::read_finite(const Recording& recording, const Series& series,
                                                const RunConfig& config) const {
  const std::optional<size_t> measurement = read(recording, series, config);
  return measurement && points_of(series, *measurement).allFinite() ? measurement : std::nullopt;
}

}  // namespace atto

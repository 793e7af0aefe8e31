// Matrices of a run as sets of points, for the detectors of geometry.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "phenomena/detectors/readings.h"

namespace atto {

using Points = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

inline std::span<const double> numbers(const Points& points) {
  return {points.data(), static_cast<size_t>(points.size())};
}

// The series of that address; Error(config) when it is not a matrix a measurement.
const Series& require_matrix(const Recording& recording, std::string_view address);

// One measurement of a matrix series, its rows as points.
Points points_of(const Series& series, size_t measurement);
// The same without the row of [BOS], which is the last: only tokens that carry content.
Points tokens_of(const Series& series, size_t measurement, const RunConfig& config);

// Which moment of a run a detector looks at.
struct MomentReader {
  int64_t at = -1;  // a step, or -1 for the end of the run

  void describe(Fields& fields);
  // Error(config) when the step lies beyond the planned run.
  void check(const RunConfig& config) const;
  // Index of the last measurement of `series` at or before that moment; nothing when the run stopped or diverged before
  // it.
  std::optional<size_t> read(const Recording& recording, const Series& series, const RunConfig& config) const;
  // The same for a matrix all of whose numbers there are finite.
  std::optional<size_t> read_finite(const Recording& recording, const Series& series, const RunConfig& config) const;
};

}  // namespace atto

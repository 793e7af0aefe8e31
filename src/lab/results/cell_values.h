// One number for each cell of a sweep, and the keys that set the cells apart: what maps and plots over a sweep share.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lab/results/results.h"

namespace atto {

// One number for a cell: the share of seeds for a yes/no quantity, the median over seeds for any other quantity and for
// the final value of an observable. Missing where the cell does not have it.
std::optional<double> cell_value(const CellResult& cell, const std::string& name);

// "plateau.present" when the study looks for it, otherwise its first quantity, otherwise its first observable.
std::string default_quantity(const StudyResult& result);
std::string default_quantity(const Study& study);  // "" where only the runs can tell

// The same number with what surrounds it.
struct Estimate {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  double value = kNone;  // NaN without any; +infinity where a censored one is in the middle
  // 95 %: Wilson's for shares, order statistics for medians; of fewer than kFewestValues values their range. Infinite
  // where censored values leave it open.
  double low = kNone, high = kNone;
  // The median, and the largest value, with censored values where they were cut off: the truth is at least that.
  double reached = kNone, largest = kNone;
  bool share = false, range = false;
  int64_t seeds = 0, censored = 0, missing = 0, diverged = 0;

  bool beyond() const { return value == std::numeric_limits<double>::infinity() && censored > 0; }
};

Estimate median_estimate(const std::vector<ClaimSample>& samples);
Estimate share_estimate(const std::vector<ClaimSample>& samples);
// What each seed of a cell has of a quantity, or as the final value of an observable; empty when the cell has neither.
std::vector<ClaimSample> samples_of(const CellResult& cell, const std::string& name);
// Is it a quantity that is 0 or 1 in every cell?
bool is_share(const std::vector<const CellResult*>& cells, const std::string& name);

// "0.94 [0.8, 0.98]", "> 3000"; "-" for none.
std::string estimate_text(const Estimate& estimate);
// "32 seeds, 3 censored, 1 diverged"
std::string samples_text(const Estimate& estimate);

// A key that takes several values in some cells.
struct SweptKey {
  std::string key;
  std::vector<Value> values;  // sorted: numbers by size, words by letters

  size_t index(const Value& value) const;  // values.size() when it is not there
};
// In the order in which the cells name them.
std::vector<SweptKey> swept_keys(const std::vector<const Cell*>& cells);
SweptKey swept_key(const std::string& key, const std::vector<const Cell*>& cells);  // may have one value only
Value key_value(const Cell& cell, const std::string& key);

}  // namespace atto

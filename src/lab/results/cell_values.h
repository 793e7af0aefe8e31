// One number for each cell of a sweep, and the keys that set the cells apart: what maps and plots over a sweep share.
#pragma once

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
// The first that differs between cells, of: the default one, what claims are about, all quantities, all observables.
// The default one where all are the same everywhere.
std::string telling_quantity(const StudyResult& result);

// The same number with its interval, and how many runs it rests on. All cells of a figure must be summarised alike: the
// caller says whether it is a share.
Estimate cell_estimate(const CellResult& cell, const std::string& name, bool share);
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

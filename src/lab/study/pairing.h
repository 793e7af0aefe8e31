// Which cells a claim compares with which: a cell and its partner differ only in what the claim's two groups name.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/study/study.h"

namespace atto {

struct CellPairs {
  std::vector<std::pair<size_t, size_t>> pairs;  // of indices into first and second
  std::string obstacle;                          // why there are none, or ""
};
// One cell against one cell is a pair whatever they differ in. Of several, partners have the same values of every key
// by which the cells of a group differ and that is not in `named`.
CellPairs pair_cells(const std::vector<const Cell*>& first, const std::vector<const Cell*>& second,
                     const std::vector<std::string>& named);

// The keys that the claim's groups name, and the one it tunes.
std::vector<std::string> named_keys(const Claim& claim);

}  // namespace atto

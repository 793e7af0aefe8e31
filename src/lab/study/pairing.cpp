#include "lab/study/pairing.h"

#include <algorithm>

#include "base/contains.h"

namespace atto {
namespace {

// The swept keys by which cells of a group differ from each other.
void add_varying(const std::vector<const Cell*>& cells, std::vector<std::string>& keys) {
  for (const Cell* cell : cells)
    for (const auto& [key, value] : cell->overrides)
      if (run_schema().at(key).get(cells.front()->config) != value && !contains(keys, key)) keys.push_back(key);
}

bool partners(const Cell& a, const Cell& b, const std::vector<std::string>& keys) {
  return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
    return run_schema().at(key).get(a.config) == run_schema().at(key).get(b.config);
  });
}

}  // namespace

CellPairs pair_cells(const std::vector<const Cell*>& first, const std::vector<const Cell*>& second,
                     const std::vector<std::string>& named) {
  CellPairs made;
  if (first.size() == 1 && second.size() == 1) {
    made.pairs.emplace_back(0, 0);
    return made;
  }
  std::vector<std::string> keys;
  add_varying(first, keys);
  add_varying(second, keys);
  std::erase_if(keys, [&](const std::string& key) { return contains(named, key); });
  for (size_t i = 0; i < first.size(); ++i) {
    size_t found = 0;
    for (size_t j = 0; j < second.size(); ++j) {
      if (!partners(*first[i], *second[j], keys)) continue;
      made.pairs.emplace_back(i, j);
      ++found;
    }
    if (found != 1) {
      made.obstacle = "cell " + cell_text(first[i]->overrides) + " has " +
                      (found == 0 ? "no partner" : std::to_string(found) + " partners") +
                      " among the cells of `against`";
      made.pairs.clear();
      return made;
    }
  }
  if (made.pairs.size() != second.size()) {
    made.obstacle =
        "`where` has " + std::to_string(first.size()) + " cells and `against` " + std::to_string(second.size());
    made.pairs.clear();
  }
  return made;
}

std::vector<std::string> named_keys(const Claim& claim) {
  std::vector<std::string> keys;
  const auto add = [&](const CellFilter& filter) {
    for (const auto& [key, value] : filter) keys.push_back(key);
  };
  add(claim.where);
  if (claim.against) add(*claim.against);
  if (claim.than) {
    add(claim.than->where);
    add(claim.than->against);
  }
  if (!claim.tune.empty()) keys.push_back(claim.tune);
  return keys;
}

}  // namespace atto

// What only the cells can tell of the claims.
#include <algorithm>

#include "lab/study/pairing.h"
#include "lab/study/parts.h"
#include "phenomena/claims/verdict.h"

namespace atto {
namespace {

using CellList = std::vector<const Cell*>;

CellList cells_of(const std::vector<Cell>& cells, const CellFilter& filter) {
  CellList list;
  for (const Cell& cell : cells)
    if (matches(filter, cell.config)) list.push_back(&cell);
  return list;
}

// The cells that are left of a group when its tuned key is chosen: those of any one of its values.
CellList of_one_value(CellList cells, const std::string& tune) {
  if (tune.empty() || cells.empty()) return cells;
  const RunField& field = run_schema().at(tune);
  const Value first = field.get(cells.front()->config);
  std::erase_if(cells, [&](const Cell* one) { return field.get(one->config) != first; });
  return cells;
}

struct ClaimCheck {
  const TomlDocument& document;
  const std::vector<Cell>& cells;
  const Claim& claim;

  void found(const CellFilter& filter, Place place) const {
    if (cells_of(cells, filter).empty())
      document.fail(place,
                    "claim '" + claim.id + "' speaks of cells that the sweep does not have: " + cell_text(filter),
                    "every profile's sweep must contain them");
  }
  void partners(const CellFilter& where, const CellFilter& against, Place place) const {
    const CellList first = of_one_value(cells_of(cells, where), claim.tune);
    const CellList second = of_one_value(cells_of(cells, against), claim.tune);
    const CellPairs pairs = pair_cells(first, second, named_keys(claim));
    if (!pairs.obstacle.empty())
      document.fail(place, "claim '" + claim.id + "': " + pairs.obstacle,
                    "name one cell on each side, or cells that differ only in the keys of `where` and `against`");
    if (!claim.paired.value_or(false) && !claim.than) return;
    for (const auto& [i, j] : pairs.pairs)
      if (first[i]->seeds != second[j]->seeds)
        document.fail(place,
                      "claim '" + claim.id + "' compares seed by seed, but " + cell_text(first[i]->overrides) +
                          " has " + std::to_string(first[i]->seeds) + " seeds and " + cell_text(second[j]->overrides) +
                          " " + std::to_string(second[j]->seeds),
                      "give both the same number of seeds, or set paired = false");
  }
};

}  // namespace

void check_claims(const TomlDocument& document, const Study& study, const std::vector<Cell>& cells,
                  const StudyPlaces& places) {
  for (size_t i = 0; i < study.claims.size(); ++i) {
    const Claim& claim = study.claims[i];
    const ClaimCheck check{document, cells, claim};
    check.found(claim.where, places.where[i]);
    if (claim.against) {
      check.found(*claim.against, places.against[i]);
      check.partners(claim.where, *claim.against, places.against[i]);
    }
    if (claim.than) {
      check.found(claim.than->where, places.than[i]);
      check.found(claim.than->against, places.than[i]);
      check.partners(claim.than->where, claim.than->against, places.than[i]);
    }
    if (study.seeds.until == Until::decided && !claim.tune.empty())
      document.fail(
          places.claims[i],
          "claim '" + claim.id + "' tunes " + claim.tune +
              " on a share of its seeds, which must not grow with the looks",
          std::string("give the study a fixed number of seeds: until = \"count\". Of what may be looked at: ") +
              kAnytimeStatistics);
  }
}

}  // namespace atto

// Do the networks of a study measure what its detectors and figures can read? Internal to the lab.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/study/study.h"
#include "phenomena/detectors/series_need.h"

namespace atto {

// What can be measured in the runs of some cells. Cells where that is the same share one offer.
struct Offer {
  struct Series {
    std::string address;
    std::vector<int64_t> shape;
    bool operator==(const Series&) const = default;
  };
  std::vector<const Cell*> cells;
  std::vector<Series> series;
  ExtentLengths lengths;  // of the names that the data decide
};

// The cells must outlive the offers. `plan` may name functions from outside.
std::vector<Offer> offers_of(const std::vector<Cell>& cells, const ObservePlan& plan);

// Error(config) naming address, shape and remedy unless the series fit in all cells that `where` chooses; `who` needs
// them. What nobody offers is not looked at: it is no series, or refused elsewhere.
void check_shapes(const std::string& who, const SeriesNeeds& needs, const CellFilter& where,
                  const std::vector<Offer>& offers);
// The same of all that the phenomenon's detector reads where the study observes it, in every cell.
void check_detector(const Phenomenon& phenomenon, const Study& study, const std::vector<Offer>& offers);

}  // namespace atto

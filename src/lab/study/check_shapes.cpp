#include "lab/study/check_shapes.h"

#include <algorithm>

#include "base/error.h"
#include "base/names.h"
#include "lab/study/parts.h"

namespace atto {
namespace {

// An address that would do: one that belongs to the given one ("embedding.effective_dimension"), one that is spelt like
// it, or the first.
std::string address_that_fits(const SeriesNeed& need, const Offer& offer, const ExtentLengths& lengths) {
  std::vector<std::string> fitting;
  for (const Offer::Series& one : offer.series) {
    ExtentLengths learnt = lengths;
    if (need.fits(one.shape, learnt)) fitting.push_back(one.address);
  }
  for (const std::string& address : fitting)
    if (address.starts_with(need.address + ".")) return address;
  const std::string near = nearest_name(need.address, fitting);
  return near.empty() && !fitting.empty() ? fitting.front() : near;
}

void check_offer(const std::string& who, const SeriesNeeds& needs, const Offer& offer, const std::string& where) {
  ExtentLengths lengths = offer.lengths;
  for (const SeriesNeed& need : needs) {
    const auto has_address = [&](const Offer::Series& one) { return one.address == need.address; };
    const auto found = std::find_if(offer.series.begin(), offer.series.end(), has_address);
    if (found == offer.series.end() || need.fits(found->shape, lengths)) continue;
    const std::string other = address_that_fits(need, offer, lengths);
    throw Error(
        ErrorKind::config,
        who + " reads '" + need.address + "', which is " + shape_text(found->shape) + where + ", not " + need.text(),
        other.empty() ? "`atto help observables` lists what can be measured"
                      : "name an address of that shape, such as '" + other + "'");
  }
}

}  // namespace

void check_shapes(const std::string& who, const SeriesNeeds& needs, const CellFilter& where,
                  const std::vector<Offer>& offers) {
  const bool alone = offers.size() == 1 && offers.front().cells.size() == 1;
  for (const Offer& offer : offers) {
    const auto chosen = std::find_if(offer.cells.begin(), offer.cells.end(),
                                     [&](const Cell* cell) { return matches(where, cell->config); });
    if (chosen == offer.cells.end()) continue;
    check_offer(who, needs, offer, alone ? "" : " in cell " + cell_text((*chosen)->overrides));
  }
}

void check_detector(const Phenomenon& phenomenon, const Study& study, const std::vector<Offer>& offers) {
  SeriesNeeds needs = phenomenon.detector->needs();
  for (const QuantityHelp& one : phenomenon.detector->quantities())
    for (SeriesNeed& need : phenomenon.detector->needs_for(one.name)) needs.push_back(std::move(need));
  std::erase_if(needs, [&](const SeriesNeed& need) { return !observes(study, need.address); });
  check_shapes("the detector '" + phenomenon.detector_name + "'", needs, {}, offers);
  for (const Offer& offer : offers) {
    for (const Cell* cell : offer.cells) {
      try {
        phenomenon.detector->check(cell->config);
      } catch (const Error& error) {
        const bool only = offers.size() == 1 && offer.cells.size() == 1;
        throw Error(error.kind(), error.what() + (only ? "" : " (cell " + cell_text(cell->overrides) + ")"),
                    error.remedy());
      }
    }
  }
}

}  // namespace atto

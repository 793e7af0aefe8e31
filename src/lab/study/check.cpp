// What only the whole study can tell.
#include <algorithm>
#include <cctype>
#include <map>

#include "base/contains.h"
#include "base/error.h"
#include "lab/study/parts.h"
#include "lab/study/run_files.h"
#include "observe/observable.h"
#include "observe/recorder.h"

namespace atto {
namespace {

// Where the file says what a complaint about a cell is about: the first setting that it names, or the file of numbers.
// Swept ones stand in the sweep, and so does what names none.
Place place_of_complaint(const std::string& complaint, const Cell& cell, const StudyPlaces& places) {
  size_t first = std::string::npos;
  Place place = places.sweep;
  const auto consider = [&](const std::string& name, Place where) {
    const size_t at = complaint.find(name), end = at + name.size();
    const auto goes_on = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    if (name.empty() || at >= first || (end < complaint.size() && goes_on(complaint[end]))) return;
    first = at;
    place = where;
  };
  for (const auto& [key, value] : cell.overrides) consider(key, places.sweep);
  for (const auto& [key, where] : places.keys) consider(key, where);
  if (const auto file = places.keys.find("data.file"); file != places.keys.end())
    consider(cell.config.data.file, file->second);
  return place;
}

void check_cells(const TomlDocument& document, const std::vector<Cell>& cells, const StudyPlaces& places) {
  std::map<std::string, size_t> seen;
  for (size_t i = 0; i < cells.size(); ++i) {
    try {
      RunSpec{cells[i].config};
    } catch (const Error& error) {
      const std::string which = cells[i].overrides.empty() ? "" : "cell " + cell_text(cells[i].overrides) + ": ";
      document.fail(place_of_complaint(error.what(), cells[i], places), which + error.what(), error.remedy());
    }
    const auto [entry, fresh] = seen.insert({canonical_text(cells[i].config, {}), i});
    if (!fresh)
      document.fail(places.sweep, "two cells are the same run: " + cell_text(cells[entry->second].overrides) + " and " +
                                      cell_text(cells[i].overrides));
  }
}

// Points one observable is measured at, at most; guards the memory of the schedules themselves.
int64_t points(const MeasureSteps& when, int64_t steps) {
  return (when.every > 0 ? steps / when.every : 0) + when.linear + when.log + static_cast<int64_t>(when.at.size());
}

void check_observe(const TomlDocument& document, const Study& study, const std::vector<Cell>& cells,
                   const std::vector<Offer>& offers, const StudyPlaces& places) {
  for (size_t i = 0; i < study.observe.size(); ++i) {
    const MeasureSteps& when = study.observe[i].when;
    int64_t longest = 0;
    for (const Cell& cell : cells) longest = std::max(longest, cell.config.training.steps);
    if (points(when, longest) > kMaxPoints)
      document.fail(places.addresses[i].front(), "the schedule asks for " + std::to_string(points(when, longest)) +
                                                     " measurements in " + std::to_string(longest) +
                                                     " steps, of at most " + std::to_string(kMaxPoints));
    for (size_t j = 0; j < when.at.size(); ++j)
      if (when.at[j] > longest)
        document.fail(places.at[i][j], "step " + std::to_string(when.at[j]) + " lies after the end of every run (" +
                                           std::to_string(longest) + " steps)");
  }
  for (size_t i = 0; i < study.observe.size(); ++i) {
    for (size_t j = 0; j < study.observe[i].what.size(); ++j) {
      try {
        check_addresses({{{study.observe[i].what[j]}, {}, study.observe[i].function}}, offers);
      } catch (const Error& error) {
        document.fail(places.addresses[i][j], error.what(), error.remedy());
      }
    }
  }
}

void check_observed(const TomlDocument& document, const Study& study, const SeriesNeeds& needs, const std::string& who,
                    Place place) {
  for (const std::string& need : addresses_of(needs)) {
    if (!observes(study, need))
      document.fail(place, who + " reads '" + need + "', which the study does not observe",
                    "add \"" + need + "\" to the `what` of an [[observe]]");
  }
}

// What a detector reads in any case, and what it reads for the quantities that claims and fits speak of.
void check_needs(const TomlDocument& document, const Study& study, const StudyPlaces& places) {
  for (size_t i = 0; i < study.phenomena.size(); ++i) {
    const Phenomenon& phenomenon = study.phenomena[i];
    check_observed(document, study, phenomenon.detector->needs(), "the detector '" + phenomenon.detector_name + "'",
                   places.phenomena[i]);
    const auto check_quantity = [&](const std::string& quantity, Place place) {
      if (quantity.starts_with(phenomenon.name + "."))
        check_observed(document, study, phenomenon.detector->needs_for(quantity.substr(phenomenon.name.size() + 1)),
                       "the quantity '" + quantity + "'", place);
    };
    for (size_t j = 0; j < study.fits.size(); ++j) check_quantity(study.fits[j].quantity, places.fits[j]);
    for (size_t j = 0; j < study.claims.size(); ++j) {
      check_quantity(study.claims[j].quantity, places.claims[j]);
      check_quantity(study.claims[j].relative_to, places.claims[j]);
      check_quantity(study.claims[j].with, places.claims[j]);
      check_quantity(study.claims[j].given, places.claims[j]);
    }
  }
}

void check_detectors(const TomlDocument& document, const Study& study, const std::vector<Offer>& offers,
                     const StudyPlaces& places) {
  for (size_t i = 0; i < study.phenomena.size(); ++i) {
    try {
      check_detector(study.phenomena[i], study, offers);
    } catch (const Error& error) {
      document.fail(places.phenomena[i], error.what(), error.remedy());
    }
  }
}

// Claims and fits may speak of the last value of a series where that is one number.
void check_numbers(const TomlDocument& document, const Study& study, const std::vector<Offer>& offers,
                   const StudyPlaces& places) {
  const auto check = [&](const std::string& who, const std::string& name, const CellFilter& where, Place place) {
    if (!observes(study, name)) return;
    try {
      check_shapes(who, {SeriesNeed::scalar(name)}, where, offers);
    } catch (const Error& error) {
      document.fail(place, error.what(), error.remedy());
    }
  };
  for (size_t i = 0; i < study.fits.size(); ++i)
    check("the fit '" + study.fits[i].name + "'", study.fits[i].quantity, study.fits[i].where, places.fits[i]);
  for (size_t i = 0; i < study.claims.size(); ++i) {
    const Claim& claim = study.claims[i];
    for (const std::string& name : {claim.quantity, claim.with, claim.relative_to}) {
      check("claim '" + claim.id + "'", name, claim.where, places.claims[i]);
      if (claim.against) check("claim '" + claim.id + "'", name, *claim.against, places.claims[i]);
    }
  }
}

void check_filter(const TomlDocument& document, const std::vector<Cell>& cells, const CellFilter& filter, Place place,
                  const std::string& who) {
  for (const Cell& cell : cells)
    if (matches(filter, cell.config)) return;
  document.fail(place, who + " speaks of cells that the sweep does not have: " + cell_text(filter),
                "every profile's sweep must contain them");
}

}  // namespace

bool observes(const Study& study, const std::string& address) {
  const auto measures = [&](const Observation& one) { return contains(one.what, address); };
  const auto derives = [&](const DerivedQuantity& one) { return one.name == address; };
  return std::any_of(study.observe.begin(), study.observe.end(), measures) ||
         std::any_of(study.quantities.begin(), study.quantities.end(), derives);
}

void check_addresses(const ObservePlan& plan, const std::vector<Offer>& offers) {
  const bool only = offers.size() == 1 && offers.front().cells.size() == 1;
  for (const Offer& offer : offers) {
    const Cell& cell = *offer.cells.front();  // the others offer the same
    try {
      SeriesPlan(plan, RunSpec(cell.config));
    } catch (const Error& error) {
      const std::string where = only ? "" : " (cell " + cell_text(cell.overrides) + ")";
      throw Error(error.kind(), error.what() + where, error.remedy());
    }
  }
}

std::vector<Offer> offers_of(const std::vector<Cell>& cells, const ObservePlan& plan) {
  std::vector<Offer> offers;
  for (const Cell& cell : cells) {
    Offer offer;
    offer.lengths = lengths_of_tokens(cell.config.data.vocab, cell.config.data.bos);
    for (const Observable& one : all_observables(RunSpec(cell.config), plan))
      offer.series.push_back({one.address, one.shape});
    const auto same = std::find_if(offers.begin(), offers.end(), [&](const Offer& other) {
      return other.series == offer.series && other.lengths == offer.lengths;
    });
    Offer& shared = same == offers.end() ? offers.emplace_back(std::move(offer)) : *same;
    shared.cells.push_back(&cell);
  }
  return offers;
}

void check_study(const TomlDocument& document, const Study& study, const StudyPlaces& places) {
  std::vector<Cell> cells;
  try {
    cells = expand_all_cells(study);
  } catch (const FileError& error) {
    document.fail(place_of_text(document, error.path), error.what(), error.remedy(), error.kind());
  } catch (const Error& error) {
    document.fail(places.sweep, error.what(), error.remedy());
  }
  check_cells(document, cells, places);
  std::vector<Offer> offers;
  try {
    offers = offers_of(cells, study.observe);
  } catch (const Error& error) {
    document.fail(places.addresses.front().front(), error.what(), error.remedy());
  }
  check_observe(document, study, cells, offers, places);
  add_quantities(study, offers, [&](size_t i, const ExpressionError& error) {
    const Place start = places.quantities[i];
    document.fail({start.line, start.column + static_cast<int64_t>(error.position())}, error.what(), error.remedy());
  });
  check_needs(document, study, places);
  check_detectors(document, study, offers, places);
  check_numbers(document, study, offers, places);
  for (size_t i = 0; i < study.seeds.exceptions.size(); ++i)
    check_filter(document, cells, study.seeds.exceptions[i].first, places.exceptions[i], "the exception");
  check_fits(document, study, cells, places);
  check_claims(document, study, cells, places);
  check_figures(document, study, cells, offers, places);
  const int last_look = look_count(study.seeds) - 1;
  int64_t runs = 0;
  for (const Cell& cell : cells) runs += seeds_at_look(study.seeds, cell.seeds, last_look);
  if (runs > kMaxRuns)
    document.fail(places.seeds,
                  "the study has " + std::to_string(runs) + " runs, of at most " + std::to_string(kMaxRuns));
}

}  // namespace atto

// How study.cpp reads a study, part by part. Internal to the lab; lab/study/study.h is the interface.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/study/check_shapes.h"
#include "lab/study/study.h"
#include "lab/study/toml_reader.h"

namespace atto {

// Where the parts of a study stand in its file, for complaints that only show once all parts are known.
struct StudyPlaces {
  std::map<std::string, Place> keys;  // of the base run's settings that the file gives
  Place sweep, seeds;
  std::vector<Place> exceptions;              // of seeds.exceptions, in order
  std::vector<std::vector<Place>> addresses;  // of observe[i].what[j]
  std::vector<std::vector<Place>> at;         // of observe[i].when.at[j]
  std::vector<Place> quantities;              // the expression of quantities[i]
  std::vector<Place> phenomena, claims, where, against, than;
  std::vector<Place> fits, fit_where;     // of fit[i]
  std::vector<std::vector<Place>> terms;  // of fit[i].terms[j]
  std::vector<Place> figures;             // none where the study has only the default ones
};

// [sweep]: the three ways to list cells. Fails when it is empty or names a key twice.
Sweep read_sweep(const TomlDocument& document, const TomlNode& node);
SeedPlan read_seeds(const TomlDocument& document, const TomlNode& node, StudyPlaces& places);
// Values between those of the grid's axes, at which every cell is a valid run.
void refine_grid(Study& study, int64_t halvings);
// [multiverse]: the open choices, and which of the study's claims are judged in each recipe.
Multiverse read_multiverse(const TomlDocument& document, const TomlNode& node, const Study& study);
ObservePlan read_observe(const TomlDocument& document, const TomlNode* list, const OwnParts& parts,
                         StudyPlaces& places);
std::vector<Phenomenon> read_phenomena(const TomlDocument& document, const TomlNode* list, const OwnParts& parts,
                                       StudyPlaces& places);
// In an order in which each comes after those it reads; fails when they go in a circle.
std::vector<DerivedQuantity> read_quantities(const TomlDocument& document, const TomlNode* list, StudyPlaces& places);
// Fits and claims are checked against what the study has read before them and they speak of.
std::vector<Fit> read_fits(const TomlDocument& document, const TomlNode* list, const Study& study, StudyPlaces& places);
std::vector<Claim> read_claims(const TomlDocument& document, const TomlNode* list, const Study& study,
                               StudyPlaces& places);

// The four about figures are defined in lab/figures/read_figures.cpp: only that room knows the kinds.
std::vector<FigurePlan> read_figures(const TomlDocument& document, const TomlNode* list, StudyPlaces& places);
// What a study that asks for no figure is drawn as: curves, a law for each fit, and a map where exactly two keys vary.
std::vector<FigurePlan> default_figures(const Study& study);
// The verdicts over the cuts they hang on, where a claim hangs on one and the study does not draw them itself.
void add_threshold_figure(Study& study);

// The quantities of all phenomena, "plateau.level".
std::vector<std::string> quantity_names(const std::vector<Phenomenon>& phenomena);
// Fails at the table's `quantity`, or the key of that name, unless a phenomenon or fit of the study has it, or it is a
// series of the study, whose last value is then meant.
void check_quantity(TomlReader& reader, const std::string& quantity, const Study& study,
                    const std::string& key = "quantity");
// `with` and `within` of a claim about two quantities; fails where other claims have them, or where it has what only
// the others may say.
void read_pair(TomlReader& reader, const Study& study, Claim& claim);
// `where`, `against`, `than` and how they are compared; `given` and `by`; `region`, or `above` and `below`, and
// `margin`.
void read_groups(TomlReader& reader, Claim& claim, StudyPlaces& places);
void read_condition(TomlReader& reader, const Study& study, Claim& claim);
void read_region(TomlReader& reader, Claim& claim);
// Do the claims find cells, partners and the same seeds to compare them by?
void check_claims(const TomlDocument& document, const Study& study, const std::vector<Cell>& cells,
                  const StudyPlaces& places);

// `origin`, `scope`, `scale` and `calibrated` of the study; `origin` and `scope` of a claim, which has the study's
// otherwise; `scope` of a profile, which holds for every claim about something published.
void read_provenance(TomlReader& root, Study& study);
void read_provenance(TomlReader& reader, const Study& study, Claim& claim);
void read_profile_scope(TomlReader& reader, Study& study);

// What only the whole study can tell: every cell is valid and new, has all the observables, and every claim finds
// cells.
void check_study(const TomlDocument& document, const Study& study, const StudyPlaces& places);

// Does every fit have enough cells, in which its terms are positive and differ?
void check_fits(const TomlDocument& document, const Study& study, const std::vector<Cell>& cells,
                const StudyPlaces& places);

// Does every figure find its cells and what it draws?
void check_figures(const TomlDocument& document, const Study& study, const std::vector<Cell>& cells,
                   const std::vector<Offer>& offers, const StudyPlaces& places);

// Is it measured at any time, or computed from what is?
bool observes(const Study& study, const std::string& address);

// Adds the quantities of the study to what the offers have. `fault` is told what is wrong with the one of that index,
// if anything is, and throws.
using QuantityFault = std::function<void(size_t index, const ExpressionError& error)>;
void add_quantities(const Study& study, std::vector<Offer>& offers, const QuantityFault& fault);

// Do these cells' networks offer what is observed? Error(config) naming the cell where they are several.
void check_addresses(const ObservePlan& plan, const std::vector<Offer>& offers);

// `--set` and `--seeds`: fixes keys for every cell, takes them out of the sweep, and drops claims whose cells are gone.
void apply_options(Study& study, const StudyOptions& options);

// The cells of the sweep before duplicates are dropped; Error(config) when there are too many or none.
std::vector<Cell> expand_all_cells(const Study& study);

}  // namespace atto

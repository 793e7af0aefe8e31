// The parts of a study that say what is asked of its runs: [[observe]], [[phenomenon]] and [[claim]].
#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/names.h"
#include "lab/study/own_parts.h"
#include "lab/study/parts.h"

namespace atto {
namespace {

constexpr double kMaxSteps = 1e12;

std::vector<int64_t> read_steps(const TomlDocument& document, const TomlNode& node, std::vector<Place>& places) {
  if (node.kind != TomlNode::Kind::list)
    document.fail(node.place, "at must be a list of steps, found " + kind_text(node));
  std::vector<int64_t> steps;
  for (const TomlNode& item : node.items) {
    int64_t step = 0;
    Fields fields;
    fields.integer("at", step, 0, kMaxSteps, "");
    set_field(document, fields.at("at"), item);
    steps.push_back(step);
    places.push_back(item.place);
  }
  return steps;
}

Statistic read_statistic(TomlReader& reader) {
  Statistic statistic = Statistic::rate;
  Fields fields;
  fields.choice("statistic", statistic, "");
  reader.require("statistic");
  reader.apply(fields);
  return statistic;
}

// The fit that a claim's quantity belongs to, or null.
const Fit* fit_of(const std::string& quantity, const std::vector<Fit>& fits) {
  for (const Fit& fit : fits)
    if (quantity.starts_with(fit.name + ".")) return &fit;
  return nullptr;
}

// A fit chooses its cells and makes one number of them, so most of what other claims may say has no meaning.
void check_fit_claim(TomlReader& reader, const Claim& claim, const Fit* fit) {
  const bool fitted = claim.statistic == Statistic::fit;
  if (!fit && fitted)
    reader.fail(
        reader.require("statistic"),
        "statistic = \"fit\" is for the numbers of a [[fit]], and '" + claim.quantity + "' is found in each run",
        "use rate, median or mean");
  if (!fit) return;
  if (!fitted)
    reader.fail(reader.require("statistic"),
                "'" + claim.quantity + "' is a number of a fit, of which there is no " + to_word(claim.statistic),
                "use statistic = \"fit\"");
  if (const TomlNode* where = reader.find("where"))
    reader.fail(*where, "the cells are chosen by the fit '" + fit->name + "'", "move `where` to the [[fit]]");
  for (const char* key : {"against", "than", "paired", "pool", "given", "by", "tune", "relative_to"})
    if (const TomlNode* node = reader.find(key))
      reader.fail(*node, std::string(key) + " has no meaning for a number of a fit");
  if (const TomlNode* node = reader.find("compare"); node && !reader.find("with"))
    reader.fail(*node, "compare has no meaning for a number of a fit alone",
                "`with` names a number of another fit to compare it with");
}

void check_relative_to(TomlReader& reader, const std::string& key, const Study& study) {
  const std::vector<std::string> found = quantity_names(study.phenomena);
  if (key.empty() || observes(study, key) || std::find(found.begin(), found.end(), key) != found.end()) return;
  const TomlNode& node = reader.require("relative_to");
  if (!run_field(reader.document(), {key, node.place, &node}).is_number())
    reader.fail(node, "relative_to = \"" + key + "\" is not a number that a value could be divided by");
}

void check_tune(TomlReader& reader, const std::string& key) {
  if (key.empty()) return;
  const TomlNode& node = reader.require("tune");
  run_field(reader.document(), {key, node.place, &node});
}

// An observable from outside of the program says so by its hash.
void read_function(TomlReader& reader, const OwnParts& parts, Observation& observation) {
  const TomlNode* hash = reader.find("function_hash");
  if (hash == nullptr) return;
  PartIdentity said{observation.what.front(), reader.text("function_version"), reader.text("function_hash")};
  if (observation.what.size() != 1)
    reader.fail(reader.require("what"), "a function is observed by itself", "give it an [[observe]] of its own");
  const auto found = parts.observables.find(said.name);
  if (found == parts.observables.end())
    reader.fail(*hash, "the observable '" + said.name + "' is a function in Python, which is not here",
                "run the study from Python: attoscope.Study.from_toml(text, parts=[observable]).run()");
  if (found->second->identity() != said)
    reader.fail(*hash, "the observable '" + said.name + "' is not the one that the study was written for",
                "take that one, or set function_version and function_hash to those of this one");
  observation.function = found->second;
}

}  // namespace

std::vector<std::string> quantity_names(const std::vector<Phenomenon>& phenomena) {
  std::vector<std::string> names;
  for (const Phenomenon& phenomenon : phenomena)
    for (const QuantityHelp& one : phenomenon.detector->quantities()) names.push_back(phenomenon.name + "." + one.name);
  return names;
}

void check_quantity(TomlReader& reader, const std::string& quantity, const Study& study, const std::string& key) {
  if (observes(study, quantity)) return;
  std::vector<std::string> known = quantity_names(study.phenomena);
  for (const Fit& fit : study.fits)
    for (std::string& name : fit_quantities(fit)) known.push_back(std::move(name));
  if (std::find(known.begin(), known.end(), quantity) != known.end()) return;
  for (const DerivedQuantity& one : study.quantities) known.push_back(one.name);
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
  const std::string near = nearest_name(quantity, known);
  reader.fail(reader.require(key),
              "no phenomenon of this study has the quantity '" + quantity + "'" +
                  (near.empty() ? "" : "; did you mean '" + near + "'?"),
              known.empty() ? "add a [[phenomenon]] that finds it" : "its quantities are " + list);
}

ObservePlan read_observe(const TomlDocument& document, const TomlNode* list, const OwnParts& parts,
                         StudyPlaces& places) {
  ObservePlan plan;
  std::set<std::string> seen;
  for (const TomlNode* table : table_list(document, list, "observe")) {
    TomlReader reader(document, *table, "[[observe]]");
    Observation observation;
    const TomlNode& what = reader.require("what");
    observation.what = word_list(document, what, "what");
    places.addresses.emplace_back();
    for (size_t i = 0; i < what.items.size(); ++i) {
      if (!seen.insert(observation.what[i]).second)
        document.fail(what.items[i].place, "'" + observation.what[i] + "' is observed twice",
                      "every, linear, log and at of one [[observe]] add up");
      places.addresses.back().push_back(what.items[i].place);
    }
    Fields fields;
    fields.integer("every", observation.when.every, 1, kMaxSteps, "")
        .integer("linear", observation.when.linear, 1, kMaxPoints, "")
        .integer("log", observation.when.log, 2, kMaxPoints, "");
    reader.apply(fields);
    places.at.emplace_back();
    if (const TomlNode* at = reader.find("at")) observation.when.at = read_steps(document, *at, places.at.back());
    read_function(reader, parts, observation);
    reader.finish();
    plan.push_back(std::move(observation));
  }
  if (plan.empty())
    document.fail(list ? list->place : document.root.place, "the study observes nothing",
                  "add an [[observe]] with what = [\"perplexity\"]");
  return plan;
}

std::vector<Phenomenon> read_phenomena(const TomlDocument& document, const TomlNode* list, const OwnParts& parts,
                                       StudyPlaces& places) {
  std::vector<Phenomenon> phenomena;
  for (const TomlNode* table : table_list(document, list, "phenomenon")) {
    TomlReader reader(document, *table, "[[phenomenon]]");
    Phenomenon phenomenon;
    phenomenon.detector_name = reader.required_text("detector");
    std::shared_ptr<Detector> detector;
    try {
      detector = phenomenon.detector_name == kFunctionDetector ? make_function_detector(parts.detectors)
                                                               : make_detector(phenomenon.detector_name);
    } catch (const Error& error) {
      reader.fail(reader.require("detector"), error.what(), error.remedy());
    }
    phenomenon.name = reader.text("name");
    if (phenomenon.name.empty()) phenomenon.name = phenomenon.detector_name;
    if (phenomenon.name.find('.') != std::string::npos)
      reader.fail(reader.require("name"), "a name has no dots: claims write name.quantity");
    for (const Phenomenon& earlier : phenomena)
      if (earlier.name == phenomenon.name)
        document.fail(table->place, "a second phenomenon is called '" + phenomenon.name + "'",
                      "give it a `name` of its own");
    Fields settings;
    detector->describe(settings);
    Overrides defaults;
    for (const Field& field : settings.all()) defaults.emplace_back(field.key, field.get());
    reader.apply(settings);
    for (size_t i = 0; i < defaults.size(); ++i)
      if (Value value = settings.all()[i].get(); value != defaults[i].second)
        phenomenon.settings.emplace_back(defaults[i].first, std::move(value));
    reader.finish();
    try {
      detector->check_settings();
    } catch (const Error& error) {
      document.fail(table->place, error.what(), error.remedy());
    }
    phenomenon.detector = std::move(detector);
    phenomena.push_back(std::move(phenomenon));
    places.phenomena.push_back(table->place);
  }
  return phenomena;
}

std::vector<Claim> read_claims(const TomlDocument& document, const TomlNode* list, const Study& study,
                               StudyPlaces& places) {
  std::vector<Claim> claims;
  std::set<std::string> ids;
  for (const TomlNode* table : table_list(document, list, "claim")) {
    TomlReader reader(document, *table, "[[claim]]");
    // Some give sense to others, so a misspelt one is told of before anything that seems to lack it.
    reader.allow({"id",        "statement", "source", "published",   "origin",   "scope", "quantity",
                  "statistic", "with",      "within", "where",       "against",  "than",  "compare",
                  "pool",      "paired",    "tune",   "relative_to", "headline", "given", "by",
                  "region",    "above",     "below",  "margin"});
    Claim claim;
    claim.place = document.path + ":" + std::to_string(table->place.line);
    claim.id = reader.required_text("id");
    if (!ids.insert(claim.id).second)
      reader.fail(reader.require("id"), "a second claim has the id '" + claim.id + "'",
                  "give each claim an id of its own: reports and ledgers name claims by it");
    claim.statement = reader.required_text("statement");
    claim.source = reader.text("source");
    claim.published = reader.text("published");
    read_provenance(reader, study, claim);
    claim.quantity = reader.required_text("quantity");
    check_quantity(reader, claim.quantity, study);
    claim.statistic = read_statistic(reader);
    const Fit* fit = fit_of(claim.quantity, study.fits);
    check_fit_claim(reader, claim, fit);
    if (fit) claim.where = fit->where;
    read_pair(reader, study, claim);
    read_groups(reader, claim, places);
    claim.tune = reader.text("tune");
    check_tune(reader, claim.tune);
    claim.relative_to = reader.text("relative_to");
    check_relative_to(reader, claim.relative_to, study);
    read_condition(reader, study, claim);
    read_region(reader, claim);
    reader.finish();
    places.claims.push_back(table->place);
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace atto

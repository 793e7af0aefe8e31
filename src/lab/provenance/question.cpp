#include "lab/provenance/question.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/content_hash.h"
#include "base/json_depth.h"
#include "lab/study/canonical_json.h"

namespace atto {
namespace {

using Text = nlohmann::json;  // sorted by key

Text bound_text(double bound) {
  if (std::isinf(bound)) return bound > 0 ? "inf" : "-inf";
  return canonical_json(bound);
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

bool is_part_of_cell(const FieldInfo& field) {
  return field.identity != FieldInfo::Identity::never && !field.key.starts_with("seeds.");
}

// Only what differs from the defaults: keys that a run does not set may come later without changing the question.
Text settings_text(const RunConfig& config) {
  Text settings = Text::object();
  for (const RunField& field : run_schema().all())
    if (Value value = field.get(config); is_part_of_cell(field) && value != field.initial)
      settings[field.key] = canonical_json(value);
  return settings;
}

// The cells of a filter: what they have in common, then each by what sets it apart and its seeds. How the sweep lists
// them makes no difference, nor do cells that the claim does not speak of.
Text group_text(const std::vector<Cell>& cells, const CellFilter& filter) {
  std::vector<Text> each;
  std::vector<int64_t> seeds;
  for (const Cell& cell : cells) {
    if (!matches(filter, cell.config)) continue;
    each.push_back(settings_text(cell.config));
    seeds.push_back(cell.seeds);
  }
  Text common = each.empty() ? Text::object() : each.front();
  for (const Text& settings : each)
    for (auto entry = common.begin(); entry != common.end();) {
      const auto found = settings.find(entry.key());
      entry = found != settings.end() && *found == *entry ? std::next(entry) : common.erase(entry);
    }
  Text list = Text::array();
  for (size_t i = 0; i < each.size(); ++i) {
    for (const auto& [key, value] : common.items()) each[i].erase(key);
    list.push_back({{"settings", each[i]}, {"seeds", seeds[i]}});
  }
  std::sort(list.begin(), list.end());
  return {{"common", common}, {"cells", list}};
}

const DerivedQuantity* find_derived(const Study& study, const std::string& name) {
  for (const DerivedQuantity& one : study.quantities)
    if (one.name == name) return &one;
  return nullptr;
}

// The expressions behind a name, and behind the names in them; nothing for what is observed.
void add_expressions(const Study& study, const std::string& name, Text& expressions) {
  const DerivedQuantity* derived = find_derived(study, name);
  if (derived == nullptr || expressions.contains(name)) return;
  expressions[name] = without_spaces(derived->expression.text());
  for (const Expression::Name& one : derived->expression.names()) add_expressions(study, one.name, expressions);
}

Text series_text(const Study& study, const std::string& name) {
  Text text = {{"series", name}}, expressions = Text::object();
  add_expressions(study, name, expressions);
  if (!expressions.empty()) text["expressions"] = expressions;
  return text;
}

// The detector behind "plateau.level": what a phenomenon is called in the study makes no difference.
Text detected_text(const Study& study, const Phenomenon& phenomenon, const std::string& quantity) {
  Text text = {{"detector", phenomenon.detector_name}, {"quantity", quantity}};
  Text settings = Text::object(), expressions = Text::object();
  for (const auto& [key, value] : phenomenon.settings) settings[key] = canonical_json(value);
  if (!settings.empty()) text["settings"] = settings;
  if (const int64_t revision = phenomenon.detector->revision(quantity); revision != 1) text["revision"] = revision;
  for (const SeriesNeeds& needs : {phenomenon.detector->needs(), phenomenon.detector->needs_for(quantity)})
    for (const std::string& address : addresses_of(needs)) add_expressions(study, address, expressions);
  if (!expressions.empty()) text["expressions"] = expressions;
  return text;
}

Text quantity_text_of(const Study& study, const std::string& name) {
  for (const Phenomenon& one : study.phenomena)
    if (name.starts_with(one.name + ".")) return detected_text(study, one, name.substr(one.name.size() + 1));
  return series_text(study, name);
}

// The number of a fit, with the law that it belongs to; a term goes by its expression.
Text fitted_text(const Study& study, const Fit& fit, const std::string& number) {
  Text terms = Text::array(), text;
  text["number"] = number;
  for (const Fit::Term& term : fit.terms) {
    const std::string expression = without_spaces(term.expression.text());
    terms.push_back(expression);
    if (number == "exponent." + term.name) text["number"] = "exponent of " + expression;
  }
  std::sort(terms.begin(), terms.end());
  text["fit"] = {{"quantity", quantity_text_of(study, fit.quantity)}, {"terms", terms}};
  return text;
}

const Fit* fit_of_number(const Study& study, const Claim& claim, const std::string& name) {
  if (claim.statistic == Statistic::fit)
    for (const Fit& fit : study.fits)
      if (name.starts_with(fit.name + ".")) return &fit;
  return nullptr;
}

// The claim's quantity, or what it goes `with`: both are numbers of fits, or both are found in each run.
Text asked_text(const Study& study, const Claim& claim, const std::string& name) {
  if (const Fit* fit = fit_of_number(study, claim, name))
    return fitted_text(study, *fit, name.substr(fit->name.size() + 1));
  return quantity_text_of(study, name);
}

void add_groups(const Text& text, std::vector<const Text*>& groups) {
  if (text.is_object() && text.contains("cells") && text.contains("common")) groups.push_back(&text);
  else if (text.is_structured())
    for (const Text& part : text) add_groups(part, groups);
}

// What the store holds; null where it is no JSON or nested without end.
Text read_text(const std::string& text) {
  Text read = is_too_deep(text) ? Text() : Text::parse(text, nullptr, false);
  return read.is_discarded() ? Text() : read;
}

// The seeds of each cell of a question, by its settings; one that is in several groups counts once. A text that is none
// of ours speaks of no cell.
std::map<std::string, int64_t> cells_of(const std::string& text) try {
  std::map<std::string, int64_t> cells;
  const Text question = read_text(text);
  std::vector<const Text*> groups;
  add_groups(question, groups);
  for (const Text* group : groups) {
    for (const Text& cell : group->at("cells")) {
      Text settings = group->at("common");
      settings.update(cell.at("settings"));
      cells[settings.dump()] = cell.at("seeds").get<int64_t>();
    }
  }
  return cells;
} catch (const Text::exception&) {
  return {};
}

}  // namespace

std::string question_text(const Study& study, const std::vector<Cell>& cells, const Claim& claim) {
  // Every member by name, so that whoever adds one to a claim has to say here whether it changes the question. One that
  // came later is written only where it is set: the questions of earlier versions keep their hashes.
  const auto& [id, source, statement, published, quantity, statistic, with, within, given, by, where, pool, against,
               compare, than, paired, tune, relative_to, low, high, low_open, high_open, margin, headline, provenance,
               place] = claim;
  Text text = {{"quantity", asked_text(study, claim, quantity)},
               {"statistic", to_word(statistic)},
               {"region", {bound_text(low), bound_text(high)}},
               {"runs", group_text(cells, where)}};
  if (low_open) text["above"] = true;
  if (high_open) text["below"] = true;
  if (margin) text["margin"] = canonical_json(*margin);
  const Fit* const other = fit_of_number(study, claim, with);
  if (!with.empty()) text["with"] = asked_text(study, claim, with);
  if (other != nullptr) text["with"]["runs"] = group_text(cells, other->where);
  if (statistic == Statistic::coincidence) text["within"] = canonical_json(within);
  if (!given.empty()) text["given"] = quantity_text_of(study, given);
  if (by) text["by"] = canonical_json(*by);
  if (pool != Pool::every) text["pool"] = to_word(pool);
  if (against) text["against"] = group_text(cells, *against);
  if (against || other != nullptr) text["compare"] = to_word(compare);
  if (than) text["than"] = {{"runs", group_text(cells, than->where)}, {"against", group_text(cells, than->against)}};
  if (paired) text["paired"] = *paired;
  if (!tune.empty()) text["tune"] = tune;
  if (!relative_to.empty())
    text["relative_to"] =
        run_schema().find(relative_to) != nullptr ? Text(relative_to) : quantity_text_of(study, relative_to);
  const auto& [count, first, vary, until, most, exceptions] = study.seeds;
  const SeedPlan usual;
  if (first != usual.first) text["first_seed"] = first;
  if (vary != usual.vary) text["vary"] = to_word(vary);
  if (until != usual.until) {
    text["until"] = to_word(until);
    text["most"] = most;
  }
  return text.dump();
}

bool speaks_of(const Study& study, const Claim& claim, const RunConfig& config) {
  const Fit* const other = fit_of_number(study, claim, claim.with);
  return matches(claim.where, config) || (claim.against && matches(*claim.against, config)) ||
         (claim.than && (matches(claim.than->where, config) || matches(claim.than->against, config))) ||
         (other != nullptr && matches(other->where, config));
}

std::string question_hash(const std::string& text) { return content_hash(text); }

std::vector<Question> questions_of(const Study& study, const std::vector<Cell>& cells) {
  std::vector<Question> questions;
  for (const Claim& claim : study.claims) {
    Question& one = questions.emplace_back();
    one.claim = claim.id;
    one.text = question_text(study, cells, claim);
    one.hash = question_hash(one.text);
    for (size_t i = 0; i < cells.size(); ++i)
      if (speaks_of(study, claim, cells[i].config)) one.cells.push_back(i);
  }
  return questions;
}

int64_t runs_asked(const std::string& text) {
  int64_t runs = 0;
  for (const auto& [settings, seeds] : cells_of(text)) runs += seeds;
  return runs;
}

std::vector<std::string> settings_of_question(const std::string& text) {
  std::vector<std::string> all;
  for (const auto& [settings, seeds] : cells_of(text)) all.push_back(settings);
  return all;
}

std::string settings_of_run(const std::string& canonical_text) {
  Text settings = Text::object();
  const Text config = read_text(canonical_text);
  for (const RunField& field : run_schema().all())
    if (const auto found = config.find(field.key); is_part_of_cell(field) && found != config.end())
      if (*found != canonical_json(field.initial)) settings[field.key] = *found;
  return settings.dump();
}

}  // namespace atto

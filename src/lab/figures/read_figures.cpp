// The part of a study that says what its report draws: [[figure]].
#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "lab/figures/figure.h"
#include "lab/results/cell_values.h"
#include "lab/results/threshold_curve.h"
#include "lab/study/parts.h"

namespace atto {
namespace {

bool is_slug(const std::string& name) {
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

FigurePlan plan_of(const std::string& kind_name, const std::string& name, const std::string& title,
                   const std::vector<TomlEntry>& own = {}) {
  FigurePlan plan;
  plan.name = name;
  plan.kind_name = kind_name;
  plan.title = title;
  std::unique_ptr<FigureKind> kind = make_figure_kind(kind_name);
  FigureSettings settings;
  kind->describe(settings);
  const TomlDocument document{"", {TomlNode::Kind::table, {}, {}, {}, own}};
  TomlReader reader(document, document.root, "[[figure]]");
  settings.read(reader);
  plan.kind = std::move(kind);
  return plan;
}

// A name that files and links can bear, like this one and unlike those of `plans`.
std::string free_name(std::string name, const std::vector<FigurePlan>& plans) {
  for (char& c : name) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!is_slug(std::string(1, c))) c = '-';
  }
  const auto taken = [&](const std::string& one) {
    return std::any_of(plans.begin(), plans.end(), [&](const FigurePlan& plan) { return plan.name == one; });
  };
  std::string free = name;
  for (int number = 2; taken(free); ++number) free = name + "-" + std::to_string(number);
  return free;
}

// Two keys vary, over at least 2 × 2 places, most of which have a cell.
bool make_a_map(const std::vector<Cell>& cells) {
  std::vector<const Cell*> all;
  for (const Cell& cell : cells) all.push_back(&cell);
  const std::vector<SweptKey> keys = swept_keys(all);
  return keys.size() == 2 && cells.size() >= 4 &&
         2 * cells.size() > keys.front().values.size() * keys.back().values.size();
}

}  // namespace

std::vector<FigurePlan> read_figures(const TomlDocument& document, const TomlNode* list, StudyPlaces& places) {
  std::vector<FigurePlan> plans;
  for (const TomlNode* table : table_list(document, list, "figure")) {
    TomlReader reader(document, *table, "[[figure]]");
    FigurePlan plan;
    plan.name = reader.required_text("name");
    if (!is_slug(plan.name))
      reader.fail(reader.require("name"), "'" + plan.name + "' is not a figure's name",
                  "use lower-case letters, digits and dashes: it names files and links");
    if (std::any_of(plans.begin(), plans.end(), [&](const FigurePlan& one) { return one.name == plan.name; }))
      reader.fail(reader.require("name"), "another figure is called '" + plan.name + "'",
                  "give each figure a name of its own: it names its file");
    plan.kind_name = reader.required_text("kind");
    plan.title = reader.required_text("title");
    plan.published = reader.text("published");
    plan.note = reader.text("note");
    Fields fields;
    fields.choice("size", plan.size, "");
    reader.apply(fields);
    places.figures.push_back(table->place);
    if (const TomlNode* where = reader.table("where")) plan.where = run_values(document, *where);
    std::unique_ptr<FigureKind> kind;
    try {
      kind = make_figure_kind(plan.kind_name);
    } catch (const Error& error) {
      reader.fail(reader.require("kind"), error.what(), error.remedy());
    }
    FigureSettings settings;
    kind->describe(settings);
    settings.read(reader);
    reader.finish();
    plan.kind = std::move(kind);
    plans.push_back(std::move(plan));
  }
  return plans;
}

std::vector<FigurePlan> default_figures(const Study& study) {
  std::vector<FigurePlan> plans{plan_of("curves", "curves", "Training curves")};
  for (const Fit& fit : study.fits)
    plans.push_back(plan_of("law", free_name("law-" + fit.name, plans), "A law of " + fit.quantity,
                            {{"fit", {}, {TomlNode::Kind::scalar, {}, fit.name, {}, {}}}}));
  if (make_a_map(expand_cells(study))) plans.push_back(plan_of("phase", free_name("phase", plans), "Over the sweep"));
  return plans;
}

void add_threshold_figure(Study& study) {
  const auto drawn = [](const FigurePlan& plan) { return plan.kind_name == "thresholds"; };
  const auto hangs = [&](const Claim& claim) { return has_cuts(claim, study); };
  if (std::any_of(study.figures.begin(), study.figures.end(), drawn) ||
      std::none_of(study.claims.begin(), study.claims.end(), hangs))
    return;
  study.figures.push_back(
      plan_of("thresholds", free_name("thresholds", study.figures), "Verdicts over the cuts of their detectors"));
}

void check_figures(const TomlDocument& document, const Study& study, const std::vector<Cell>& cells,
                   const std::vector<Offer>& offers, const StudyPlaces& places) {
  for (size_t i = 0; i < places.figures.size(); ++i) {
    const FigurePlan& plan = study.figures[i];
    const std::string who = "the figure '" + plan.name + "'";
    std::vector<Cell> chosen;
    for (const Cell& cell : cells)
      if (matches(plan.where, cell.config)) chosen.push_back(cell);
    if (chosen.empty())
      document.fail(places.figures[i], who + " speaks of cells that the sweep does not have: " + cell_text(plan.where),
                    "every profile's sweep must contain them");
    try {
      plan.kind->check(study, chosen);
      check_shapes("it", plan.kind->needs(), plan.where, offers);
    } catch (const Error& error) {
      document.fail(places.figures[i], who + ": " + error.what(), error.remedy());
    }
  }
}

}  // namespace atto

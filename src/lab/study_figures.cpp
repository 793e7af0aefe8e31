// The part of a study that says what its report draws: [[figure]].
#include <algorithm>

#include "lab/figures/figure.h"
#include "lab/study_parts.h"
#include "numeric/error.h"

namespace atto {
namespace {

bool is_slug(const std::string& name) {
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

FigurePlan plan_of(const std::string& kind, const std::string& name, const std::string& title) {
  FigurePlan plan;
  plan.name = name;
  plan.kind_name = kind;
  plan.title = title;
  plan.kind = make_figure_kind(kind);
  return plan;
}

}  // namespace

std::vector<FigurePlan> read_figures(const TomlDocument& document, const TomlNode* list, StudyPlaces& places) {
  std::vector<FigurePlan> plans;
  for (const TomlNode* table : table_list(document, list, "figure")) {
    TableReader reader(document, *table, "[[figure]]");
    FigurePlan plan;
    plan.name = reader.required_text("name");
    if (!is_slug(plan.name))
      reader.fail(reader.require("name"), "'" + plan.name + "' is not a figure's name",
                  "use lower-case letters, digits and dashes: it names files and links");
    if (std::any_of(plans.begin(), plans.end(), [&](const FigurePlan& one) { return one.name == plan.name; }))
      reader.fail(reader.require("name"), "another figure is called '" + plan.name + "'");
    plan.kind_name = reader.required_text("kind");
    plan.title = reader.required_text("title");
    plan.published = reader.text("published");
    plan.note = reader.text("note");
    Fields fields;
    fields.word("size", plan.size, {"full", "half", "third"}, "");
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

std::vector<FigurePlan> default_figures() { return {plan_of("curves", "curves", "Training curves")}; }

void check_figures(const TomlDocument& document, const Study& study, const std::vector<Cell>& cells,
                   const StudyPlaces& places) {
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
    } catch (const Error& error) {
      document.fail(places.figures[i], who + ": " + error.what(), error.remedy());
    }
  }
}

}  // namespace atto

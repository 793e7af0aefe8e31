#include "lab/figures/figure.h"

#include <algorithm>

#include "base/contains.h"
#include "base/error.h"
#include "lab/figures/setting_text.h"
#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"
#include "lab/study/parts.h"

namespace atto {
namespace {

// Do the filters ask for different values of some key, so that no cell matches both?
bool exclude_each_other(const CellFilter& one, const CellFilter& other) {
  return std::any_of(one.begin(), one.end(), [&](const auto& wanted) {
    return std::any_of(other.begin(), other.end(),
                       [&](const auto& has) { return has.first == wanted.first && has.second != wanted.second; });
  });
}

}  // namespace

void FigureKind::check(const Study& study, const std::vector<Cell>&) const {
  for (const std::string& need : addresses_of(needs())) {
    if (!observes(study, need))
      throw Error(ErrorKind::config, "it draws '" + need + "', which the study does not observe",
                  "add \"" + need + "\" to the `what` of an [[observe]]");
  }
}

std::vector<std::string> read_for(const Claim& claim, const Study& study) {
  std::vector<std::string> addresses;
  if (observes(study, claim.quantity)) addresses.push_back(claim.quantity);
  for (const Phenomenon& phenomenon : study.phenomena) {
    if (!claim.quantity.starts_with(phenomenon.name + ".")) continue;
    for (const SeriesNeed& need : phenomenon.detector->needs()) addresses.push_back(need.address);
    const std::string quantity = claim.quantity.substr(phenomenon.name.size() + 1);
    for (const SeriesNeed& need : phenomenon.detector->needs_for(quantity)) addresses.push_back(need.address);
  }
  return addresses;
}

// By default a figure shows the phenomena that are looked for in what it draws.
bool FigureKind::shows(const Claim& claim, const Study& study) const {
  const std::vector<std::string> drawn = addresses_of(needs()), read = read_for(claim, study);
  return std::any_of(read.begin(), read.end(), [&](const std::string& one) { return contains(drawn, one); });
}

Figure draw_figure(const FigurePlan& plan, const StudyResult& result, const RunSource& runs) {
  FigureSource source{result, runs, {}};
  for (const CellResult& cell : result.cells)
    if (matches(plan.where, cell.cell.config)) source.cells.push_back(&cell);
  Figure figure{plan, plan.kind->draw(source), setting_text(source.cells), nullptr};
  const Drawing& drawing = figure.drawing;
  if (drawing.marks > kMostMarks)
    figure.drawing =
        nothing_to_draw("It would take " + count_text(static_cast<int64_t>(drawing.marks)) + " marks, of at most " +
                        count_text(kMostMarks) + ": choose fewer cells with `where`.");
  if (drawing.spec.is_null()) return figure;
  Json facts = {{"name", result.study.name + "/" + plan.name},
                {"marks", drawing.marks},
                {"panels", drawing.layout.panels},
                {"columns", drawing.layout.columns},
                {"width", drawing.layout.width},
                {"height", drawing.layout.height},
                {"extra", drawing.layout.extra},
                {"smallest", drawing.layout.smallest},
                {"keep_aspect", drawing.layout.keep_aspect}};
  if (!drawing.frames.empty()) facts["frames"] = {{"param", "frame"}, {"steps", drawing.frames}};
  figure.spec = {{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
                 {"description", plan.title + ". " + drawing.caption + " " + figure.setting},
                 {"usermeta", {{"atto", facts}}}};
  figure.spec.update(drawing.spec);
  return figure;
}

std::optional<std::string> figure_of(const Claim& claim, const Study& study) {
  for (const FigurePlan& plan : study.figures)
    if (plan.kind->shows(claim, study) && !exclude_each_other(plan.where, claim.where)) return plan.name;
  return std::nullopt;
}

}  // namespace atto

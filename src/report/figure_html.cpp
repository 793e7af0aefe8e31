#include "lab/results/format_text.h"
#include "report/html.h"
#include "report/sections.h"

namespace atto {
namespace {

std::string paragraph(const std::string& text, const std::string& kind) {
  return text.empty() ? "" : text_element("p", text, kind.empty() ? "" : "class=\"" + kind + "\"");
}

// Links to the claims that lead here.
std::string claims_shown(const FigurePlan& plan, const StudyResult& result, const std::string& id) {
  std::string links;
  for (size_t i = 0; i < result.claims.size(); ++i) {
    const ClaimResult& one = result.claims[i];
    if (figure_of(one.claim, result.study) == plan.name)
      links += " " + text_element(
                         "a", one.claim.id,
                         std::string("class=\"") + to_word(one.verdict.kind) + "\" href=\"#" + claim_id(id, i) + "\"");
  }
  return links.empty() ? "" : element("p", "Claims:" + links, "class=\"shows\"");
}

}  // namespace

std::string figure_id(const std::string& study_id, const std::string& figure) {
  return study_id + "--figure-" + figure;
}

std::string figure_html(const Figure& figure, const StudyReport& report, const std::string& id,
                        const std::string& live) {
  const FigurePlan& plan = figure.plan;
  const Drawing& drawing = figure.drawing;
  const std::string attributes = "id=\"" + figure_id(id, plan.name) + "\" class=\"" + to_word(plan.size) + "\"";
  std::string out = text_element("h3", plan.title);
  if (figure.spec.is_null()) return element("figure", out + paragraph(drawing.notice, "notice"), attributes) + "\n";
  out += "<div class=\"view\" role=\"img\" aria-label=\"" + escaped(plan.title + ". " + drawing.caption) + "\"></div>";
  out += "<div class=\"controls\"></div>";
  std::string caption = paragraph(drawing.caption + (plan.note.empty() ? "" : " " + plan.note), "");
  caption += paragraph(drawing.notice.empty() ? "" : drawing.notice + ".", "notice");
  caption += paragraph(figure.setting, "source");
  if (!drawing.how.empty())
    caption += element("details", "<summary>How to read this</summary>" + paragraph(drawing.how, ""), "class=\"how\"");
  if (!plan.published.empty()) caption += paragraph("Published counterpart: " + plan.published + ".", "published");
  caption += claims_shown(plan, *report.result, id) + live;
  const std::string command = "atto figure " + report.called + "/" + plan.name + report.options;
  caption +=
      element("p", text_element("code", command + (drawing.frames.empty() ? " --svg" : " --gif")), "class=\"command\"");
  out += element("figcaption", caption);
  out += element("script", script_json(figure.spec), "type=\"application/json\"");
  return element("figure", out, attributes) + "\n";
}

}  // namespace atto

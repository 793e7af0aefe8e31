#include "lab/report/html.h"
#include "lab/report/sections.h"
#include "lab/words.h"

namespace atto {
namespace {

std::string cell(const std::string& text, const std::string& caveat = "") {
  std::string content = escaped(text);
  if (!caveat.empty()) content += text_element("small", " (" + caveat + ")");
  return element("td", content);
}

std::string row(const Claim& claim, const Study& study, const std::string& id, const Verdict* verdict) {
  const std::string figure = figure_of(claim, study);
  const std::string target = verdict && !figure.empty() ? figure_id(id, figure) : id;
  const std::string kind = verdict ? to_string(verdict->kind) : "unjudged";
  std::string cells = element("td", text_element("a", claim.id, "href=\"#" + target + "\""));
  cells += cell(claim.statement) + cell(claim.published.empty() ? "-" : claim.published);
  cells += verdict ? cell(estimate_text(*verdict), caveats_text(*verdict)) : cell("-");
  cells += cell(number_range(claim.low, claim.high)) + cell(verdict ? count_text(verdict->seeds) : "0");
  cells += text_element("td", verdict ? kind : "not judged", "class=\"verdict\"");
  return element("tr", cells, "class=\"" + kind + "\" id=\"" + claim_id(id, claim.id) + "\"") + "\n";
}

}  // namespace

std::string claim_id(const std::string& study_id, const std::string& claim) {
  return "claim-" + study_id + "-" + slug(claim);
}

std::string claim_rows(const StudyReport& report, const std::string& id) {
  std::string rows;
  if (report.result)
    for (const ClaimResult& one : report.result->claims) rows += row(one.claim, report.study, id, &one.verdict);
  else
    for (const Claim& claim : report.study.claims) rows += row(claim, report.study, id, nullptr);
  return rows;
}

}  // namespace atto

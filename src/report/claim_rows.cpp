#include <algorithm>

#include "lab/results/claim_status.h"
#include "lab/results/format_text.h"
#include "phenomena/claims/verdict_words.h"
#include "report/forest.h"
#include "report/html.h"
#include "report/sections.h"

namespace atto {
namespace {

std::string cell(const std::string& text) { return text_element("td", text); }

// The number found as a picture and as text, with what the interval alone would hide.
std::string found_cell(const Claim& claim, const Verdict& verdict) {
  std::string content = forest_svg(claim, verdict) + escaped(estimate_text(verdict));
  if (const std::string caveats = caveats_text(claim, verdict); !caveats.empty())
    content += text_element("small", " (" + caveats + ")");
  return element("td", content);
}

// Word, place and record of a verdict.
std::string verdict_cell(const ClaimResult& result) {
  const Provenance& provenance = result.claim.provenance;
  const VerdictKind kind = result.verdict.kind;
  std::string content = escaped(verdict_word(kind, provenance));
  if (const std::string place = verdict_place(kind, provenance, result.at); !place.empty())
    content += text_element("small", " " + place);
  content += text_element("small", " (" + provenance_text(result) + ")");
  if (const std::string& recipes = result.recipes; !recipes.empty()) {
    // "holds in 28 of 48 recipes; fails in 1, with …": the count, and the rest for who asks.
    const size_t end = std::min(recipes.find(';'), recipes.size());
    content += element("details", element("summary", text_element("small", recipes.substr(0, end))) +
                                      text_element("small", recipes.substr(std::min(end + 1, recipes.size()))));
  }
  return element("td", content, "class=\"verdict\"");
}

// `target` is where the claim leads to, `result` null where there is none yet.
std::string row(const Claim& claim, const std::string& id, const std::string& target, const ClaimResult* result) {
  const Verdict* const verdict = result ? &result->verdict : nullptr;
  const std::string kind = verdict ? to_word(verdict->kind) : "unjudged";
  std::string cells = element("td", text_element("a", claim.id, "href=\"#" + target + "\""));
  cells += cell(claim.statement) + cell(claim.published.empty() ? "-" : claim.published);
  cells += verdict ? found_cell(claim, *verdict) : cell("-");
  cells += cell(region_text(claim)) + cell(verdict ? count_text(verdict->seeds) : "0");
  cells += result ? verdict_cell(*result) : text_element("td", "not judged", "class=\"verdict\"");
  return element("tr", cells, "class=\"" + kind + "\" id=\"" + id + "\"") + "\n";
}

}  // namespace

std::string claim_id(const std::string& study_id, size_t claim) {
  return study_id + "--claim-" + std::to_string(claim + 1);
}

std::string claim_rows(const StudyReport& report, const std::string& id) {
  std::string rows;
  if (!report.result) {
    for (size_t i = 0; i < report.study.claims.size(); ++i)
      rows += row(report.study.claims[i], claim_id(id, i), id, nullptr);
    return rows;
  }
  for (size_t i = 0; i < report.result->claims.size(); ++i) {
    const ClaimResult& one = report.result->claims[i];
    const std::optional<std::string> figure = figure_of(one.claim, report.study);
    rows += row(one.claim, claim_id(id, i), figure ? figure_id(id, *figure) : id, &one);
  }
  return rows;
}

}  // namespace atto

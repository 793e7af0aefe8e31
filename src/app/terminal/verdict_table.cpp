#include "app/terminal/verdict_table.h"

#include "app/terminal/text_table.h"
#include "lab/results/claim_status.h"
#include "phenomena/claims/verdict_words.h"

namespace atto {
namespace {

Style style_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::supported:
      return Style::good;
    case VerdictKind::refuted:
      return Style::bad;
    case VerdictKind::inconclusive:
      return Style::unsure;
  }
  return Style::plain;
}

}  // namespace

std::string verdict_table(const std::vector<ClaimResult>& claims, const Terminal& terminal) {
  Table table({{"claim"},
               {"verdict"},
               {"estimate [95 %]"},
               {"seeds", Align::right},
               {"region"},
               {"published", Align::left, true}});
  for (const ClaimResult& result : claims) {
    const Verdict& verdict = result.verdict;
    table.row({{result.claim.id, Style::bold},
               {verdict_word(verdict.kind, result.claim.provenance), style_of(verdict.kind)},
               estimate_text(verdict),
               count_text(verdict.seeds),
               region_text(result.claim),
               result.claim.published.empty() ? "-" : result.claim.published});
    table.note(result.claim.statement);
    const std::string place = verdict_place(verdict.kind, result.claim.provenance, result.at);
    table.note((place.empty() ? "" : verdict_word(verdict.kind, result.claim.provenance) + " " + place + "; ") +
               provenance_text(result));
    if (const std::string caveats = caveats_text(result.claim, verdict); !caveats.empty())
      table.note("(" + caveats + ")");
    if (!result.recipes.empty()) table.note("over recipes: " + result.recipes);
  }
  const std::string intervals = intervals_text(claims);
  return table.render(terminal) + (intervals.empty() ? "" : intervals + "\n");
}

std::string tally_line(const std::vector<ClaimResult>& claims, const Terminal& terminal) {
  std::string text = count_text(static_cast<int64_t>(claims.size()), "claim") + ":";
  std::string separator = " ";
  for (const CountedVerdicts& one : verdict_tally(claims)) {
    text += separator + styled(one.text, style_of(one.kind), terminal);
    separator = ", ";
  }
  return text;
}

std::string verdict_counts(const std::vector<ClaimResult>& claims, const Terminal& terminal) {
  std::string text = tally_line(claims, terminal);
  for (const ClaimGroup& group : groups_by_provenance(claims)) text += "\n  " + group.text();
  if (const std::string statuses = status_counts(claims); !statuses.empty()) text += "\n  " + statuses;
  return text;
}

}  // namespace atto

#include "report/report.h"

#include "lab/results/claim_status.h"
#include "lab/results/families.h"
#include "lab/results/format_text.h"
#include "report/assets.h"
#include "report/forest.h"
#include "report/html.h"
#include "report/playground.h"
#include "report/sections.h"

namespace atto {
namespace {

constexpr const char* kHead =
    "<tr><th>claim</th><th>statement</th><th>published</th><th>found [95 %]</th><th>expected</th><th>seeds</th>"
    "<th>verdict</th></tr>";

// How the claims came out by origin and scope, and how many were fixed before their runs.
std::string counts_html(const std::vector<ClaimResult>& claims) {
  std::string items;
  for (const ClaimGroup& group : groups_by_provenance(claims)) items += text_element("li", group.text() + ".");
  if (const std::string statuses = status_counts(claims); !statuses.empty())
    items += text_element("li", statuses + ".");
  const std::string head = "<summary>How they came out, by origin, scope and record</summary>";
  return items.empty() ? "" : element("details", head + element("ul", items), "class=\"counts\"");
}

std::string title_of(const Study& study) { return study.title.empty() ? study.name : study.title; }

// The figure to look at first: the one that shows the claim, else the first of its study. One over recipes answers
// another question.
const FigurePlan* telling_figure(const Claim& claim, const Study& study, const std::set<std::string>& drawn) {
  const std::optional<std::string> shows = figure_of(claim, study);
  const FigurePlan* first = nullptr;
  for (const FigurePlan& plan : study.figures) {
    if (!drawn.contains(plan.name) || plan.kind_name == "specification") continue;
    if (plan.name == shows) return &plan;
    if (!first) first = &plan;
  }
  return first;
}

// The page with its places filled. The pieces may hold anything, also what looks like a place, so each is looked for
// behind the one before.
std::string fill(std::string_view page, const std::map<std::string, std::string_view>& places) {
  std::string out;
  size_t at = 0;
  while (true) {
    const size_t open = page.find("{{", at);
    if (open == std::string_view::npos) return out.append(page.substr(at));
    const size_t close = page.find("}}", open);
    out.append(page.substr(at, open - at)).append(places.at(std::string(page.substr(open + 2, close - open - 2))));
    at = close + 2;
  }
}

}  // namespace

// Apart from the page's own ids, and free of "--", which sets figures and claims apart from their study.
std::string Report::unique_id(const std::string& name) {
  const std::string base = "study-" + slug(name);
  std::string id = base;
  for (int number = 2; !ids_.insert(id).second; ++number) id = base + "-" + std::to_string(number);
  return id;
}

std::string Report::figures_html(const StudyReport& report, const RunSource& runs, const std::string& id,
                                 std::set<std::string>& drawn) {
  std::string out;
  for (const FigurePlan& plan : report.study.figures) {
    const Figure figure = draw_figure(plan, *report.result, runs);
    std::string live;
    if (!figure.spec.is_null()) {
      drawn.insert(plan.name);
      if (!playground_.page.empty()) live = playground_link(plan, *report.result, playground_);
    }
    out += figure_html(figure, report, id, live);
  }
  figures_ += drawn.size();
  return element("div", out, "class=\"figures\"");
}

void Report::place_claims(const StudyReport& report, const std::string& id, const std::set<std::string>& drawn) {
  const Study& study = report.study;
  for (size_t i = 0; i < report.result->claims.size(); ++i) {
    const ClaimResult& one = report.result->claims[i];
    ClaimPlace place{claim_id(id, i), id, title_of(study), "", "", {}};
    if (const FigurePlan* const figure = telling_figure(one.claim, study, drawn)) {
      place.figure_id = figure_id(id, figure->name);
      place.figure_title = figure->title;
      place.figure_size = figure->size;
    }
    judged_.push_back(one);
    places_.push_back(std::move(place));
  }
}

void Report::add(const StudyReport& report, const RunSource* runs) {
  const Study& study = report.study;
  const std::string id = unique_id(study.name), link = "href=\"#" + id + "\"", title = title_of(study);
  contents_ += element("li", text_element("a", title, link)) + "\n";
  if (!study.claims.empty())
    claim_rows_ += "<tbody><tr class=\"study\"><th colspan=\"7\" scope=\"rowgroup\">" + text_element("a", title, link) +
                   "</th></tr>\n" + claim_rows(report, id) + "</tbody>\n";

  std::string section = text_element("h2", title);
  if (!study.source.empty()) section += element("p", linked(study.source), "class=\"source\"");
  if (!study.summary.empty()) section += text_element("p", study.summary, "class=\"summary\"");
  if (!study.calibrated.empty()) section += text_element("p", study.calibrated, "class=\"calibrated\"");
  section += notices_html(report) + setting_html(study);
  std::set<std::string> drawn;
  if (report.result && runs) section += figures_html(report, *runs, id, drawn) + numbers_html(*report.result);
  if (report.result) place_claims(report, id, drawn);
  else not_judged_ += std::ssize(study.claims);
  sections_ += element("section", section, "class=\"study\" id=\"" + id + "\"") + "\n";
}

size_t Report::claims() const { return judged_.size() + static_cast<size_t>(not_judged_); }

std::string Report::html() const {
  std::string summary = count_text(static_cast<int64_t>(claims()), "claim");
  std::string separator = ": ";
  const auto add = [&](const std::string& part) {
    summary += separator + part;
    separator = ", ";
  };
  if (!judged_.empty())
    for (const CountedVerdicts& one : verdict_tally(judged_)) add(one.text);
  if (not_judged_ > 0) add(count_text(not_judged_) + " not judged");
  std::string body;
  for (const std::string& text : notices_) body += text_element("p", text, "class=\"notice\"");
  if (claims() > 0) {
    if (!judged_.empty())
      body += element("section", "<h2>What was found</h2>\n" + answers_html(judged_, places_), "id=\"answers\"") + "\n";
    std::string claims_html = "<h2>Claims</h2>" + text_element("p", summary + ".", "class=\"summary\"");
    claims_html += text_element("p", family_text(judged_), "class=\"summary\"") + counts_html(judged_);
    if (const std::string intervals = intervals_text(judged_); !intervals.empty())
      claims_html += text_element("p", intervals, "class=\"summary\"");
    if (!judged_.empty()) claims_html += forest_key_html();
    claims_html += element("div", element("table", element("thead", kHead) + "\n" + claim_rows_, "class=\"claims\""),
                           "class=\"scroll\"");
    body += element("section", claims_html, "id=\"claims\"") + "\n";
  }
  if (!contents_.empty())
    body += element("nav", "<h2>Studies</h2>" + element("ul", contents_), "class=\"contents\"") + "\n";
  body += sections_;
  const std::string licences = escaped(assets::licences());
  return fill(assets::page(), {{"title", "Attoscope report"},
                               {"style", assets::style()},
                               {"body", body},
                               {"script", assets::script()},
                               {"licences", licences}});
}

}  // namespace atto

#include "report/report.h"

#include "lab/results/answers.h"
#include "lab/results/claim_status.h"
#include "lab/results/families.h"
#include "lab/results/format_text.h"
#include "report/assets.h"
#include "report/html.h"
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
  return items.empty() ? "" : element("ul", items, "class=\"counts\"");
}

// For each publication, before any table.
std::string answers_html(const std::vector<ClaimResult>& claims) {
  std::string items;
  for (const SourceAnswers& source : answers_by_source(claims)) {
    std::string answers;
    for (const std::string& one : source.answers) answers += text_element("li", one);
    items += element("li", escaped(source.publication + ": " + source.tally + ".") + element("ul", answers));
  }
  return element("ul", items, "class=\"counts\"");
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

void Report::add(const StudyReport& report, const RunSource* runs) {
  const Study& study = report.study;
  const std::string id = unique_id(study.name), link = "href=\"#" + id + "\"";
  const std::string title = study.title.empty() ? study.name : study.title;
  contents_ += element("li", text_element("a", title, link)) + "\n";
  if (!study.claims.empty())
    claim_rows_ += "<tbody><tr class=\"study\"><th colspan=\"7\" scope=\"rowgroup\">" + text_element("a", title, link) +
                   "</th></tr>\n" + claim_rows(report, id) + "</tbody>\n";
  if (report.result) judged_.insert(judged_.end(), report.result->claims.begin(), report.result->claims.end());
  else not_judged_ += std::ssize(study.claims);

  std::string section = text_element("h2", title);
  if (!study.source.empty()) section += element("p", linked(study.source), "class=\"source\"");
  if (!study.summary.empty()) section += text_element("p", study.summary, "class=\"summary\"");
  if (!study.calibrated.empty()) section += text_element("p", study.calibrated, "class=\"calibrated\"");
  section += notices_html(report) + setting_html(study);
  if (report.result && runs) {
    std::string drawn;
    for (const FigurePlan& plan : study.figures) {
      const Figure figure = draw_figure(plan, *report.result, *runs);
      figures_ += figure.spec.is_null() ? 0 : 1;
      drawn += figure_html(figure, report, id);
    }
    section += element("div", drawn, "class=\"figures\"") + numbers_html(*report.result);
  }
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
    body += element("section", "<h2>What was found</h2>" + answers_html(judged_), "id=\"answers\"") + "\n";
    std::string claims_html = "<h2>Claims</h2>" + text_element("p", summary + ".", "class=\"summary\"");
    claims_html += text_element("p", family_text(judged_), "class=\"summary\"") + counts_html(judged_);
    if (const std::string intervals = intervals_text(judged_); !intervals.empty())
      claims_html += text_element("p", intervals, "class=\"summary\"");
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

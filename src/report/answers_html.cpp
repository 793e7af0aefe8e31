#include <algorithm>

#include "lab/results/answers.h"
#include "lab/results/format_text.h"
#include "phenomena/claims/verdict_words.h"
#include "report/html.h"
#include "report/sections.h"

namespace atto {
namespace {

std::string link(const std::string& id, const std::string& text, const std::string& more = "") {
  return text_element("a", text, more + "href=\"#" + id + "\"");
}

// The studies that ask, each once, in the order of their claims; the question is what the first answer's study says.
std::string asked_html(const SourceAnswers& source, const std::vector<ClaimPlace>& places) {
  std::string links;
  std::vector<std::string> seen;
  for (const size_t claim : source.claims) {
    const ClaimPlace& place = places[claim];
    if (std::find(seen.begin(), seen.end(), place.study_id) != seen.end()) continue;
    seen.push_back(place.study_id);
    links += (links.empty() ? "" : ", ") + link(place.study_id, place.study_title);
  }
  return element("p", "Asked in " + links + ".", "class=\"asked\"");
}

// Sign, claim and verdict of each: a mark is its colour, its shape and its letter, which the style gives it.
std::string strip_html(const SourceAnswers& source, const std::vector<ClaimResult>& claims,
                       const std::vector<ClaimPlace>& places) {
  std::string marks;
  for (const size_t i : source.claims) {
    const ClaimResult& one = claims[i];
    const std::string name =
        one.claim.id + ": " + one.claim.statement + ": " + verdict_text(one.verdict.kind, one.claim.provenance, one.at);
    marks += element("li", element("a", "",
                                   std::string("class=\"") + to_word(one.verdict.kind) + "\" href=\"#" + places[i].id +
                                       "\" aria-label=\"" + escaped(name) + "\""));
  }
  return element("ul", marks, "class=\"strip\" aria-label=\"Verdicts, " + escaped(source.publication) + "\"");
}

// The figure of the first answer that has one. It is drawn from the data of the figure in its study's section.
std::string key_figure_html(const SourceAnswers& source, const std::vector<ClaimPlace>& places, const std::string& id) {
  for (const size_t i : source.answered) {
    const ClaimPlace& place = places[i];
    if (place.figure_id.empty()) continue;
    return element("figure",
                   element("h4", link(place.figure_id, place.figure_title)) +
                       "<div class=\"view\" role=\"img\" aria-label=\"" + escaped(place.figure_title) + "\"></div>",
                   "id=\"" + id + "--figure\" class=\"key " + to_word(place.figure_size) + "\" data-spec=\"" +
                       place.figure_id + "\"");
  }
  return "";
}

std::string source_html(const SourceAnswers& source, const std::vector<ClaimResult>& claims,
                        const std::vector<ClaimPlace>& places, const std::string& id) {
  std::string answers;
  for (const std::string& one : source.answers) answers += text_element("li", one);
  const std::string words = text_element("h3", source.publication) + asked_html(source, places) +
                            (answers.empty() ? "" : element("ul", answers, "class=\"found\"")) +
                            text_element("p", source.tally + ".", "class=\"tally\"") +
                            strip_html(source, claims, places);
  return element("article", element("div", words, "class=\"words\"") + key_figure_html(source, places, id),
                 "class=\"answer\" id=\"" + id + "\"") +
         "\n";
}

}  // namespace

std::string answers_html(const std::vector<ClaimResult>& claims, const std::vector<ClaimPlace>& places) {
  std::string out;
  int number = 0;
  for (const SourceAnswers& source : answers_by_source(claims))
    out += source_html(source, claims, places, "answer-" + std::to_string(++number));
  return out;
}

}  // namespace atto

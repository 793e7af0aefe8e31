#include <algorithm>

#include "lab/results/format_text.h"
#include "report/html.h"
#include "report/sections.h"

namespace atto {
namespace {

std::string table(const std::string& head, const std::string& rows) {
  // With a stop of the Tab key, so that the keyboard can scroll it.
  return element("div", element("table", element("thead", head) + element("tbody", rows)),
                 "class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table of numbers\"");
}

std::string fit_html(const FitResult& fit) {
  const PowerLaw& law = fit.law;
  if (!law.obstacle.empty())
    return text_element(
        "p", fit.fit.name + ": no law of " + fit.fit.quantity + ": " + law.obstacle + " (" + runs_text(law) + ").");
  const auto row = [](const std::string& name, const Interval& interval, const std::string& left_out,
                      const std::string& expected) {
    return element("tr", text_element("th", name, "scope=\"row\"") + text_element("td", interval_text(interval)) +
                             text_element("td", left_out) + text_element("td", expected));
  };
  std::string rows = row("constant", law.constant, "", "");
  for (const LawExponent& one : law.exponents) {
    std::string expected, expression;
    for (const auto& [term, exponent] : fit.fit.expected)
      if (term == one.term) expected = number_text(exponent);
    for (const Fit::Term& term : fit.fit.terms)
      if (term.name == one.term) expression = term.expression.text();
    rows +=
        row("exponent of " + one.term + " = " + expression, one.exponent,
            one.left_out ? short_text(one.left_out->first) + " to " + short_text(one.left_out->second) : "", expected);
  }
  rows += row("R²", law.r2, "", "");
  std::string out =
      text_element("p", fit.fit.name + ": " + law_text(fit) + ". " + runs_text(law) + "; " + preferred_text(law) + ".");
  out += table("<tr><th></th><th>estimate [95 %]</th><th>a size left out</th><th>expected</th></tr>", rows);
  for (const Diagnosis& one : fit.diagnoses)
    out += text_element("p", one.name + ": " + one.signature + " " + one.remedy, "class=\"diagnosis\"");
  return out;
}

std::string final_text(const ObservableSummary& one) {
  std::string text = spread_text(one.median, one.q25, one.q75);
  if (one.basins.size() < 2 || one.address != "perplexity") return text;
  std::string separator = "; ";
  for (const Basin& basin : one.basins) {
    text += separator + count_text(basin.count) + " near " + number_text(basin.median);
    separator = ", ";
  }
  return text;
}

}  // namespace

std::string numbers_html(const StudyResult& result) {
  std::string out;
  for (const FitResult& fit : result.fits) out += fit_html(fit);
  // Cells may differ in what they offer: columns in order of first appearance.
  std::vector<std::string> addresses, quantities;
  const auto once = [](std::vector<std::string>& list, const std::string& name) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  };
  for (const CellResult& cell : result.cells) {
    for (const ObservableSummary& one : cell.observables) once(addresses, one.address);
    for (const QuantitySummary& one : cell.quantities) once(quantities, one.name);
  }
  std::string head = "<th>cell</th><th>seeds</th>";
  for (const std::string& address : addresses) head += text_element("th", "final " + address);
  for (const std::string& name : quantities) head += text_element("th", name);
  std::string rows;
  for (const CellResult& cell : result.cells) {
    std::string row = text_element("th", cell_label(cell.cell.overrides), "scope=\"row\"");
    row += text_element(
        "td", count_text(cell.seeds) + (cell.diverged > 0 ? " (" + count_text(cell.diverged) + " diverged)" : ""));
    for (const std::string& address : addresses) {
      const ObservableSummary* found = find_observable(cell, address);
      row += text_element("td", found ? final_text(*found) : "-");
    }
    for (const std::string& name : quantities) {
      const QuantitySummary* found = find_quantity(cell, name);
      row += text_element("td", found ? quantity_text(*found) : "-");
    }
    rows += element("tr", row) + "\n";
  }
  out += "<p>Median [quartiles] over seeds; yes-or-no findings as counts.</p>" + table(element("tr", head), rows);
  return element("details", "<summary>Numbers</summary>" + out, "class=\"numbers\"");
}

}  // namespace atto

#include "app/terminal/fit_report.h"

#include <algorithm>

#include "app/terminal/cell_table.h"
#include "app/terminal/plot.h"
#include "app/terminal/text_table.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

constexpr size_t kMostCells = 4;  // named for one sign; the rest are counted
constexpr size_t kIndent = 2;

std::string wrapped(const std::string& text, const std::string& lead, const Terminal& terminal) {
  const size_t indent = kIndent + text_width(lead);
  const size_t room = terminal.width > indent + 20 ? terminal.width - indent : 20;
  std::string out;
  for (const std::string& line : wrap(text, room))
    out += std::string(kIndent, ' ') + (out.empty() ? lead : std::string(text_width(lead), ' ')) + line + "\n";
  return out;
}

std::string diagnosis_text(const Diagnosis& diagnosis, const std::string& who, const Terminal& terminal) {
  return wrapped(diagnosis.name + who + ": " + diagnosis.signature, "! ", terminal) +
         wrapped(diagnosis.remedy, "  → ", terminal);
}

}  // namespace

std::string fit_report(const FitResult& fit, const Terminal& terminal) {
  const PowerLaw& law = fit.law;
  std::string out = styled(fit.fit.name, Style::bold, terminal) + " · ";
  if (!law.obstacle.empty())
    return out + fit.fit.quantity + ": no law\n" + wrapped(law.obstacle + " (" + runs_text(law) + ")", "", terminal);
  out += law_text(fit) + "\n";
  std::string terms;
  for (const Fit::Term& term : fit.fit.terms)
    terms += (terms.empty() ? "" : ", ") + term.name + " = " + term.expression.text();
  out += wrapped(terms, "", terminal);
  out += wrapped(runs_text(law) + "; the time spans " + short_text(law.time_decades) + " decades", "", terminal);
  out += wrapped(preferred_text(law), "", terminal);
  Table table({{"  "}, {"estimate [95 %]"}, {"decades", Align::right}, {"a size left out"}, {"expected"}});
  table.row({"  constant", interval_text(law.constant), "", "", ""});
  for (const LawExponent& one : law.exponents) {
    std::string expected;
    for (const auto& [term, exponent] : fit.fit.expected)
      if (term == one.term) expected = number_text(exponent);
    table.row({"  exponent of " + one.term, interval_text(one.exponent), short_text(one.decades),
               one.left_out ? short_text(one.left_out->first) + " to " + short_text(one.left_out->second) : "-",
               expected});
  }
  table.row({"  R²", interval_text(law.r2), "", "", ""});
  out += table.render(terminal);
  for (const Diagnosis& diagnosis : fit.diagnoses) out += diagnosis_text(diagnosis, "", terminal);
  return out;
}

std::string fit_plot(const FitResult& fit, const Terminal& terminal) {
  if (!fit.law.obstacle.empty()) return "";
  std::vector<std::pair<double, double>> points;
  for (const LawRun& run : fit.runs)
    if (run.time.exists() && !run.time.censored) points.emplace_back(fit.law.predict(run.terms), *run.time.value);
  return "  " + fit.fit.quantity + " measured (up) against the law's (across), logarithmic\n" +
         plot_agreement(points, {std::min<size_t>(terminal.width, 60), 14});
}

std::string diagnosis_report(const std::vector<CellResult>& cells, const Terminal& terminal) {
  struct Sign {
    Diagnosis first;
    std::vector<std::string> cells;
  };
  std::vector<Sign> signs;
  for (const CellResult& cell : cells) {
    for (const Diagnosis& one : cell.diagnoses) {
      auto found = std::find_if(signs.begin(), signs.end(), [&](const Sign& sign) {
        return sign.first.name == one.name && sign.first.remedy == one.remedy;
      });
      if (found == signs.end()) found = signs.insert(signs.end(), {one, {}});
      found->cells.push_back(cell_label(cell.cell.overrides));
    }
  }
  std::string out;
  for (const Sign& sign : signs) {
    std::string who;
    for (size_t i = 0; i < std::min(kMostCells, sign.cells.size()); ++i) who += (i == 0 ? "" : "; ") + sign.cells[i];
    if (sign.cells.size() > kMostCells) who += "; …";
    std::string whose = sign.cells.size() > 1 ? " in " + count_text(std::ssize(sign.cells), "cell") : "";
    whose.append(" (").append(who).append(sign.cells.size() > 1 ? "); in the first" : ")");
    out += diagnosis_text(sign.first, whose, terminal);
  }
  return out;
}

}  // namespace atto

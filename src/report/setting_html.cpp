#include <algorithm>

#include "lab/results/format_text.h"
#include "report/html.h"
#include "report/sections.h"

namespace atto {
namespace {

std::string entry(const std::string& name, const std::string& value) {
  return text_element("dt", name) + text_element("dd", value);
}

std::string values_text(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) text += (text.empty() ? "" : ", ") + to_text(value);
  return text;
}

std::string schedule_text(const MeasureSteps& when) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (when.every > 0) add("every " + count_text(when.every, "step"));
  if (when.linear > 0) add(count_text(when.linear) + " evenly spaced steps");
  if (when.log > 0) add(count_text(when.log) + " logarithmically spaced steps");
  if (!when.at.empty()) {
    std::string steps;
    for (const int64_t step : when.at) steps += (steps.empty() ? "" : ", ") + count_text(step);
    add("at steps " + steps);
  }
  return text.empty() ? "by default" : text;
}

}  // namespace

std::string setting_html(const Study& study) {
  std::string list;
  const RunConfig defaults;
  for (const RunField& field : run_schema().all())
    if (!field.key.starts_with("seeds.") && field.get(study.base) != field.get(defaults))
      list += entry(field.key, to_text(field.get(study.base)));
  for (const Sweep::Axis& axis : study.sweep.grid) list += entry(axis.key, "each of " + values_text(axis.values));
  for (const auto& group : study.sweep.zips)
    for (const Sweep::Axis& axis : group) list += entry(axis.key, "in turn " + values_text(axis.values));
  for (const Overrides& cell : study.sweep.cells) list += entry("cell", cell_text(cell));
  std::string seeds = count_text(study.seeds.count) + " each";
  for (const auto& [where, count] : study.seeds.exceptions)
    seeds += "; " + count_text(count) + " at " + cell_text(where);
  list += entry("seeds", seeds) + entry("profile", study.profile);
  for (const Observation& one : study.observe) {
    std::string what;
    for (const std::string& address : one.what) what += (what.empty() ? "" : ", ") + address;
    list += entry("observed " + schedule_text(one.when), what);
  }
  for (const DerivedQuantity& one : study.quantities) list += entry(one.name, one.expression.text());
  return element("details", "<summary>Setting</summary>" + element("dl", list), "class=\"setting\"");
}

std::string notices_html(const StudyReport& report) {
  std::string out;
  const auto say = [&](const std::string& text) { out += text_element("p", text, "class=\"notice\""); };
  const std::string train = "atto run " + report.called + report.options;
  if (!report.result) {
    say("None of its " + count_text(report.runs_asked, "run") + " is in the store. Train them with: " + train);
    return out;
  }
  if (report.runs < report.runs_asked)
    say(count_text(report.runs) + " of " + count_text(report.runs_asked, "run") +
        " are in the store; the rest is not trained yet. Verdicts and figures are of what there is. Go on with: " +
        train);
  int64_t diverged = 0, most_seeds = 0;
  bool stochastic = false;
  for (const CellResult& cell : report.result->cells) {
    diverged += cell.diverged;
    most_seeds = std::max(most_seeds, cell.seeds);
    stochastic = stochastic || cell.cell.config.training.gradient == GradientKind::sampled;
  }
  if (diverged > 0)
    say(diverged == report.runs ? "All of its runs diverged."
                                : count_text(diverged) + " of " + count_text(report.runs, "run") + " diverged.");
  if (most_seeds == 1 && stochastic) say("One seed each: chance and law cannot be told apart here.");
  return out;
}

}  // namespace atto

#include "lab/figures/panels/typical.h"

#include <algorithm>

#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string text;
  for (const std::string& part : parts)
    if (!part.empty()) text += (text.empty() ? "" : between) + part;
  return text;
}

// What tells how a run ended, where the cell has it; else "".
std::string outcome_of(const CellResult& cell, const std::string& by) {
  for (const std::string& wanted : by.empty() ? std::vector<std::string>{"perplexity", "loss"} : std::vector{by})
    if (find_observable(cell, wanted)) return wanted;
  return "";
}

// "Seed 17 of 64 seeds, the median by final perplexity.": chosen by rule, not by looks.
std::string chosen_text(const std::vector<Panel>& panels, const std::vector<ShownRun>& runs, const std::string& outcome,
                        int64_t seeds) {
  const std::string by = outcome.empty() ? "" : " by final " + outcome;
  std::vector<std::string> numbers;
  for (const ShownRun& run : runs) numbers.push_back(std::to_string(run.number));
  const std::string all = seeds_text(panels);
  if (all == "1 seed") return "One run each.";
  if (seeds > 1)
    return "Of " + all + " in each cell, " + std::to_string(seeds) +
           (by.empty() ? "." : " that represent equal shares of them" + by + ".");
  if (runs.size() == 1)
    return "Seed " + numbers.front() + " of " + all + (by.empty() ? "." : ", the median" + by + ".");
  return "One of " + all + " in each panel" + (by.empty() ? "" : ", the median" + by) + " (seeds " +
         joined(numbers, ", ") + ").";
}

}  // namespace

SeriesNeeds with_typical(const SeriesNeed& shown, const std::string& typical) {
  return typical.empty() ? SeriesNeeds{shown} : SeriesNeeds{shown, SeriesNeed::scalar(typical)};
}

ShownRuns typical_runs(const std::vector<Panel>& panels, const FigureSource& source, const std::string& by,
                       int64_t seeds, size_t most) {
  ShownRuns shown;
  std::vector<std::string> diverged;
  for (const Panel& panel : panels)
    for (const Member& member : panel.members) {
      const std::string place = joined({panel.title, member.label}, ", ");
      const std::vector<size_t> chosen =
          typical_seeds(*member.cell, outcome_of(*member.cell, by), static_cast<size_t>(seeds));
      if (chosen.empty()) diverged.push_back(place.empty() ? "this study" : place);
      for (const size_t seed : chosen) {
        const int64_t number = member.cell->runs[seed].seed;
        shown.runs.push_back(
            {member.cell, seed, number, joined({place, seeds > 1 ? "seed " + std::to_string(number) : ""}, ", ")});
      }
    }
  if (!diverged.empty()) shown.notice = "every run diverged of: " + joined(diverged, "; ");
  const auto without = std::count_if(source.cells.begin(), source.cells.end(),
                                     [](const CellResult* cell) { return cell->runs.empty(); });
  if (without > 0)
    shown.notice = joined_notices(shown.notice, count_text(without, "cell") + " without a run in the store");
  if (shown.runs.size() > most) {
    shown.notice = joined_notices(
        shown.notice, "the first " + std::to_string(most) + " of " + count_text(std::ssize(shown.runs), "panel"));
    shown.runs.resize(most);
  }
  if (!shown.runs.empty())
    shown.caption = chosen_text(panels, shown.runs, outcome_of(*shown.runs.front().cell, by), seeds);
  return shown;
}

}  // namespace atto

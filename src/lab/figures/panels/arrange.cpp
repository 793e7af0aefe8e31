#include "lab/figures/panels/arrange.h"

#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "base/error.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

std::vector<std::string> varying_keys(const std::vector<const CellResult*>& cells) {
  std::vector<std::string> keys;
  for (const CellResult* cell : cells)
    for (const auto& [key, value] : cell->cell.overrides)
      if (!contains(keys, key)) keys.push_back(key);
  std::erase_if(keys, [&](const std::string& key) {
    return std::all_of(cells.begin(), cells.end(), [&](const CellResult* cell) {
      return value_text(*cell, key) == value_text(*cells.front(), key);
    });
  });
  return keys;
}

std::string with_equals(const CellResult& cell, const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys)
    text += (text.empty() ? "" : ", ") + key_word(key) + " = " + value_text(cell, key);
  return text;
}

std::vector<std::string> keys_of(const CellFilter& filter) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : filter) keys.push_back(key);
  return keys;
}

bool names(const Cell& cell, const std::string& key) {
  return std::any_of(cell.overrides.begin(), cell.overrides.end(), [&](const auto& one) { return one.first == key; });
}

// Cells that a study lists one by one are told apart by what each of them names; the rest is the base run's.
void name_members(Panel& panel, const std::string& color) {
  std::vector<const CellResult*> cells;
  for (const Member& member : panel.members) cells.push_back(member.cell);
  const std::vector<std::string> keys = varying_keys(cells);
  for (Member& member : panel.members) {
    Overrides own;
    RunConfig config = member.cell->cell.config;
    for (const std::string& key : keys)
      if (names(member.cell->cell, key)) own.emplace_back(key, run_schema().at(key).get(config));
    member.label = keys.empty() ? "" : own.empty() ? "base run" : cell_label(own);
    member.color = color.empty() ? member.label : value_text(*member.cell, color);
  }
}

}  // namespace

std::string value_text(const CellResult& cell, const std::string& key) {
  RunConfig config = cell.cell.config;
  return to_text(run_schema().at(key).get(config));
}

std::optional<double> value_number(const CellResult& cell, const std::string& key) {
  RunConfig config = cell.cell.config;
  const Value value = run_schema().at(key).get(config);
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

std::vector<Panel> arrange(const Panels& panels, const std::string& color, const FigureSource& source) {
  std::vector<const CellResult*> cells = source.cells;
  std::erase_if(cells, [](const CellResult* cell) { return cell->seeds == 0; });
  std::vector<Panel> arranged;
  for (const CellFilter& filter : panels.filters) {
    Panel panel;
    for (const CellResult* cell : cells)
      if (matches(filter, cell->cell.config)) panel.members.push_back({cell, "", ""});
    if (panel.members.empty()) continue;
    panel.title = with_equals(*panel.members.front().cell, keys_of(filter));
    arranged.push_back(std::move(panel));
  }
  for (const CellResult* cell : cells) {
    if (!panels.filters.empty()) break;
    const std::string title = with_equals(*cell, panels.keys);
    auto found = std::find_if(arranged.begin(), arranged.end(), [&](const Panel& one) { return one.title == title; });
    if (found == arranged.end()) found = arranged.insert(arranged.end(), Panel{title, {}});
    found->members.push_back({cell, "", ""});
  }
  for (Panel& panel : arranged) name_members(panel, color);
  return arranged;
}

Json color_channel(const std::vector<Panel>& panels, const std::string& color_key) {
  std::vector<Shade> shades;
  bool several = false;
  for (const Panel& panel : panels) {
    several = several || panel.members.size() > 1;
    for (const Member& member : panel.members)
      shades.push_back({member.color, color_key.empty() ? std::nullopt : value_number(*member.cell, color_key)});
  }
  const auto differs = [&](const Shade& one) { return one.text != shades.front().text; };
  if (!several && std::none_of(shades.begin(), shades.end(), differs)) return nullptr;
  return shade_channel(shades, color_key.empty() ? Json(nullptr) : Json(key_word(color_key)));
}

Json shade_channel(std::vector<Shade> shades, const Json& title) {
  const bool numeric = std::all_of(shades.begin(), shades.end(), [](const Shade& one) { return one.number; });
  if (numeric)
    std::stable_sort(shades.begin(), shades.end(),
                     [](const Shade& a, const Shade& b) { return *a.number < *b.number; });
  std::vector<std::string> values;
  for (const Shade& one : shades)
    if (!contains(values, one.text)) values.push_back(one.text);
  // Few can be told apart by hue, sizes and many by a ramp; more than a legend can hold have the tooltip.
  constexpr size_t kMostHues = 6, kMostNames = 16;
  Json channel = {{"field", "color"},
                  {"type", numeric || values.size() > kMostHues ? "ordinal" : "nominal"},
                  {"title", title},
                  {"sort", values},
                  {"scale", {{"domain", values}}}};
  if (values.size() > kMostNames) channel["legend"] = nullptr;
  return channel;
}

void check_panels(const Panels& panels, const std::vector<Cell>& cells) {
  for (const CellFilter& filter : panels.filters)
    if (std::none_of(cells.begin(), cells.end(), [&](const Cell& cell) { return matches(filter, cell.config); }))
      throw Error(ErrorKind::config, "a panel speaks of cells that the sweep does not have: " + cell_text(filter),
                  "every profile's sweep must contain them");
}

std::vector<Recording> load_runs(const FigureSource& source, const CellResult& cell,
                                 const std::vector<std::string>& addresses) {
  std::vector<Recording> runs;
  for (const CellRun& run : cell.runs) runs.push_back(source.load(cell, run.id, addresses));
  return runs;
}

std::string seeds_text(const std::vector<Panel>& panels) {
  int64_t least = INT64_MAX, most = 0;
  for (const Panel& panel : panels)
    for (const Member& member : panel.members) {
      least = std::min(least, member.cell->seeds);
      most = std::max(most, member.cell->seeds);
    }
  if (most == 0) return "no seeds";
  return least == most ? count_text(most, "seed") : count_text(least) + " to " + count_text(most, "seed");
}

std::string diverged_notice(const std::vector<Panel>& panels) {
  int64_t diverged = 0, runs = 0;
  for (const Panel& panel : panels)
    for (const Member& member : panel.members) {
      diverged += member.cell->diverged;
      runs += member.cell->seeds;
    }
  if (diverged == 0) return "";
  return count_text(diverged) + " of " + count_text(runs, "run") + " diverged and are shown up to there only";
}

std::vector<size_t> typical_seeds(const CellResult& cell, const std::string& address, size_t count) {
  std::vector<std::pair<double, size_t>> finals;
  const ObservableSummary* summary = find_observable(cell, address);
  for (size_t seed = 0; seed < cell.runs.size(); ++seed) {
    if (cell.runs[seed].diverged) continue;
    const Outcome final = summary == nullptr ? Outcome{0.0} : summary->finals[seed];
    finals.emplace_back(final.exists() ? final.rank() : INFINITY, seed);
  }
  std::sort(finals.begin(), finals.end());
  count = std::min(count, finals.size());
  std::vector<size_t> chosen;
  for (size_t i = 0; i < count; ++i) chosen.push_back(finals[(2 * i + 1) * finals.size() / (2 * count)].second);
  return chosen;
}

}  // namespace atto

#include "lab/explore/effort_figure.h"

#include <algorithm>
#include <cmath>

#include "lab/results/format_text.h"

namespace atto {
namespace {

Json axis(const char* field, const std::string& title, bool numbers) {
  Json channel = {{"field", field}, {"type", "ordinal"}, {"title", title}};
  if (numbers) channel["axis"] = {{"labelAngle", 0}};
  else channel["sort"] = nullptr;  // as the study has them
  return channel;
}

}  // namespace

Json effort_figure(const Study& study, const std::vector<Cell>& cells, const Exploration& found,
                   const std::string& quantity) {
  const auto& grid = study.sweep.grid;
  const bool plane = grid.size() == 2 && study.sweep.zips.empty() && study.sweep.cells.empty();
  Json rows = Json::array();
  for (size_t i = 0; i < cells.size(); ++i) {
    const ExploredCell& one = found.cells[i];
    if (one.runs == 0 && plane && grid[0].step > 1) continue;  // points between the study's that were not needed
    Json row = {{"cell", cell_label(cells[i].overrides)},
                {"runs", one.runs},
                {"estimate", std::isfinite(one.estimate) ? Json(one.estimate) : Json(nullptr)},
                {"standing", one.standing},
                {"label", one.runs > 0 ? short_text(one.estimate) : ""}};
    if (plane) {
      row["x"] = to_json(run_schema().at(grid[0].key).get(cells[i].config));
      row["y"] = to_json(run_schema().at(grid[1].key).get(cells[i].config));
    }
    rows.push_back(std::move(row));
  }
  const Json tooltip =
      Json::array({{{"field", "cell"}}, {{"field", "runs"}}, {{"field", "estimate"}}, {{"field", "standing"}}});
  const Json data = {{"values", std::move(rows)}};
  const std::string schema = "https://vega.github.io/schema/vega-lite/v6.json";
  const std::string about = "Runs of each cell, " + count_text(std::ssize(found.runs)) +
                            " in all: where an exploration of " + quantity + " needed them.";
  if (!plane)
    return {{"$schema", schema},
            {"description", about},
            {"data", data},
            {"mark", {{"type", "bar"}, {"tooltip", true}}},
            {"encoding",
             {{"y", axis("cell", "cell", false)},
              {"x", {{"field", "runs"}, {"type", "quantitative"}, {"title", "runs"}}},
              {"tooltip", tooltip}}}};
  int64_t most = 0;
  for (const ExploredCell& one : found.cells) most = std::max(most, one.runs);
  const std::string dark = "datum.runs > " + std::to_string(most / 3);  // where the square is
  const Json x = axis("x", key_word(grid[0].key), true);
  Json y = axis("y", key_word(grid[1].key), true);
  y["sort"] = "descending";
  return {{"$schema", schema},
          {"description", about},
          {"data", data},
          {"width", {{"step", 44}}},
          {"height", {{"step", 36}}},
          {"encoding", {{"x", x}, {"y", y}}},
          {"layer",
           Json::array(
               {{{"mark", {{"type", "rect"}}},
                 {"encoding",
                  {{"color",
                    {{"field", "runs"},
                     {"type", "quantitative"},
                     {"title", "runs"},
                     {"scale", {{"type", "sqrt"}, {"scheme", "blues"}}}}},
                   {"tooltip", tooltip}}}},
                {{"mark", {{"type", "text"}}},
                 {"encoding",
                  {{"text", {{"field", "label"}, {"type", "nominal"}}},
                   {"color", {{"condition", {{"test", dark}, {"value", "white"}}}, {"value", "#202124"}}}}}}})}};
}

}  // namespace atto

// Landscape: the reduced loss over the weight w and the score gap Δa, with the path that training takes over it.
#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "lab/figures/figure.h"
#include "lab/figures/numbers/loss_landscape.h"
#include "lab/figures/panels/typical.h"
#include "lab/figures/vega/inline_data.h"
#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

constexpr size_t kMostGroundCells = 5200;  // of all panels together
constexpr size_t kMostPanels = 9;
constexpr double kPathApart = 0.015;  // of an axis: distance between points of the path
constexpr double kDecades = 1e-3;     // of the highest loss: the colours end there

class Landscape final : public FigureKind {
 public:
  std::string help() const override { return "the reduced loss over w and Δa, with the path of training"; }
  void describe(FigureSettings& settings) override {
    settings.panels("panels", panels_, "what gets its own panel; every cell gets one in any case")
        .integer("columns", columns_, 1, 6, "panels side by side");
  }
  SeriesNeeds needs() const override { return ground_needs(); }
  void check(const Study& study, const std::vector<Cell>& cells) const override {
    FigureKind::check(study, cells);
    check_panels(panels_, cells);
  }
  // The loss alone is better seen in curves.
  bool shows(const Claim& claim, const Study& study) const override {
    const std::vector<std::string> read = read_for(claim, study);
    return contains(read, "weight.projection") || contains(read, "attention.gap");
  }
  Drawing draw(const FigureSource& source) const override;

 private:
  Panels panels_;
  int64_t columns_ = 3;
};

// An axis of the map, longer where the path leaves it.
Json axis_channel(const std::string& field, const std::string& title, const std::vector<double>& axis,
                  const std::vector<double>& path) {
  double low = axis.front(), high = axis.back();
  for (const double at : path) {
    if (!std::isfinite(at)) continue;
    low = std::min(low, at);
    high = std::max(high, at);
  }
  Json channel = quantitative(field, title);
  channel["scale"].update({{"domain", {low, high}}, {"nice", false}});
  channel["axis"] = {{"grid", false}, {"tickCount", 5}};
  return channel;
}

double length_of(const Json& channel) {
  const Json& domain = channel["scale"]["domain"];
  return domain[1].get<double>() - domain[0].get<double>();
}

double three_digits(double number) {
  const double unit = std::pow(10, std::floor(std::log10(number)) - 2);
  return std::round(number / unit) * unit;
}

// Cells of the map: one loss a line, w by w and Δa by Δa, so that Vega can count where each belongs. Each reaches a
// little over the next ones, which are drawn later: no background shines through between them.
Json map_layer(const GridMap& map, double lowest, const Json& color, const Json& x, const Json& y, size_t& marks) {
  constexpr double kBefore = -0.5, kAfter = 0.6, kNone = -1;
  DataTable cells({"loss"});
  for (const double loss : map.values) {
    cells.row({std::isfinite(loss) ? three_digits(std::max(loss, lowest)) : kNone});
    marks += std::isfinite(loss) ? 1 : 0;
  }
  const std::string side = std::to_string(map.column_at.size());
  const auto edge = [](const std::string& index, const std::vector<double>& centres, double shift) {
    const double size = (centres.back() - centres.front()) / static_cast<double>(centres.size() - 1);
    return Json(centres.front()).dump() + " + " + Json(size).dump() + " * (" + index + " + " + Json(shift).dump() + ")";
  };
  const std::string i = "floor((datum.line - 1) / " + side + ")", j = "(datum.line - 1) % " + side;
  const Json transform = {{{"window", {{{"op", "row_number"}, {"as", "line"}}}}},
                          {{"filter", "datum.loss > 0"}},
                          {{"calculate", edge(i, map.row_at, kBefore)}, {"as", "w"}},
                          {{"calculate", edge(i, map.row_at, kAfter)}, {"as", "w_end"}},
                          {{"calculate", edge(j, map.column_at, kBefore)}, {"as", "gap"}},
                          {{"calculate", edge(j, map.column_at, kAfter)}, {"as", "gap_end"}}};
  return {{"data", cells.data()},
          {"transform", transform},
          {"mark", {{"type", "rect"}, {"clip", true}}},
          {"encoding",
           {{"x", x},
            {"x2", {{"field", "w_end"}}},
            {"y", y},
            {"y2", {{"field", "gap_end"}}},
            {"color", color},
            {"tooltip", {{{"field", "loss"}, {"type", "quantitative"}, {"format", ".3g"}, {"title", "loss"}}}}}}};
}

// The path as a line, and its start, transition and end as labelled points; is there a transition?
bool add_path_layers(const Ground& ground, const Json& x, const Json& y, Json& layers, size_t& marks) {
  DataTable path({"step", "w", "gap"}), events({"step", "w", "gap", "event"});
  const std::vector<size_t> kept = thin_path(ground.weight, ground.gap, length_of(x), length_of(y), kPathApart);
  for (const size_t i : kept) path.row({ground.steps[i], ground.weight[i], ground.gap[i]});
  if (kept.empty()) return false;
  const auto mark = [&](size_t i, const std::string& name) {
    events.row({ground.steps[i], ground.weight[i], ground.gap[i], name});
  };
  mark(kept.front(), "start");
  const bool transition = ground.transition > kept.front() && ground.transition < kept.back();
  if (transition) mark(ground.transition, "transition");
  if (kept.back() > kept.front()) mark(kept.back(), "end");
  marks += 2 * path.rows() + 3 * events.rows();
  // On a map of every colour: light with a dark rim.
  const auto line = [](const std::string& style, double width) {
    return Json{{"mark", {{"type", "line"}, {"style", style}, {"strokeWidth", width}}}};
  };
  // The path comes from the lower left and ends climbing: labels stand where it is not.
  const auto label = [](const std::string& style) {
    return Json{{"mark",
                 {{"type", "text"},
                  {"style", style},
                  {"align", "left"},
                  {"baseline", "middle"},
                  {"dx", 7},
                  {"dy", {{"expr", "datum.event == 'end' ? -8 : 9"}}}}},
                {"encoding", {{"text", {{"field", "event"}}}}}};
  };
  const Json dots = {
      {"mark", {{"type", "point"}, {"style", "on-map"}, {"size", 50}, {"opacity", 1}}},
      {"encoding",
       {{"tooltip", {{{"field", "event"}}, {{"field", "step"}, {"type", "quantitative"}, {"format", ","}}}}}}};
  layers.push_back({{"data", path.data()},
                    {"encoding", {{"x", x}, {"y", y}, {"order", {{"field", "step"}, {"type", "quantitative"}}}}},
                    {"layer", {line("on-map-rim", 3.5), line("on-map", 1.8)}}});
  layers.push_back({{"data", events.data()},
                    {"encoding", {{"x", x}, {"y", y}}},
                    {"layer", {dots, label("on-map-rim"), label("on-map")}}});
  return transition;
}

Drawing Landscape::draw(const FigureSource& source) const {
  const ShownRuns shown = typical_runs(arrange(panels_, "", source), source, "", 1, kMostPanels);
  std::vector<std::pair<std::string, Ground>> grounds;
  double highest = 0;
  for (const ShownRun& run : shown.runs) {
    const std::optional<Ground> ground = read_ground(source.load(*run.cell, run.id(), addresses_of(needs())));
    if (!ground) continue;
    grounds.emplace_back(run.title, *ground);
    for (const double loss : ground->map.values)
      if (std::isfinite(loss)) highest = std::max(highest, loss);
  }
  if (grounds.empty() || highest == 0)
    return nothing_to_draw(shown.notice.empty() ? "no loss over w and Δa is in the store" : shown.notice);
  Drawing drawing;
  const auto side = std::min<size_t>(
      50, static_cast<size_t>(std::sqrt(static_cast<double>(kMostGroundCells) / static_cast<double>(grounds.size()))));
  Json color = quantitative("loss", "reduced loss", Scale::log);
  color["scale"].update({{"domain", {kDecades * highest, highest}}, {"clamp", true}, {"nice", false}});
  color["legend"] = {{"format", "~g"}, {"tickCount", 4}};
  std::vector<Json> views;
  bool transition = false;
  for (const auto& [title, ground] : grounds) {
    const Json x = axis_channel("w", "w, length of W along W*", ground.map.row_at, ground.weight);
    const Json y = axis_channel("gap", "score gap Δa", ground.map.column_at, ground.gap);
    Json layers = Json::array();
    layers.push_back(map_layer(ground.map.resampled(side), kDecades * highest, color, x, y, drawing.marks));
    transition = add_path_layers(ground, x, y, layers, drawing.marks) || transition;
    Json view = {{"layer", layers}};
    if (!title.empty()) view["title"] = title;
    views.push_back(std::move(view));
  }
  const int64_t size = grounds.size() == 1 ? 380 : 220;
  drawing.layout = {.width = size, .height = size * 4 / 5, .smallest = 150, .keep_aspect = true};
  set_views(drawing, std::move(views), columns_);
  drawing.caption = "The reduced loss over w and Δa, and the path of training over it. " + shown.caption;
  drawing.how = "Dark is low. ";
  if (const std::string starts = starts_text(grounds); !starts.empty())
    drawing.how += "Training starts at " + starts + " and follows the path" +
                   (transition ? ", on which the loss falls fastest at the transition. " : ". ");
  drawing.how += "Losses below a thousandth of the highest share the darkest colour.";
  drawing.notice = shown.notice;
  return drawing;
}

}  // namespace

std::unique_ptr<FigureKind> make_landscape_figure() { return std::make_unique<Landscape>(); }

}  // namespace atto

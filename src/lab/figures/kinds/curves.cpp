// Curves: observables over training steps, the median over seeds with the band that holds the middle 80 % of them, and
// on demand a line for every seed. A vector is a bundle of lines, one for each entry. A second list of observables may
// have an axis of its own on the right.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "lab/figures/figure.h"
#include "lab/figures/geometry/thin.h"
#include "lab/figures/numbers/curve_data.h"
#include "lab/figures/numbers/reference_lines.h"
#include "lab/figures/panels/arrange.h"
#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

constexpr size_t kMostEntries = 32;  // of a vector; evenly spaced ones of more

// What is drawn of a series: itself, or the entries of a vector. Nothing of larger values.
std::vector<std::string> lines_of_series(const CellResult& cell, const std::string& address,
                                         const FigureSource& source) {
  if (cell.runs.empty() || find_observable(cell, address)) return {address};  // summaries have what is one number
  const Recording recording = source.load(cell, cell.runs.front().id, {address});
  const Shape& shape = recording.find(address)->shape;
  std::vector<std::string> entries;
  if (shape.size() != 1) return entries;
  for (const size_t entry : evenly(static_cast<size_t>(shape[0]), kMostEntries))
    entries.push_back(entry_address(address, static_cast<int64_t>(entry)));
  return entries;
}

class Curves final : public FigureKind {
 public:
  std::string help() const override {
    return "observables over training steps: median over seeds, band, every seed on demand";
  }
  void describe(FigureSettings& settings) override {
    settings
        .texts("observables", observables_,
               "addresses and quantities to draw, vectors as bundles (default: perplexity, else loss, else the first "
               "number "
               "observed)")
        .texts("right", right_, "addresses with an axis of their own on the right")
        .panels("panels", panels_, "what gets its own panel")
        .run_key("color", color_, "key whose values the colours show (default: whatever differs)")
        .filter("dashed", dashed_, "cells whose lines are dashed: a theory next to its simulation")
        .lines("lines", lines_, "levels to compare with, dashed")
        .flag("every_seed", every_seed_, "every seed from the start, and room for all of them")
        .choice("scale", scale_, "of the values")
        .choice("steps", steps_, "scale of the training steps")
        .integer("until", until_, 0, 1e12, "last step drawn; 0: the longest run's")
        .integer("columns", columns_, 1, 6, "panels side by side");
  }
  SeriesNeeds needs() const override {
    SeriesNeeds all;
    for (const auto* list : {&observables_, &right_})
      for (const std::string& address : *list) all.push_back({address, {{}, {"entries of " + address}}});
    return all;
  }
  void check(const Study& study, const std::vector<Cell>& cells) const override {
    FigureKind::check(study, cells);
    check_panels(panels_, cells);
    if (observables_.empty() && !right_.empty())
      throw Error(ErrorKind::config, "`right` needs `observables` on the left");
  }
  Drawing draw(const FigureSource& source) const override;

 private:
  std::vector<std::string> shown(const std::vector<Panel>& panels) const;
  std::vector<CurveLine> lines_of(const Panel& panel, const std::vector<std::string>& addresses,
                                  const FigureSource& source, bool several) const;
  Json side(const CurveData& data, const Json& color, const Json& y) const;
  Json value_axis(const CurveData& data, const std::string& title, Scale scale, const Extent& levels) const;
  Json view(const Panel& panel, const std::vector<std::string>& left, const FigureSource& source, const Json& color,
            const CurveBudget& budget, Drawing& drawing) const;
  std::string caption(const std::vector<Panel>& panels, const CurveBudget& budget, int64_t most_seeds) const;
  CurveScales scales() const { return {scale_ == Scale::log, steps_ == Scale::log, until_}; }

  std::vector<std::string> observables_, right_;
  Panels panels_;
  CellFilter dashed_;
  std::string color_;
  Scale scale_ = Scale::linear, steps_ = Scale::linear;
  std::vector<ReferenceLine> lines_;
  int64_t until_ = 0, columns_ = 3;
  bool every_seed_ = false;
};

// What to draw where the study does not say.
std::vector<std::string> Curves::shown(const std::vector<Panel>& panels) const {
  if (!observables_.empty()) return observables_;
  for (const std::string wanted : {"perplexity", "loss", ""})
    for (const Panel& panel : panels)
      for (const Member& member : panel.members)
        for (const ObservableSummary& one : member.cell->observables)
          if (wanted.empty() || one.address == wanted) return {one.address};
  return {};
}

// Several observables take the colours; cells then differ by the dash.
std::vector<CurveLine> Curves::lines_of(const Panel& panel, const std::vector<std::string>& addresses,
                                        const FigureSource& source, bool several) const {
  std::vector<CurveLine> lines;
  for (const Member& member : panel.members) {
    const bool dashed = !dashed_.empty() && matches(dashed_, member.cell->cell.config);
    for (const std::string& address : addresses) {
      for (const std::string& one : lines_of_series(*member.cell, address, source)) {
        CurveLine line{one, member.cell, member.color, dashed ? "dashed" : "solid", axis_title(one)};
        if (!member.label.empty()) line.label = member.label + ", " + line.label;
        if (several) line.color = axis_title(address);
        if (several && dashed_.empty()) line.style = member.color;
        lines.push_back(std::move(line));
      }
    }
  }
  return lines;
}

// Domains are set here: seeds come and go with their checkbox, and the axes should not.
Json Curves::value_axis(const CurveData& data, const std::string& title, Scale scale, const Extent& levels) const {
  Json y = quantitative("value", title, scale);
  const Json domain = value_domain(data, levels, scale == Scale::log, every_seed_);
  y["scale"]["domain"] = domain;
  if (scale == Scale::log && !domain.is_null()) set_log_ticks(y, domain[0], domain[1]);
  return y;
}

// The layers that share one axis of values: band, seeds on demand, median.
Json Curves::side(const CurveData& data, const Json& color, const Json& y) const {
  Json x = step_axis(steps_);
  if (!data.steps.empty()) {
    const double last = std::max(data.steps.high, data.steps.low + 1);
    x["scale"]["domain"] = Json::array({data.steps.low, last});
    if (steps_ == Scale::log) set_log_ticks(x, data.steps.low, last);
  }
  Json dash = {{"field", "style"}, {"type", "nominal"}, {"title", nullptr}};
  if (!dashed_.empty()) {
    dash["scale"] = {{"domain", {"solid", "dashed"}}, {"range", Json::array({{1, 0}, {5, 3}})}};
    dash["legend"] = nullptr;
  }
  const auto channels = [&](Json own) {
    own["x"] = x;
    own["detail"] = Json::array({{{"field", "line"}}});
    if (!color.is_null()) own["color"] = color;
    return own;
  };
  Json low = y, layers = Json::array();
  low["field"] = "low";
  layers.push_back({{"transform", Json::array({{{"filter", "datum.seed == null"}}})},
                    {"mark", {{"type", "area"}, {"style", "band"}}},
                    {"encoding", channels({{"y", low}, {"y2", {{"field", "high"}}}})}});
  if (data.has_seeds) {
    Json each = channels({{"y", y}});
    each["detail"].push_back({{"field", "seed"}});
    layers.push_back({{"transform", Json::array({{{"filter", "every_seed && datum.seed != null"}}})},
                      {"mark", {{"type", "line"}, {"style", "seed"}, {"clip", true}}},
                      {"encoding", each}});
  }
  Json median = channels({{"y", y}});
  if (!dashed_.empty() || data.styles > 1) median["strokeDash"] = dash;
  median["tooltip"] = Json::array({{{"field", "label"}, {"title", "line"}},
                                   {{"field", "step"}, {"type", "quantitative"}},
                                   {{"field", "value"}, {"type", "quantitative"}, {"title", "median"}},
                                   {{"field", "low"}, {"type", "quantitative"}, {"title", "10 %"}},
                                   {{"field", "high"}, {"type", "quantitative"}, {"title", "90 %"}}});
  layers.push_back({{"transform", Json::array({{{"filter", "datum.seed == null"}}})},
                    {"mark", {{"type", "line"}, {"style", "median"}}},
                    {"encoding", median}});
  return {{"data", data.data}, {"transform", data.transform}, {"layer", layers}};
}

Json Curves::view(const Panel& panel, const std::vector<std::string>& left, const FigureSource& source,
                  const Json& color, const CurveBudget& budget, Drawing& drawing) const {
  const bool several = left.size() + right_.size() > 1;
  const CurveData data = curve_data(lines_of(panel, left, source, several), source, scales(), budget);
  drawing.marks += data.rows;
  const std::vector<Level> levels = levels_of(lines_, panel, scale_ == Scale::log);
  Extent extent;
  for (const Level& level : levels) extent.include(level.value);
  Json y = value_axis(data, common_title(left), scale_, extent);
  Json layers = Json::array({side(data, color, y)});
  y["field"] = "level";
  for (Json& layer : reference_layers(levels, y, drawing.layout.height, drawing.marks))
    layers.push_back(std::move(layer));
  Json view = Json::object();
  if (!panel.title.empty()) view["title"] = panel.title;
  if (right_.empty()) {
    view["layer"] = std::move(layers);
    return view;
  }
  const CurveData other =
      curve_data(lines_of(panel, right_, source, several), source, {false, steps_ == Scale::log, until_}, budget);
  drawing.marks += other.rows;
  Json right = value_axis(other, common_title(right_), Scale::linear, {});
  right["axis"] = {{"orient", "right"}, {"grid", false}};
  view["layer"] = Json::array({{{"layer", std::move(layers)}}, side(other, color, right)});
  view["resolve"] = {{"scale", {{"y", "independent"}}}};
  return view;
}

std::string Curves::caption(const std::vector<Panel>& panels, const CurveBudget& budget, int64_t most_seeds) const {
  if (most_seeds < 2) return "One run each.";
  std::string text = "Median of " + seeds_text(panels) + "; the band holds the middle 80 %.";
  if (budget.seeds == 0) return text;
  const bool thinned = std::cmp_less(budget.seeds, most_seeds);
  const std::string some = count_text(static_cast<int64_t>(budget.seeds)) + " seeds of each.";
  if (every_seed_) text += " Thin lines: " + (thinned ? some : "every seed.");
  else if (thinned) text += " On demand, " + some;
  return text;
}

Drawing Curves::draw(const FigureSource& source) const {
  const std::vector<Panel> panels = arrange(panels_, color_, source);
  const std::vector<std::string> left = shown(panels);
  if (panels.empty() || left.empty()) return nothing_to_draw(kNoRuns);
  for (const auto* list : {&left, &right_})
    for (const std::string& address : *list)
      if (lines_of_series(*panels.front().members.front().cell, address, source).empty())
        return nothing_to_draw(
            "'" + address +
            "' is more than one number and no vector: the kinds trajectories, points and attention draw it.");
  size_t lines = 0;
  int64_t most_seeds = 0;
  for (const Panel& panel : panels) {
    lines += lines_of(panel, left, source, false).size() + lines_of(panel, right_, source, false).size();
    for (const Member& member : panel.members) most_seeds = std::max(most_seeds, member.cell->seeds);
  }
  const CurveBudget budget = CurveBudget::over(lines, most_seeds);
  Json color = color_channel(panels, color_);
  if (left.size() + right_.size() > 1) {
    Json names = Json::array();
    for (const auto* list : {&left, &right_})
      for (const std::string& address : *list) names.push_back(axis_title(address));
    color = {{"field", "color"}, {"type", "nominal"}, {"title", nullptr}, {"scale", {{"domain", names}}}};
  }

  Drawing drawing;
  drawing.layout = {.width = panels.size() == 1 ? 520 : 260, .height = panels.size() == 1 ? 280 : 200};
  if (!right_.empty()) drawing.layout.extra += 50;
  std::vector<Json> views;
  for (const Panel& panel : panels) views.push_back(view(panel, left, source, color, budget, drawing));
  set_views(drawing, std::move(views), columns_);
  if (most_seeds > 1 && budget.seeds > 0)
    drawing.spec["params"] = Json::array({checkbox("every_seed", "every seed", every_seed_)});
  drawing.caption = caption(panels, budget, most_seeds);
  drawing.notice = diverged_notice(panels);
  return drawing;
}

}  // namespace

std::unique_ptr<FigureKind> make_curves_figure() { return std::make_unique<Curves>(); }

}  // namespace atto

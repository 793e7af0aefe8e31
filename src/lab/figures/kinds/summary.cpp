// A number against a swept key: the median over seeds (or the share of them) of each cell with its interval, joined by
// lines, with curves of theory to compare with.
#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "base/error.h"
#include "lab/figures/figure.h"
#include "lab/figures/geometry/thin.h"
#include "lab/figures/numbers/quantities.h"
#include "lab/figures/numbers/summary_points.h"
#include "lab/figures/panels/arrange.h"
#include "lab/figures/vega/axes.h"
#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

constexpr size_t kMostSummaryPoints = 2000;  // of a figure

// One number by another needs numbers, and a divisor other than 0.
void check_divides(const std::string& key, const std::vector<const Cell*>& cells, bool divisor) {
  for (const Cell* cell : cells) {
    const Value value = key_value(*cell, key);
    const auto* whole = std::get_if<int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    if ((whole || real) && !(divisor && (whole ? *whole == 0 : *real == 0))) continue;
    throw Error(ErrorKind::config, "`per` cannot divide by it: " + key + " = " + to_text(value),
                "both keys of the axis are numbers, and the second is never 0");
  }
}

class Summary final : public FigureKind {
 public:
  std::string help() const override {
    return "a number against a swept key: median or share over seeds with its interval";
  }
  void describe(FigureSettings& settings) override {
    settings
        .text("quantity", quantity_,
              "phenomenon.quantity or an observable, whose final value is taken (default: plateau.present, else the "
              "first quantity)")
        .run_key("against", against_, "key along the horizontal axis (default: the first that varies)")
        .run_key("per", per_, "key that the horizontal axis is divided by: tokens for each dimension, a density")
        .run_key("color", color_, "key whose values the colours show (default: whatever else differs)")
        .panels("panels", panels_, "what gets its own panel")
        .choice("scale", scale_, "of the number")
        .choice("against_scale", against_scale_, "of the key along the horizontal axis")
        .lines("lines", lines_, "curves to compare with, dashed")
        .integer("columns", columns_, 1, 6, "panels side by side");
  }
  void check(const Study& study, const std::vector<Cell>& cells) const override;
  SeriesNeeds needs() const override { return number_needs(quantity_); }
  bool shows(const Claim& claim, const Study& study) const override { return shows_number(claim, study, quantity_); }
  Drawing draw(const FigureSource& source) const override;

 private:
  std::string key_of(const std::vector<const Cell*>& cells) const;
  Json x_channel(const SummaryAxis& axis, const SummaryPoints& points) const;
  Json y_channel(const std::string& title, const std::vector<Estimate>& estimates,
                 const std::vector<std::vector<TheoryCurve>>& curves, bool share) const;
  Json curve_layers(const std::vector<TheoryCurve>& curves, const Json& x, const Json& y, const Json& color,
                    size_t& marks) const;

  std::string quantity_, against_, per_, color_;
  Scale scale_ = Scale::linear, against_scale_ = Scale::linear;
  Panels panels_;
  std::vector<ReferenceLine> lines_;
  int64_t columns_ = 2;
};

std::string Summary::key_of(const std::vector<const Cell*>& cells) const {
  if (!against_.empty()) return against_;
  for (const SweptKey& one : swept_keys(cells))
    if (one.key != color_ && !contains(panels_.keys, one.key)) return one.key;
  return "";
}

void Summary::check(const Study& study, const std::vector<Cell>& cells) const {
  check_number(study, quantity_);
  check_panels(panels_, cells);
  std::vector<const Cell*> all;
  for (const Cell& cell : cells) all.push_back(&cell);
  if (key_of(all).empty())
    throw Error(ErrorKind::config, "no key varies over its cells", "draw a `distribution`, or name another `where`");
  if (per_.empty()) return;
  for (const std::string& key : {key_of(all), per_}) check_divides(key, all, key == per_);
}

Json Summary::x_channel(const SummaryAxis& axis, const SummaryPoints& points) const {
  const std::string title = key_word(axis.key.key) + (per_.empty() ? "" : " / " + key_word(per_));
  std::vector<std::string> labels;
  for (const Value& value : axis.key.values) labels.push_back(to_text(value));
  if (!axis.numeric()) return place_axis("x", title, labels);
  std::vector<double> sizes;
  for (const SummaryPanel& panel : points.panels)
    for (const SummaryPoint& point : panel.points) sizes.push_back(point.x);
  return size_axis("x", title, against_scale_, sizes);
}

Json Summary::curve_layers(const std::vector<TheoryCurve>& curves, const Json& x, const Json& y, const Json& color,
                           size_t& marks) const {
  Json layers = Json::array();
  for (const bool own : {true, false}) {  // in the colour of one line, or for all of them
    DataTable table({"x", "value", "curve", "color"});
    for (size_t i = 0; i < curves.size(); ++i)
      for (const auto& [at, value] : curves[i].points)
        if (curves[i].one_of_several == own) table.row({at, value, static_cast<int64_t>(i), curves[i].color});
    if (table.rows() == 0) continue;
    marks += table.rows();
    Json channels = {{"x", x}, {"y", y}, {"detail", {{"field", "curve"}, {"type", "nominal"}}}};
    Json mark = {{"type", "line"}, {"strokeDash", {5, 4}}, {"strokeWidth", 1.2}};
    if (own && !color.is_null()) channels["color"] = color;
    else mark["style"] = "reference";
    layers.push_back({{"data", table.data()}, {"mark", mark}, {"encoding", channels}});
  }
  // Labels stand at the higher end of the curve that reaches highest.
  for (const bool left : {true, false}) {
    DataTable ends({"x", "value", "label"});
    for (const TheoryCurve& curve : curves)
      if (!curve.label.empty() && (curve.points.front().second > curve.points.back().second) == left) {
        const auto& [at, value] = left ? curve.points.front() : curve.points.back();
        ends.row({at, value, curve.label});
      }
    if (ends.rows() == 0) continue;
    marks += ends.rows();
    layers.push_back({{"data", ends.data()},
                      {"mark",
                       {{"type", "text"},
                        {"style", "reference-label"},
                        {"align", left ? "left" : "right"},
                        {"baseline", "bottom"},
                        {"dy", -4}}},
                      {"encoding", {{"x", x}, {"y", y}, {"text", {{"field", "label"}}}}}});
  }
  return layers;
}

// One for all panels, so that they can be compared.
Json Summary::y_channel(const std::string& title, const std::vector<Estimate>& estimates,
                        const std::vector<std::vector<TheoryCurve>>& curves, bool share) const {
  Json y = quantitative("value", title);
  if (share) {
    y["scale"] = {{"domain", {0, 1}}, {"nice", false}};
    return y;
  }
  std::vector<double> all;
  for (const Estimate& one : estimates)
    all.insert(all.end(), {one.low, one.reached, std::isfinite(one.high) ? one.high : one.largest});
  for (const auto& panel : curves)
    for (const TheoryCurve& curve : panel)
      for (const auto& [at, value] : curve.points) all.push_back(value);
  if (scale_ == Scale::log) return log_axis("value", title, all);
  std::erase_if(all, [](double one) { return !std::isfinite(one); });
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  if (all.empty() || *low == *high) return y;
  y["scale"]["domain"] = {*low, *high};
  y["scale"]["nice"] = true;
  return y;
}

Drawing Summary::draw(const FigureSource& source) const {
  const StudyResult& result = source.result;
  std::vector<const Cell*> cells;
  for (const CellResult* cell : source.cells) cells.push_back(&cell->cell);
  const std::string against = key_of(cells);
  if (against.empty()) return nothing_to_draw("no key varies over its cells");
  const SummaryAxis axis{swept_key(against, cells), against_scale_ == Scale::log, per_};
  const std::string quantity = quantity_.empty() ? default_quantity(result) : quantity_;
  const bool share = is_share(source.cells, quantity), log = scale_ == Scale::log && !share;
  const SummaryPoints all = summary_points(source, panels_, axis, color_, quantity);
  if (all.panels.empty()) return nothing_to_draw(kNoRuns);
  std::vector<DataTable> tables;
  std::vector<std::vector<Estimate>> drawn;  // by panel, like the curves
  std::vector<std::vector<TheoryCurve>> curves;
  std::vector<Estimate> estimates;
  size_t chosen = 0, asked = 0;
  for (const SummaryPanel& panel : all.panels) {
    DataTable& table = tables.emplace_back(estimate_columns());
    std::vector<Estimate>& own = drawn.emplace_back();
    asked += panel.points.size();
    for (const size_t i : evenly(panel.points.size(), std::max<size_t>(kMostSummaryPoints / all.panels.size(), 2))) {
      ++chosen;
      const SummaryPoint& point = panel.points[i];
      if (!axis.can_show(point.x)) continue;
      const auto row = estimate_row(point.shown_at, point.estimate, log, point.color, point.group, point.label);
      if (row.empty()) continue;
      table.row(row);
      own.push_back(point.estimate);
    }
    estimates.insert(estimates.end(), own.begin(), own.end());
    curves.push_back(theory_curves(lines_, panel, axis, log));
  }
  const Json x = x_channel(axis, all);
  const Json y = y_channel(number_title(result.study, quantity, share), estimates, curves, share);
  Drawing drawing;
  std::vector<Json> views;
  for (size_t i = 0; i < tables.size(); ++i) {
    if (drawn[i].empty()) continue;
    drawing.marks += 3 * tables[i].rows();
    Json layers = estimate_layers(drawn[i], x, y, all.color, true);
    for (Json& layer : curve_layers(curves[i], x, y, all.color, drawing.marks)) layers.push_back(std::move(layer));
    Json view = {{"data", tables[i].data()}, {"layer", layers}};
    if (!all.panels[i].title.empty()) view["title"] = all.panels[i].title;
    views.push_back(std::move(view));
  }
  if (views.empty()) return nothing_to_draw("no run has " + quantity + " on these scales");
  const bool alone = views.size() == 1;
  drawing.layout = {.width = alone ? 460 : 280, .height = alone ? 280 : 210};
  set_views(drawing, std::move(views), columns_);
  drawing.caption = number_meaning(result.study, quantity) + ": " + estimates_caption(estimates) + ".";
  if (std::any_of(estimates.begin(), estimates.end(), [](const Estimate& one) { return one.beyond(); }))
    drawing.caption += " Triangles: the median lies beyond the end of the runs, at least there.";
  if (all.moved) drawing.caption += " Lines are drawn a little apart so that their intervals can be seen.";
  if (estimates.size() < chosen)
    drawing.notice = count_text(static_cast<int64_t>(chosen - estimates.size()), "cell") +
                     " not shown: no value, or none on these scales";
  if (chosen < asked)
    drawing.notice = joined_notices(drawing.notice, count_text(static_cast<int64_t>(asked - chosen), "cell") +
                                                        " left out, to keep the picture light");
  return drawing;
}

}  // namespace

std::unique_ptr<FigureKind> make_summary_figure() { return std::make_unique<Summary>(); }

}  // namespace atto

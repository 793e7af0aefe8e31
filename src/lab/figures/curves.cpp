// Curves: observables over training steps, the median over seeds with the band that holds the middle 80 % of them, and
// on demand a line for every seed. A second list of observables may have an axis of its own on the right.
#include <algorithm>
#include <cmath>

#include "lab/figures/arrange.h"
#include "lab/figures/kinds.h"
#include "lab/figures/spec.h"
#include "lab/figures/table.h"
#include "lab/figures/thin.h"
#include "lab/seed_curve.h"
#include "lab/words.h"
#include "numeric/error.h"

namespace atto {
namespace {

constexpr double kTail = 0.1;         // below and above the band
constexpr size_t kBandPoints = 6000;  // over all lines of a figure
constexpr size_t kSeedPoints = 3500;  // over all lines of single seeds
constexpr size_t kMostSeeds = 24;     // more lines would cover each other

struct Line {
  std::string color, style, label;  // values of the channels, and what a tooltip says
  std::string address;
  const CellResult* cell = nullptr;
};

class Curves final : public FigureKind {
 public:
  void describe(FigureSettings& settings) override {
    settings
        .texts("observables", observables_,
               "addresses to draw (default: perplexity, else loss, else the first number observed)")
        .texts("right", right_, "addresses with an axis of their own on the right")
        .panels("panels", panels_, "what has a panel of its own")
        .run_key("color", color_, "key whose values the colours tell (default: whatever differs)")
        .lines("lines", lines_, "levels to compare with, dashed")
        .word("scale", scale_, {"linear", "log"}, "of the values")
        .word("steps", steps_, {"linear", "log"}, "scale of the training steps")
        .integer("until", until_, 0, 1e12, "last step drawn; 0: the longest run's")
        .integer("columns", columns_, 1, 6, "panels side by side");
  }
  std::vector<std::string> needs() const override {
    std::vector<std::string> all = observables_;
    all.insert(all.end(), right_.begin(), right_.end());
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
  std::vector<Line> lines_of(const Panel& panel, const std::vector<std::string>& addresses, bool several) const;
  Json view(const Panel& panel, const FigureSource& source, const std::vector<std::string>& left, const Json& color,
            size_t band_points, size_t seed_points, size_t& marks) const;
  Json curve_layers(const std::vector<Line>& lines, const FigureSource& source, const Json& color, const Json& y,
                    size_t band_points, size_t seed_points, size_t& marks) const;
  Json reference_layers(const Panel& panel, size_t& marks) const;
  Json step_channel() const;

  std::vector<std::string> observables_, right_;
  Panels panels_;
  std::string color_, scale_ = "linear", steps_ = "linear";
  std::vector<ReferenceLine> lines_;
  int64_t until_ = 0, columns_ = 3;
};

// What to draw where the study does not say.
std::vector<std::string> Curves::shown(const std::vector<Panel>& panels) const {
  if (!observables_.empty()) return observables_;
  std::string first;
  for (const std::string wanted : {"perplexity", "loss", ""})
    for (const Panel& panel : panels)
      for (const Member& member : panel.members)
        for (const ObservableSummary& one : member.cell->observables)
          if (wanted.empty() || one.address == wanted) return {one.address};
  return {};
}

std::vector<Line> Curves::lines_of(const Panel& panel, const std::vector<std::string>& addresses, bool several) const {
  std::vector<Line> lines;
  for (const Member& member : panel.members)
    for (const std::string& address : addresses) {
      const std::string label = member.label.empty() ? address : member.label + ", " + address;
      // Several observables take the colours; cells then differ by the dash.
      if (several) lines.push_back({axis_title(address), member.color, label, address, member.cell});
      else lines.push_back({member.color, "", label, address, member.cell});
    }
  return lines;
}

Json Curves::step_channel() const {
  Json channel = step_axis(steps_);
  if (until_ > 0) channel["scale"]["domainMax"] = until_;
  return channel;
}

Json Curves::curve_layers(const std::vector<Line>& lines, const FigureSource& source, const Json& color, const Json& y,
                          size_t band_points, size_t seed_points, size_t& marks) const {
  DataTable band({"step", "low", "value", "high", "color", "style", "label"});
  DataTable seeds({"step", "value", "color", "style", "label", "seed"});
  const bool log = scale_ == "log";
  const auto drawn = [&](double step) {
    return (until_ == 0 || step <= static_cast<double>(until_)) && (steps_ == "linear" || step > 0);
  };
  const auto height = [&](double value) { return !log ? value : value > 0 ? std::log(value) : NAN; };
  for (const Line& line : lines) {
    const std::vector<Recording> runs = load_runs(source, *line.cell, {line.address});
    const Curve curve = curve_over_seeds(runs, line.address, kTail);
    std::vector<double> x, heights;
    for (size_t i = 0; i < curve.steps.size(); ++i) {
      x.push_back(steps_ == "log" ? std::log(curve.steps[i]) : curve.steps[i]);
      heights.push_back(drawn(curve.steps[i]) ? height(curve.middle[i]) : NAN);
    }
    for (const size_t i : thin(x, heights, band_points))
      band.row({static_cast<int64_t>(curve.steps[i]), curve.low[i], curve.middle[i], curve.high[i], line.color,
                line.style, line.label});
    if (runs.size() < 2) continue;
    const size_t each = std::max<size_t>(seed_points / std::min(runs.size(), kMostSeeds), 12);
    for (const size_t seed : evenly(runs.size(), kMostSeeds)) {
      const Series& series = *runs[seed].find(line.address);
      std::vector<double> sx, sy;
      for (size_t i = 0; i < series.steps.size(); ++i) {
        const auto step = static_cast<double>(series.steps[i]);
        sx.push_back(steps_ == "log" ? std::log(step) : step);
        sy.push_back(drawn(step) ? height(series.values[i]) : NAN);
      }
      for (const size_t i : thin(sx, sy, each))
        seeds.row(
            {series.steps[i], series.values[i], line.color, line.style, line.label, static_cast<int64_t>(seed + 1)});
    }
  }
  marks += band.rows() + seeds.rows();
  const bool dashes = std::any_of(lines.begin(), lines.end(), [](const Line& line) { return !line.style.empty(); });
  const Json x = step_channel();
  const auto channels = [&](Json own) {
    own["x"] = x;
    if (!color.is_null()) own["color"] = color;
    own["detail"] = {{{"field", "label"}, {"type", "nominal"}}};
    if (dashes)
      own["strokeDash"] = {
          {"field", "style"}, {"type", "nominal"}, {"title", color_.empty() ? Json(nullptr) : Json(key_word(color_))}};
    return own;
  };
  Json low = y, layers = Json::array();
  low["field"] = "low";
  if (band.rows() == 0) return layers;
  Json area = channels({{"y", low}, {"y2", {{"field", "high"}}}});
  area.erase("strokeDash");
  layers.push_back({{"data", band.data()}, {"mark", {{"type", "area"}, {"opacity", 0.2}}}, {"encoding", area}});
  if (seeds.rows() > 0) {
    Json each = channels({{"y", y}});
    each["detail"].push_back({{"field", "seed"}, {"type", "nominal"}});
    layers.push_back({{"data", seeds.data()},
                      {"transform", {{{"filter", "every_seed"}}}},
                      {"mark", {{"type", "line"}, {"strokeWidth", 0.6}, {"opacity", 0.5}}},
                      {"encoding", each}});
  }
  Json line = channels({{"y", y}});
  line["tooltip"] = {{{"field", "label"}, {"title", "line"}},
                     {{"field", "step"}, {"type", "quantitative"}},
                     {{"field", "value"}, {"type", "quantitative"}, {"title", "median"}},
                     {{"field", "low"}, {"type", "quantitative"}, {"title", "10 %"}},
                     {{"field", "high"}, {"type", "quantitative"}, {"title", "90 %"}}};
  layers.push_back({{"data", band.data()}, {"mark", {{"type", "line"}, {"strokeWidth", 1.8}}}, {"encoding", line}});
  return layers;
}

// Levels of theory: one dashed line for each different value in the panel, with its label at the right end.
Json Curves::reference_layers(const Panel& panel, size_t& marks) const {
  DataTable levels({"level", "label"});
  std::vector<std::pair<double, std::string>> seen;
  for (const ReferenceLine& line : lines_) {
    for (const Member& member : panel.members) {
      RunConfig config = member.cell->cell.config;
      const double level = line.level.evaluate([&](const std::string& key) {
        if (key == "best_loss") return member.cell->best_loss.value_or(NAN);
        return value_number(*member.cell, key).value_or(NAN);
      });
      const std::pair<double, std::string> one{level, line.label};
      if (!std::isfinite(level) || std::find(seen.begin(), seen.end(), one) != seen.end()) continue;
      seen.push_back(one);
      levels.row({level, line.label});
    }
  }
  Json layers = Json::array();
  if (levels.rows() == 0) return layers;
  marks += 2 * levels.rows();
  const Json y = quantitative("level", axis_title(observables_.empty() ? "" : observables_.front()), scale_);
  layers.push_back(
      {{"data", levels.data()}, {"mark", {{"type", "rule"}, {"style", "reference"}}}, {"encoding", {{"y", y}}}});
  layers.push_back({{"data", levels.data()},
                    {"mark",
                     {{"type", "text"},
                      {"style", "reference-label"},
                      {"align", "right"},
                      {"baseline", "bottom"},
                      {"dx", -4},
                      {"dy", -3}}},
                    {"encoding", {{"y", y}, {"x", {{"value", "width"}}}, {"text", {{"field", "label"}}}}}});
  return layers;
}

Json Curves::view(const Panel& panel, const FigureSource& source, const std::vector<std::string>& left,
                  const Json& color, size_t band_points, size_t seed_points, size_t& marks) const {
  const bool several = left.size() + right_.size() > 1;
  const std::string left_title = left.size() == 1 ? axis_title(left.front()) : "value";
  Json layers = curve_layers(lines_of(panel, left, several), source, color, quantitative("value", left_title, scale_),
                             band_points, seed_points, marks);
  for (Json& layer : reference_layers(panel, marks)) layers.push_back(std::move(layer));
  Json view = {{"title", panel.title}};
  if (panel.title.empty()) view.erase("title");
  if (right_.empty()) {
    view["layer"] = layers;
    return view;
  }
  Json y = quantitative("value", right_.size() == 1 ? axis_title(right_.front()) : "effective dimension, rank");
  y["axis"] = {{"orient", "right"}};
  const Json other = curve_layers(lines_of(panel, right_, several), source, color, y, band_points, seed_points, marks);
  view["layer"] = {{{"layer", layers}}, {{"layer", other}}};
  view["resolve"] = {{"scale", {{"y", "independent"}}}};
  return view;
}

Drawing Curves::draw(const FigureSource& source) const {
  const std::vector<Panel> panels = arrange(panels_, color_, source);
  const std::vector<std::string> left = shown(panels);
  if (left.empty()) return nothing_to_draw("none of its runs is in the store yet");
  Drawing drawing;
  size_t lines = 0;
  for (const Panel& panel : panels) lines += panel.members.size() * (left.size() + right_.size());
  const size_t band_points = std::clamp<size_t>(kBandPoints / (2 * lines), 16, 200);
  const size_t seed_points = kSeedPoints / lines;
  Json color = color_channel(panels, color_);
  if (left.size() + right_.size() > 1) {
    std::vector<std::string> names;
    for (const auto& list : {left, right_})
      for (const std::string& address : list) names.push_back(axis_title(address));
    color = {{"field", "color"}, {"type", "nominal"}, {"title", nullptr}, {"scale", {{"domain", names}}}};
  }
  std::vector<Json> views;
  for (const Panel& panel : panels)
    views.push_back(view(panel, source, left, color, band_points, seed_points, drawing.marks));
  drawing.layout = {.width = panels.size() == 1 ? 520 : 280, .height = panels.size() == 1 ? 280 : 210};
  set_views(drawing, std::move(views), columns_);
  const bool seeds = std::any_of(panels.begin(), panels.end(), [](const Panel& panel) {
    return std::any_of(panel.members.begin(), panel.members.end(),
                       [](const Member& one) { return one.cell->seeds > 1; });
  });
  if (seeds) drawing.spec["params"] = {checkbox("every_seed", "every seed")};
  drawing.caption = seeds ? "Median of " + seeds_text(panels) + "; the band holds the middle 80 %." : "One run each.";
  drawing.notice = diverged_notice(panels);
  return drawing;
}

}  // namespace

std::unique_ptr<FigureKind> make_curves() { return std::make_unique<Curves>(); }

}  // namespace atto

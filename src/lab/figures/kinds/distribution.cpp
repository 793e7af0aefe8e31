// A number of every seed, cell by cell: dots side by side where they are many, with the kinds of outcome (basins) that
// the seeds fall into.
#include <algorithm>
#include <cmath>

#include "lab/figures/figure.h"
#include "lab/figures/numbers/quantities.h"
#include "lab/figures/numbers/strips.h"
#include "lab/figures/panels/arrange.h"
#include "lab/figures/vega/axes.h"
#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

constexpr size_t kLetters = 9;  // of a label that fits under its strip
constexpr double kBand = 0.45;  // half the width of a region
constexpr double kBar = 0.4;    // where the bars of the basins stand, right of their cell

// The region of a claim, over one strip.
struct Region {
  size_t panel = 0, place = 0;
  double low = 0, high = 0;
  std::string claim;
};

// "64 seeds a cell", "8 to 32 seeds a cell"
std::string seeds_of(const std::vector<StripPanel>& panels) {
  std::vector<Panel> all;
  for (const StripPanel& panel : panels)
    for (const Strip& strip : panel.strips) all.emplace_back().members.push_back({strip.cell, "", ""});
  return seeds_text(all) + (all.size() > 1 ? " a cell" : "");
}

class Distribution final : public FigureKind {
 public:
  std::string help() const override { return "a number of every seed, cell by cell, with the basins they fall into"; }
  void describe(FigureSettings& settings) override {
    settings
        .text("quantity", quantity_,
              "phenomenon.quantity or an observable, whose final value is taken (default: plateau.present, else the "
              "first quantity)")
        .panels("panels", panels_, "what gets its own panel")
        .run_key("across", across_, "key that orders and names the cells (default: all that differ)")
        .choice("scale", scale_, "of the values")
        .flag("regions", regions_, "shade the regions of claims about one cell")
        .integer("columns", columns_, 1, 6, "panels side by side");
  }
  void check(const Study& study, const std::vector<Cell>& cells) const override {
    check_number(study, quantity_);
    check_panels(panels_, cells);
  }
  SeriesNeeds needs() const override { return number_needs(quantity_); }
  bool shows(const Claim& claim, const Study& study) const override { return shows_number(claim, study, quantity_); }
  Drawing draw(const FigureSource& source) const override;

 private:
  bool log() const { return scale_ == Scale::log; }
  std::vector<Region> regions(const Strips& strips, const FigureSource& source, const std::string& quantity) const;
  Json y_channel(const Strips& strips, const std::vector<Region>& regions, const std::string& title) const;
  Json view(const StripPanel& panel, const std::vector<Region>& regions, const Json& y, int64_t height,
            size_t& marks) const;

  std::string quantity_, across_;
  Scale scale_ = Scale::linear;
  Panels panels_;
  bool regions_ = false;
  int64_t columns_ = 2;
};

// Regions of claims about the number in one cell alone. An open side ends with the values.
std::vector<Region> Distribution::regions(const Strips& strips, const FigureSource& source,
                                          const std::string& quantity) const {
  std::vector<Region> all;
  for (const Claim& claim : source.result.study.claims) {
    if (!regions_ || claim.quantity != quantity || claim.against || claim.statistic == Statistic::rate ||
        takes_pairs(claim.statistic))
      continue;
    const auto spoken_of = [&](const CellResult& cell) { return matches(claim.where, cell.cell.config); };
    if (std::count_if(source.result.cells.begin(), source.result.cells.end(), spoken_of) != 1) continue;
    for (size_t panel = 0; panel < strips.panels.size(); ++panel)
      for (size_t place = 0; place < strips.panels[panel].strips.size(); ++place) {
        const CellResult& cell = *strips.panels[panel].strips[place].cell;
        if (!spoken_of(cell)) continue;
        double unit = 1;
        if (!claim.relative_to.empty()) {
          if (!run_schema().find(claim.relative_to)) continue;  // another unit in every run
          unit = value_number(cell, claim.relative_to).value_or(NAN);
        }
        Region region{panel, place, std::isfinite(claim.low) ? claim.low * unit : strips.low,
                      std::isfinite(claim.high) ? claim.high * unit : strips.high, claim.id + ": " + claim.statement};
        if (log() && region.low <= 0) region.low = strips.low;
        if (region.low < region.high) all.push_back(region);
      }
  }
  return all;
}

Json Distribution::y_channel(const Strips& strips, const std::vector<Region>& regions, const std::string& title) const {
  std::vector<double> ends{strips.low, strips.high};
  for (const Region& region : regions) ends.insert(ends.end(), {region.low, region.high});
  if (log()) return log_axis("value", title, ends);
  Json channel = quantitative("value", title);
  const auto [low, high] = std::minmax_element(ends.begin(), ends.end());
  const double length = *high - *low, margin = length > 0 ? 0.02 * length : std::max(std::abs(*high), 1.0) / 2;
  channel["scale"]["domain"] = {*low - margin, *high + margin};
  return channel;
}

Json Distribution::view(const StripPanel& panel, const std::vector<Region>& regions, const Json& y, int64_t height,
                        size_t& marks) const {
  DataTable dots({"x", "value", "above", "seed"}),
      bars({"place", "low", "median", "high", "count", "several", "counted"});
  std::vector<std::string> labels;
  for (size_t i = 0; i < panel.strips.size(); ++i) {
    const Strip& strip = panel.strips[i];
    const auto place = static_cast<double>(i);
    labels.push_back(strip.label.empty() ? "all runs" : strip.label);
    for (const SwarmDot& dot : strip.dots)
      dots.row({place + dot.offset, dot.value, static_cast<int64_t>(dot.above),
                strip.cell->runs[static_cast<size_t>(dot.seed)].seed});
    double last = -kLabelHeight;  // where the count below stands: one that would touch it is left to the tooltip
    for (const Basin& basin : strip.basins) {
      const double at = place_on(y, basin.median, height);
      const bool counted = at - last >= kLabelHeight;
      if (counted) last = at;
      bars.row({static_cast<int64_t>(i), basin.low, basin.median, basin.high, basin.count,
                static_cast<int64_t>(strip.basins.size() > 1), static_cast<int64_t>(counted)});
    }
  }
  marks += dots.rows() + 3 * bars.rows();
  Json x = place_axis("x", across_.empty() ? "" : key_word(across_), labels);
  if (across_.empty()) x["title"] = nullptr;
  size_t letters = 0;
  for (const std::string& label : labels) letters = std::max(letters, label.size());
  if (letters > kLetters) x["axis"].update({{"labelAngle", -35}, {"labelLimit", 400}});
  const auto at = [](const char* field) { return Json{{"field", field}, {"type", "quantitative"}}; };
  Json low = y, median = y;
  low["field"] = "low";
  median["field"] = "median";
  Json layers = Json::array();
  if (!regions.empty()) {
    DataTable bands({"left", "right", "low", "high", "claim"});
    for (const Region& region : regions) {
      const auto place = static_cast<double>(region.place);
      bands.row({place - kBand, place + kBand, region.low, region.high, region.claim});
    }
    marks += bands.rows();
    layers.push_back({{"data", bands.data()},
                      {"mark", {{"type", "rect"}, {"opacity", 0.15}}},
                      {"encoding",
                       {{"x", at("left")},
                        {"x2", {{"field", "right"}}},
                        {"y", low},
                        {"y2", {{"field", "high"}}},
                        {"tooltip", {{{"field", "claim"}, {"title", "region of"}}}}}}});
  }
  Json points = Json::array(), lines = Json::array();
  for (const bool above : {false, true}) {
    const auto is = [&](const Strip& strip) {
      return std::any_of(strip.dots.begin(), strip.dots.end(), [&](const SwarmDot& dot) { return dot.above == above; });
    };
    if (std::none_of(panel.strips.begin(), panel.strips.end(), is)) continue;  // an empty layer would spoil the scales
    points.push_back(
        {{"transform", {{{"filter", above ? "datum.above == 1" : "datum.above == 0"}}}},
         {"mark",
          {{"type", "point"},
           {"filled", !above},
           {"size", above ? 26 : 14},
           {"opacity", 0.75},
           {"shape", above ? "triangle-up" : "circle"}}},
         {"encoding",
          {{"tooltip",
            {{{"field", "seed"}, {"type", "quantitative"}}, {{"field", "value"}, {"type", "quantitative"}}}}}}});
  }
  if (points.empty()) points.push_back({{"mark", "point"}});
  layers.push_back({{"data", dots.data()}, {"encoding", {{"x", x}, {"y", y}}}, {"layer", points}});
  const bool several =
      std::any_of(panel.strips.begin(), panel.strips.end(), [](const Strip& strip) { return strip.basins.size() > 1; });
  lines.push_back({{"mark", {{"type", "rule"}, {"strokeWidth", 1}}},
                   {"encoding",
                    {{"x", at("left")},
                     {"x2", {{"field", "right"}}},
                     {"y", median},
                     {"tooltip", {{{"field", "count"}, {"title", "seeds"}}, at("median"), at("low"), at("high")}}}}});
  const Json only = {{{"filter", "datum.several == 1"}}};
  if (several)
    lines.push_back({{"transform", only},
                     {"mark", {{"type", "rule"}, {"strokeWidth", 2}}},
                     {"encoding", {{"x", at("right")}, {"y", low}, {"y2", {{"field", "high"}}}}}});
  if (several)
    lines.push_back({{"transform", {{{"filter", "datum.several == 1 && datum.counted == 1"}}}},
                     {"mark", {{"type", "text"}, {"align", "left"}, {"dx", 3}, {"dy", -5}, {"fontSize", 9}}},
                     {"encoding", {{"x", at("right")}, {"y", median}, {"text", {{"field", "count"}}}}}});
  const std::string shift = number_text(kBar);
  if (bars.rows() > 0)
    layers.push_back({{"data", bars.data()},
                      {"transform",
                       {{{"calculate", "datum.place - " + shift}, {"as", "left"}},
                        {{"calculate", "datum.place + " + shift}, {"as", "right"}}}},
                      {"layer", lines}});
  Json view = {{"layer", layers}};
  if (!panel.title.empty()) view["title"] = panel.title;
  return view;
}

Drawing Distribution::draw(const FigureSource& source) const {
  const StudyResult& result = source.result;
  const std::string quantity = quantity_.empty() ? default_quantity(result) : quantity_;
  const Strips strips = make_strips(source, panels_, across_, quantity, log());
  const std::vector<StripPanel>& all = strips.panels;
  size_t dots = 0, most = 1;
  bool censored = false, several = false;
  for (const StripPanel& panel : all) {
    most = std::max(most, panel.strips.size());
    for (const Strip& strip : panel.strips) {
      dots += strip.dots.size();
      several = several || strip.basins.size() > 1;
      for (const SwarmDot& dot : strip.dots) censored = censored || dot.above;
    }
  }
  if (all.empty()) return nothing_to_draw(kNoRuns);
  if (dots == 0) return nothing_to_draw("no run has " + quantity + (log() ? " above 0" : ""));
  Drawing drawing;
  const auto wide = static_cast<int64_t>(70 * most);
  drawing.layout = {
      .width = all.size() == 1 ? std::clamp<int64_t>(wide, 240, 720) : std::clamp<int64_t>(wide, 200, 340),
      .height = all.size() == 1 ? 280 : 220};
  std::vector<Json> views;
  const std::vector<Region> claimed = regions(strips, source, quantity);
  const Json y = y_channel(strips, claimed, number_title(result.study, quantity));
  for (size_t i = 0; i < all.size(); ++i) {
    std::vector<Region> own;
    std::copy_if(claimed.begin(), claimed.end(), std::back_inserter(own),
                 [&](const Region& region) { return region.panel == i; });
    views.push_back(view(all[i], own, y, drawing.layout.height, drawing.marks));
  }
  set_views(drawing, std::move(views), columns_);
  drawing.caption = "Each dot one of " + seeds_of(all) + ": " + number_meaning(result.study, quantity) +
                    ". Lines across: medians, of each group where the seeds fall into several";
  drawing.caption +=
      several ? ", with their sizes next to them; bars: from the smallest to the largest of a group." : ".";
  if (!claimed.empty()) drawing.caption += " Shaded: the regions that claims about a cell name.";
  if (censored) drawing.caption += " Triangles: the run ended first, the truth lies above; they are in no median.";
  const auto add = [&](int64_t count, const std::string& what) {
    if (count > 0) drawing.notice = joined_notices(drawing.notice, count_text(count, "run") + " " + what);
  };
  add(strips.diverged, "diverged");
  add(strips.missing, "without the quantity");
  add(strips.not_finite, "with a value that is not finite");
  add(strips.not_positive, "with a value of 0 or less, which has no logarithm");
  add(strips.left_out, "not drawn, to keep the picture light");
  if (strips.cells_left_out > 0)
    drawing.notice = joined_notices(
        drawing.notice, count_text(strips.cells_left_out, "cell") + " not shown, to keep the picture light");
  return drawing;
}

}  // namespace

std::unique_ptr<FigureKind> make_distribution_figure() { return std::make_unique<Distribution>(); }

}  // namespace atto

// Phase diagram: one number for each cell of a sweep over two keys, as a map, with the line where it crosses a level.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "lab/figures/figure.h"
#include "lab/figures/numbers/phase_map.h"
#include "lab/figures/numbers/quantities.h"
#include "lab/figures/panels/arrange.h"
#include "lab/figures/vega/axes.h"
#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

constexpr double kHalf = 0.5;  // the level of shares
// From this share of viridis on letters are dark. On a colour of relative luminance L (WCAG) black has the contrast
// (L + 0.05) / 0.05 and white 1.05 / (L + 0.05); both are at least 4.5 for L from 0.175 to 0.183, where viridis is from
// 0.424 to 0.440 of its length.
constexpr double kLightCell = 0.43;
constexpr size_t kMostCells = 5000;  // of all maps; the line, then the numbers, have what they leave of kMostMarks
constexpr size_t kMostTexts = 240;   // numbers in a map; more would be too small to read
constexpr int64_t kCellWidth = 62, kCellHeight = 44;

std::vector<std::string> labels_of(const SweptKey& key) {
  std::vector<std::string> labels;
  for (const Value& value : key.values) labels.push_back(to_text(value));
  return labels;
}

// Few enough letters for a cell: "0.94" for shares, "14.7", "2396", "10.8k".
std::string letters_of(double number, bool share) {
  if (!std::isfinite(number)) return number_text(number);
  if (share) return number_text(number, "%.2f");
  const double size = std::abs(number);
  if (size < 1e3) return number_text(number == 0 ? 0.0 : number, "%.3g");
  if (size < 9999.5) return number_text(number, "%.0f");
  if (size < 999.5e3) return number_text(number / 1e3, "%.3g") + "k";
  return size < 999.5e6 ? number_text(number / 1e6, "%.3g") + "M" : number_text(number, "%.2g");
}

std::string letters_of(const Estimate& estimate) {
  return estimate.beyond() ? "> " + letters_of(estimate.reached, false) : letters_of(estimate.value, estimate.share);
}

class Phase final : public FigureKind {
 public:
  std::string help() const override {
    return "a number over two swept keys as a map, with the line where it crosses a level";
  }
  void describe(FigureSettings& settings) override {
    settings
        .text("quantity", quantity_,
              "what the colours show: phenomenon.quantity or an observable, whose final value is taken (default: "
              "plateau.present, else the first quantity)")
        .run_key("across", across_, "key along the horizontal axis (default: the second that varies)")
        .run_key("down", down_, "key along the vertical axis (default: the first that varies)")
        .panels("panels", panels_, "what gets its own map (default: further keys that vary)")
        .number("level", level_, "level whose line is drawn (default: 0.5 for shares, else none)")
        .choice("scale", scale_, "of the colours")
        .integer("columns", columns_, 1, 6, "maps side by side");
  }
  void check(const Study& study, const std::vector<Cell>& cells) const override;
  SeriesNeeds needs() const override { return number_needs(quantity_); }
  bool shows(const Claim& claim, const Study& study) const override { return shows_number(claim, study, quantity_); }
  Drawing draw(const FigureSource& source) const override;

 private:
  Json view(const PhaseMap& map, const MapKeys& keys, const Ramp& ramp, const std::string& title,
            const std::vector<Segment>& line, bool written) const;

  std::string quantity_, across_, down_;
  Scale scale_ = Scale::linear;
  Panels panels_;
  std::optional<double> level_;
  int64_t columns_ = 3;
};

void Phase::check(const Study& study, const std::vector<Cell>& cells) const {
  check_number(study, quantity_);
  check_panels(panels_, cells);
  std::vector<const Cell*> all;
  for (const Cell& cell : cells) all.push_back(&cell);
  if (across_ == down_ && !across_.empty()) throw Error(ErrorKind::config, "`across` and `down` are the same key");
  if (!map_keys(across_, down_, all))
    throw Error(ErrorKind::config, "a map needs two keys that vary over the cells it draws",
                "name others with `across` and `down`, or draw a `summary`");
}

// Light with a dark rim, so that it is seen on every colour.
Json line_layer(const std::vector<Segment>& line) {
  DataTable table({"x", "y", "x2", "y2"});
  for (const Segment& one : line) table.row({one.x0, one.y0, one.x1, one.y1});
  const auto channel = [](const char* name) { return Json{{"field", name}, {"type", "quantitative"}}; };
  Json layers = Json::array();
  // Rules have a width of their own, which that of a style does not replace.
  for (const auto& [style, width] : {std::pair{"on-map-rim", 3.5}, std::pair{"on-map", 1.5}})
    layers.push_back({{"mark", {{"type", "rule"}, {"style", style}, {"strokeWidth", width}, {"strokeCap", "round"}}}});
  return {
      {"data", table.data()},
      {"encoding", {{"x", channel("x")}, {"y", channel("y")}, {"x2", {{"field", "x2"}}}, {"y2", {{"field", "y2"}}}}},
      {"layer", layers}};
}

// What a cell's letters stand on.
enum class Behind : uint8_t { nothing, dark, light };

Behind behind(const MapEntry& entry, const Ramp& ramp) {
  if (std::isnan(entry.shade)) return Behind::nothing;
  return ramp.position(entry.shade) < kLightCell ? Behind::dark : Behind::light;
}

// The numbers, and below them those of the seeds: light on dark cells and dark on light ones, in the colour of any text
// where there is no colour behind them.
Json letters_layer(const PhaseMap& map, const Ramp& ramp, const Json& x, const Json& y, const Json& tooltip) {
  Json layers = Json::array();
  for (const Behind ground : {Behind::nothing, Behind::dark, Behind::light}) {
    if (std::none_of(map.entries.begin(), map.entries.end(),
                     [&](const MapEntry& one) { return behind(one, ramp) == ground; }))
      continue;
    for (const bool seeds : {false, true}) {
      Json mark = {{"type", "text"}, {"fontSize", seeds ? 9 : 12}, {"dy", seeds ? 11 : -3}};
      if (ground == Behind::dark) mark["style"] = "on-map";
      if (ground == Behind::light) mark.update({{"style", "on-map-rim"}, {"strokeWidth", 0}});  // its colour alone
      layers.push_back({{"transform", {{{"filter", "datum.letters == " + std::to_string(static_cast<int>(ground))}}}},
                        {"mark", mark},
                        {"encoding", {{"text", {{"field", seeds ? "seeds" : "text"}, {"type", "nominal"}}}}}});
    }
  }
  return {{"encoding", {{"x", x}, {"y", y}, {"tooltip", tooltip}}}, {"layer", layers}};
}

Json Phase::view(const PhaseMap& map, const MapKeys& keys, const Ramp& ramp, const std::string& title,
                 const std::vector<Segment>& line, bool written) const {
  DataTable table({"x", "y", "shade", "letters", "text", "seeds", "cell", "says", "of"});
  for (const MapEntry& entry : map.entries)
    table.row({static_cast<int64_t>(entry.column), static_cast<int64_t>(entry.row), entry.shade,
               static_cast<int64_t>(behind(entry, ramp)), letters_of(entry.estimate), count_text(entry.estimate.seeds),
               cell_label(entry.cell->cell.overrides), estimate_text(entry.estimate), samples_text(entry.estimate)});
  Json x = place_axis("x", key_word(keys.across.key), labels_of(keys.across));
  Json y = place_axis("y", key_word(keys.down.key), labels_of(keys.down));
  Json left = x, low = y;
  left["field"] = "left";
  low["field"] = "low";
  Json color = quantitative("shade", "", ramp.log ? Scale::log : Scale::linear);
  color["scale"]["domain"] = {ramp.low, ramp.high};
  color["title"] = wrapped_title(title);
  color["legend"] = {{"gradientLength", 120}, {"tickCount", 5}};
  const Json tooltip = {{{"field", "cell"}, {"title", "cell"}},
                        {{"field", "says"}, {"title", "value"}},
                        {{"field", "of"}, {"title", "of"}}};
  Json layers = Json::array();
  layers.push_back({{"transform",
                     {{{"filter", "datum.letters > 0"}},
                      {{"calculate", "datum.x - 0.5"}, {"as", "left"}},
                      {{"calculate", "datum.x + 0.5"}, {"as", "right"}},
                      {{"calculate", "datum.y - 0.5"}, {"as", "low"}},
                      {{"calculate", "datum.y + 0.5"}, {"as", "high"}}}},
                    {"mark", {{"type", "rect"}}},
                    {"encoding",
                     {{"x", left},
                      {"x2", {{"field", "right"}}},
                      {"y", low},
                      {"y2", {{"field", "high"}}},
                      {"color", color},
                      {"tooltip", tooltip}}}});
  if (!line.empty()) layers.push_back(line_layer(line));
  if (written) layers.push_back(letters_layer(map, ramp, x, y, tooltip));
  Json view = {{"data", table.data()}, {"layer", layers}};
  if (!map.title.empty()) view["title"] = map.title;
  return view;
}

Drawing Phase::draw(const FigureSource& source) const {
  std::vector<const Cell*> cells;
  for (const CellResult* cell : source.cells) cells.push_back(&cell->cell);
  const std::optional<MapKeys> keys = map_keys(across_, down_, cells);
  if (!keys) return nothing_to_draw("fewer than two keys vary over its cells");
  const StudyResult& result = source.result;
  const std::string quantity = quantity_.empty() ? default_quantity(result) : quantity_;
  const bool share = is_share(source.cells, quantity);
  const std::vector<PhaseMap> maps = phase_maps(source, *keys, panels_, quantity, scale_ == Scale::log);
  size_t covered = 0, values = 0, entries = 0;
  for (const PhaseMap& map : maps) {
    covered += map.covered;
    entries += map.entries.size();
    for (const MapEntry& entry : map.entries) values += !std::isnan(entry.shade);
  }
  if (maps.empty()) return nothing_to_draw(kNoRuns);
  if (entries > kMostCells)
    return nothing_to_draw("it has more than " + count_text(kMostCells) + " cells; name fewer with `where`");
  if (values == 0) return nothing_to_draw("no run has " + quantity);

  Drawing drawing;
  const Ramp ramp = ramp_over(maps, share, scale_ == Scale::log);
  const double level = level_.value_or(share ? kHalf : Estimate::kNone);
  const std::string title = number_title(result.study, quantity, share);
  drawing.layout.width = std::clamp<int64_t>(kCellWidth * std::ssize(keys->across.values), 130, 640);
  drawing.layout.height = std::clamp<int64_t>(kCellHeight * std::ssize(keys->down.values), 90, 480);
  drawing.layout.smallest = std::min<int64_t>(drawing.layout.width, 36 * std::ssize(keys->across.values));
  std::vector<std::vector<Segment>> lines(maps.size());
  size_t pieces = 0, texts = 0;
  for (size_t i = 0; i < maps.size(); ++i) {
    if (!std::isnan(level)) lines[i] = level_line(maps[i], *keys, ramp, level);
    pieces += lines[i].size();
    if (maps[i].entries.size() <= kMostTexts) texts += maps[i].entries.size();
  }
  drawing.marks = entries;
  const auto room = [&](size_t marks) {
    const bool fits = marks > 0 && drawing.marks + marks <= kMostMarks;
    if (fits) drawing.marks += marks;
    return fits;
  };
  const bool with_line = room(2 * pieces), with_texts = room(2 * texts);
  if (pieces > 0 && !with_line) drawing.notice = "the line is left out: it would have too many pieces";
  std::vector<Json> views;
  for (size_t i = 0; i < maps.size(); ++i)
    views.push_back(view(maps[i], *keys, ramp, title, with_line ? lines[i] : std::vector<Segment>(),
                         with_texts && maps[i].entries.size() <= kMostTexts));
  set_views(drawing, std::move(views), columns_);
  drawing.caption = std::string(share ? "Share of seeds with " : "Median over seeds of ") +
                    number_meaning(result.study, quantity) + ".";
  if (with_texts) drawing.caption += " The small number counts the seeds.";
  if (with_line)
    drawing.caption += " The line is where it crosses " + number_text(level) + ", interpolated between cells.";
  if (std::any_of(maps.begin(), maps.end(), [](const PhaseMap& map) {
        return std::any_of(map.entries.begin(), map.entries.end(),
                           [](const MapEntry& one) { return one.estimate.beyond(); });
      }))
    drawing.caption += " Where the median lies beyond the end of the runs, \">\" gives that end.";
  const auto without =
      std::count_if(source.cells.begin(), source.cells.end(), [](const CellResult* cell) { return cell->seeds == 0; });
  if (without > 0) drawing.notice = joined_notices(drawing.notice, count_text(without, "cell") + " without runs");
  if (covered > 0)
    drawing.notice =
        joined_notices(drawing.notice, count_text(static_cast<int64_t>(covered), "cell") +
                                           " not shown: another has its place, and `panels` does not tell them apart");
  return drawing;
}

}  // namespace

std::unique_ptr<FigureKind> make_phase_figure() { return std::make_unique<Phase>(); }

}  // namespace atto

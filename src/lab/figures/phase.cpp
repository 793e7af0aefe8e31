// Phase diagram: one number for each cell of a sweep over two keys, as a map, with the line where it crosses a level.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "lab/figures/arrange.h"
#include "lab/figures/contour.h"
#include "lab/figures/kinds.h"
#include "lab/figures/phase_map.h"
#include "lab/figures/quantities.h"
#include "lab/figures/spec.h"
#include "lab/words.h"
#include "numeric/error.h"

namespace atto {
namespace {

constexpr double kHalf = 0.5;         // the level of shares
constexpr double kLightCell = 0.435;  // from this share of viridis on, dark letters have more contrast than light ones
constexpr int64_t kMostCells = 5000;  // with room for the line among kMostMarks
constexpr size_t kMostTexts = 240;    // numbers in a map; more would be too small to read
constexpr int64_t kCellWidth = 62, kCellHeight = 44;

std::vector<std::string> labels_of(const SweptKey& key) {
  std::vector<std::string> labels;
  for (const Value& value : key.values) labels.push_back(to_text(value));
  return labels;
}

std::string printed(const char* format, double number) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, number);
  return buffer.data();
}

// Few enough letters for a cell: "0.94" for shares, "14.7", "2396", "10.8k".
std::string letters_of(double number, bool share) {
  if (!std::isfinite(number)) return number_text(number);
  if (share) return printed("%.2f", number);
  const double size = std::abs(number);
  if (size < 1e3) return printed("%.3g", number == 0 ? 0.0 : number);
  if (size < 9999.5) return printed("%.0f", number);
  if (size < 999.5e3) return printed("%.3g", number / 1e3) + "k";
  return size < 999.5e6 ? printed("%.3g", number / 1e6) + "M" : printed("%.2g", number);
}

std::string letters_of(const Estimate& estimate) {
  return estimate.beyond() ? "> " + letters_of(estimate.reached, false) : letters_of(estimate.value, estimate.share);
}

class Phase final : public FigureKind {
 public:
  void describe(FigureSettings& settings) override {
    settings
        .text("quantity", quantity_,
              "what the colours tell: phenomenon.quantity or an observable, whose final value is taken (default: "
              "plateau.present, else the first quantity)")
        .run_key("across", across_, "key along the horizontal axis (default: the second that varies)")
        .run_key("down", down_, "key along the vertical axis (default: the first that varies)")
        .panels("panels", panels_, "what has a map of its own (default: further keys that vary)")
        .number("level", level_, "level whose line is drawn (default: 0.5 for shares, else none)")
        .word("scale", scale_, {"linear", "log"}, "of the colours")
        .integer("columns", columns_, 1, 6, "maps side by side");
  }
  void check(const Study& study, const std::vector<Cell>& cells) const override;
  bool shows(const Claim& claim, const Study& study) const override { return shows_number(claim, study, quantity_); }
  Drawing draw(const FigureSource& source) const override;

 private:
  Json view(const PhaseMap& map, const MapKeys& keys, const Ramp& ramp, const std::string& title,
            std::optional<double> level, size_t& marks) const;
  Json contour_layer(const PhaseMap& map, const MapKeys& keys, const Ramp& ramp, double level, size_t& marks) const;

  std::string quantity_, across_, down_, scale_ = "linear";
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

Json Phase::contour_layer(const PhaseMap& map, const MapKeys& keys, const Ramp& ramp, double level,
                          size_t& marks) const {
  const size_t columns = keys.across.values.size();
  std::vector<double> field(columns * keys.down.values.size(), Estimate::kNone);
  for (const MapEntry& entry : map.entries) field[entry.row * columns + entry.column] = ramp.height(entry.shade);
  DataTable table({"x", "y", "x2", "y2"});
  for (const Segment& one : contour(field, columns, ramp.height(level))) table.row({one.x0, one.y0, one.x1, one.y1});
  if (table.rows() == 0) return nullptr;
  marks += 2 * table.rows();
  const auto channel = [](const char* name) { return Json{{"field", name}, {"type", "quantitative"}}; };
  // Light on dark, so that it is seen on every colour.
  Json layers = Json::array();
  for (const bool under : {true, false})
    layers.push_back({{"mark",
                       {{"type", "rule"},
                        {"strokeWidth", under ? 3.5 : 1.5},
                        {"strokeCap", "round"},
                        {"color", under ? "black" : "white"}}}});
  return {
      {"data", table.data()},
      {"encoding", {{"x", channel("x")}, {"y", channel("y")}, {"x2", {{"field", "x2"}}}, {"y2", {{"field", "y2"}}}}},
      {"layer", layers}};
}

Json Phase::view(const PhaseMap& map, const MapKeys& keys, const Ramp& ramp, const std::string& title,
                 std::optional<double> level, size_t& marks) const {
  DataTable table({"x", "y", "shade", "letters", "text", "seeds", "cell", "says", "of"});
  for (const MapEntry& entry : map.entries) {
    // 0: no colour behind it, 1: dark, 2: light
    const bool plain = std::isnan(entry.shade);
    const int64_t letters = plain ? 0 : ramp.position(entry.shade) < kLightCell ? 1 : 2;
    table.row({static_cast<int64_t>(entry.column), static_cast<int64_t>(entry.row), entry.shade, letters,
               letters_of(entry.estimate), count_text(entry.estimate.seeds), cell_label(entry.cell->cell.overrides),
               estimate_text(entry.estimate), samples_text(entry.estimate)});
  }
  const bool written = map.entries.size() <= kMostTexts;
  marks += (written ? 3 : 1) * table.rows();
  Json x = place_axis("x", key_word(keys.across.key), labels_of(keys.across));
  Json y = place_axis("y", key_word(keys.down.key), labels_of(keys.down));
  Json left = x, low = y;
  left["field"] = "left";
  low["field"] = "low";
  Json color = quantitative("shade", "", ramp.log ? "log" : "linear");
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
  if (level)
    if (Json line = contour_layer(map, keys, ramp, *level, marks); !line.is_null()) layers.push_back(std::move(line));
  const Json letters = {
      {"condition",
       {{{"test", "datum.letters == 1"}, {"value", "white"}}, {{"test", "datum.letters == 2"}, {"value", "black"}}}}};
  for (const bool seeds : {false, true}) {
    if (!written) break;
    layers.push_back({{"mark", {{"type", "text"}, {"fontSize", seeds ? 9 : 12}, {"dy", seeds ? 11 : -3}}},
                      {"encoding",
                       {{"x", x},
                        {"y", y},
                        {"text", {{"field", seeds ? "seeds" : "text"}, {"type", "nominal"}}},
                        {"color", letters},
                        {"tooltip", tooltip}}}});
  }
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
  const std::vector<PhaseMap> maps = phase_maps(source, *keys, panels_, quantity, scale_ == "log");
  size_t covered = 0, values = 0;
  for (const PhaseMap& map : maps) {
    covered += map.covered;
    for (const MapEntry& entry : map.entries) values += !std::isnan(entry.shade);
  }
  if (maps.empty()) return nothing_to_draw("none of its runs is in the store yet");
  if (std::ssize(source.cells) > kMostCells)
    return nothing_to_draw("it has more than " + count_text(kMostCells) + " cells; name fewer with `where`");
  if (values == 0) return nothing_to_draw("no run has " + quantity);

  Drawing drawing;
  const Ramp ramp = ramp_over(maps, share, scale_ == "log");
  const std::optional<double> level = level_ ? level_ : share ? std::optional(kHalf) : std::nullopt;
  const std::string title = number_title(result.study, quantity, share);
  drawing.layout.width = std::clamp<int64_t>(kCellWidth * std::ssize(keys->across.values), 130, 640);
  drawing.layout.height = std::clamp<int64_t>(kCellHeight * std::ssize(keys->down.values), 90, 480);
  drawing.layout.smallest = std::min<int64_t>(drawing.layout.width, 36 * std::ssize(keys->across.values));
  std::vector<Json> views;
  for (const PhaseMap& map : maps) views.push_back(view(map, *keys, ramp, title, level, drawing.marks));
  set_views(drawing, std::move(views), columns_);
  drawing.caption = std::string(share ? "Share of seeds with " : "Median over seeds of ") +
                    number_meaning(result.study, quantity) + ". The small number counts the seeds.";
  if (level)
    drawing.caption += " The line is where it crosses " + number_text(*level) + ", interpolated between cells.";
  if (std::any_of(maps.begin(), maps.end(), [](const PhaseMap& map) {
        return std::any_of(map.entries.begin(), map.entries.end(),
                           [](const MapEntry& one) { return one.estimate.beyond(); });
      }))
    drawing.caption += " After \">\" stands how far the runs got, where the median lies beyond their end.";
  const auto without =
      std::count_if(source.cells.begin(), source.cells.end(), [](const CellResult* cell) { return cell->seeds == 0; });
  if (without > 0) drawing.notice = count_text(without, "cell") + " without runs";
  if (covered > 0)
    drawing.notice += (drawing.notice.empty() ? "" : "; ") + count_text(static_cast<int64_t>(covered), "cell") +
                      " not shown: another has its place, and `panels` does not tell them apart";
  return drawing;
}

}  // namespace

std::unique_ptr<FigureKind> make_phase() { return std::make_unique<Phase>(); }

}  // namespace atto

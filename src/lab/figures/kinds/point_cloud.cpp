// Points: the rows of a matrix (the embeddings of the tokens) at one moment of training, as points of the plane.
#include <algorithm>
#include <cmath>
#include <set>

#include "data/task.h"
#include "lab/figures/figure.h"
#include "lab/figures/numbers/plane_panels.h"
#include "lab/figures/vega/inline_data.h"
#include "lab/figures/vega/labels.h"
#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"

namespace atto {

// What the colours of the points tell.
enum class PointColor { none, token, frequency };
template <>
struct EnumWords<PointColor> {
  static constexpr std::array words{"none", "token", "frequency"};
};

namespace {

constexpr size_t kMostPoints = 2000;

class PointsKind final : public FigureKind {
 public:
  std::string help() const override { return "embeddings in the plane at one moment of training"; }
  void describe(FigureSettings& settings) override {
    settings_.describe(settings);
    settings.integer("at", at_, -1, 1e12, "step shown, or the last one measured before it; -1: the end")
        .choice("color", color_, "number of the token, or how frequent it is in the data");
  }
  SeriesNeeds needs() const override { return settings_.needs(); }
  void check(const Study& study, const std::vector<Cell>& cells) const override {
    FigureKind::check(study, cells);
    check_panels(settings_.panels, cells);
  }
  Drawing draw(const FigureSource& source) const override;

 private:
  size_t moment(const PlanePanel& panel) const { return measurement_at(panel.series, at_ < 0 ? INT64_MAX : at_); }
  std::vector<double> values(const PlanePanel& panel) const;
  Json color_channel(const std::vector<PlanePanel>& panels) const;
  Json view(const PlanePanel& panel, const Json& color, const PanelLayout& layout, size_t& marks) const;

  PlaneSettings settings_;
  int64_t at_ = -1;
  PointColor color_ = PointColor::none;
};

// What the colour of each row tells; NaN for one that has no number of that kind, as [BOS].
std::vector<double> PointsKind::values(const PlanePanel& panel) const {
  const size_t rows = panel.rows.names.size();
  std::vector<double> numbers(rows, NAN);
  if (color_ == PointColor::token) {
    for (size_t row = 0; row < rows; ++row)
      if (panel.rows.names[row] != "BOS") numbers[row] = static_cast<double>(panel.rows.numbers[row]);
  } else if (color_ == PointColor::frequency && panel.rows.noun == "token") {
    const std::vector<double> frequencies = make_task(panel.run.cell->cell.config.data)->frequencies();
    for (size_t row = 0; row < std::min(rows, frequencies.size()); ++row)
      if (frequencies[row] > 0) numbers[row] = frequencies[row];
  }
  return numbers;
}

// Null where nothing differs in colour.
Json PointsKind::color_channel(const std::vector<PlanePanel>& panels) const {
  std::set<double> different;
  for (const PlanePanel& panel : panels)
    for (const double value : values(panel))
      if (std::isfinite(value)) different.insert(value);
  if (different.size() < 2) return nullptr;
  if (color_ == PointColor::token)
    return {{"field", "value"}, {"type", "quantitative"}, {"title", panels.front().rows.noun}};
  Json channel = quantitative("value", "probability", Scale::log);
  channel["legend"] = {{"format", "~g"}, {"tickCount", 4}};
  return channel;
}

Json PointsKind::view(const PlanePanel& panel, const Json& color, const PanelLayout& layout, size_t& marks) const {
  const size_t measurement = moment(panel);
  const Plane plane(panel.series, measurement, settings_.components, panel.rows);
  PlaneFrame frame;
  for (const size_t row : panel.drawn) frame.add(plane.at(measurement, row));
  frame.settle(plane.flat());

  std::vector<size_t> order;  // rows drawn, first who is granted a label first
  for (const size_t row : panel.rows.by_rank)
    if (std::binary_search(panel.drawn.begin(), panel.drawn.end(), row)) order.push_back(row);
  // Where labels do not touch in the smallest panel a page draws, they do not in a larger one.
  std::vector<LabelSpot> spots;
  for (const size_t row : order) {
    const PlanePoint at = frame.pixels(plane.at(measurement, row), layout.smallest, layout.smallest);
    spots.push_back({at.x, at.y, panel.rows.names[row].size(), settings_.labels ? LabelSide::right : LabelSide::none});
  }
  const std::vector<LabelSide> labels = place_labels(spots, true);

  const std::vector<double> numbers = values(panel);
  DataTable points(color.is_null() ? std::vector<std::string>{"name", "x", "y", "label"}
                                   : std::vector<std::string>{"name", "x", "y", "label", "value"});
  for (size_t i = 0; i < order.size(); ++i) {
    const PlanePoint at = frame.rounded(plane.at(measurement, order[i]));
    std::vector<DataTable::Entry> entries{panel.rows.names[order[i]], at.x, at.y, static_cast<int64_t>(labels[i])};
    if (!color.is_null()) entries.emplace_back(numbers[order[i]]);
    points.row(entries);
  }
  marks +=
      points.rows() + order.size() - static_cast<size_t>(std::count(labels.begin(), labels.end(), LabelSide::none));

  const Json x = frame.x_channel(plane.x_title()), y = frame.y_channel(plane.y_title());
  Json dots = {{"x", x}, {"y", y}, {"tooltip", {{{"field", "name"}, {"title", panel.rows.noun}}}}};
  if (!color.is_null()) {
    dots["color"] = color;
    dots["tooltip"].push_back({{"field", "value"}, {"type", "quantitative"}, {"title", color["title"]}});
  }
  Json bos = {{"x", x}, {"y", y}, {"tooltip", dots["tooltip"][0]}};
  Json layers = Json::array();
  const bool has_bos = panel.rows.names[panel.rows.by_rank.front()] == "BOS";
  Json ordinary = {{"mark", {{"type", "point"}}}, {"encoding", dots}};
  if (has_bos) ordinary["transform"] = {{{"filter", "datum.name != 'BOS'"}}};
  layers.push_back(ordinary);
  if (has_bos)
    layers.push_back({{"transform", {{{"filter", "datum.name == 'BOS'"}}}},
                      {"mark", {{"type", "point"}, {"shape", "diamond"}, {"size", 90}}},
                      {"encoding", bos}});
  for (const LabelSide side : {LabelSide::right, LabelSide::left})
    if (std::find(labels.begin(), labels.end(), side) != labels.end())
      layers.push_back(label_layer(side, "datum.label == " + std::to_string(static_cast<int>(side)), x, y));
  Json view = {{"data", points.data()}, {"layer", layers}};
  if (!panel.run.title.empty()) view["title"] = panel.run.title;
  return view;
}

Drawing PointsKind::draw(const FigureSource& source) const {
  PlanePanels loaded = load_planes(settings_, source, kMostPoints);
  const auto early =
      std::erase_if(loaded.panels, [&](const PlanePanel& panel) { return moment(panel) == panel.series.steps.size(); });
  if (early > 0)
    loaded.notice = joined_notices(loaded.notice, count_text(static_cast<int64_t>(early), "run") +
                                                      " without a measurement up to step " + count_text(at_));
  if (loaded.panels.empty()) return nothing_to_draw(loaded.notice.empty() ? kNoRuns : loaded.notice);
  Drawing drawing;
  drawing.layout = plane_layout(loaded.panels.size());
  const Json color = color_channel(loaded.panels);
  if (color.is_null() && color_ != PointColor::none)
    loaded.notice = joined_notices(
        loaded.notice, std::string("every point has the same ") + to_word(color_) + ", so colours show nothing");
  std::vector<Json> views;
  std::set<int64_t> steps;
  for (const PlanePanel& panel : loaded.panels) {
    views.push_back(view(panel, color, drawing.layout, drawing.marks));
    steps.insert(panel.series.steps[moment(panel)]);
  }
  set_views(drawing, std::move(views), settings_.columns);
  const std::string noun = loaded.panels.front().rows.noun;
  drawing.caption = "One point for each " + noun + " at step " + count_text(*steps.begin()) +
                    (steps.size() == 1 ? "" : " to " + count_text(*steps.rbegin())) + ". " + loaded.caption;
  if (settings_.labels)
    drawing.how = "Labels that would cover others or another point are left out, larger numbers first.";
  drawing.how += principal_text(loaded.panels, settings_.components);
  drawing.notice = loaded.notice;
  return drawing;
}

}  // namespace

std::unique_ptr<FigureKind> make_points_figure() { return std::make_unique<PointsKind>(); }

}  // namespace atto

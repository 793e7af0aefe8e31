// Trajectories: every row of a matrix (the embedding of a token) as a path through training in the plane, animated.
#include <algorithm>
#include <set>

#include "lab/figures/figure.h"
#include "lab/figures/geometry/thin.h"
#include "lab/figures/numbers/plane_panels.h"
#include "lab/figures/vega/inline_data.h"
#include "lab/figures/vega/labels.h"
#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

constexpr size_t kMostPathPoints = 6600;  // rows × frames of all panels
constexpr size_t kMostFrames = 60, kFewestFrames = 12;

class Trajectories final : public FigureKind {
 public:
  std::string help() const override { return "embeddings in the plane on their way through training, animated"; }
  void describe(FigureSettings& settings) override {
    settings_.describe(settings);
    settings.integer("until", until_, 0, 1e12, "last step drawn; 0: the longest run's");
  }
  SeriesNeeds needs() const override { return settings_.needs(); }
  void check(const Study& study, const std::vector<Cell>& cells) const override {
    FigureKind::check(study, cells);
    check_panels(settings_.panels, cells);
  }
  Drawing draw(const FigureSource& source) const override;

 private:
  int64_t last_step() const { return until_ == 0 ? INT64_MAX : until_; }
  std::vector<int64_t> frames(const std::vector<PlanePanel>& panels) const;
  Json view(const PlanePanel& panel, const std::vector<int64_t>& frames, const Json& color, const PanelLayout& layout,
            size_t& marks) const;

  PlaneSettings settings_;
  int64_t until_ = 0;
};

// Steps at which any of the runs was measured, thinned evenly.
std::vector<int64_t> Trajectories::frames(const std::vector<PlanePanel>& panels) const {
  std::set<int64_t> all;
  size_t rows = 0;
  for (const PlanePanel& panel : panels) {
    rows += panel.drawn.size();
    for (const int64_t step : panel.series.steps)
      if (step <= last_step()) all.insert(step);
  }
  const std::vector<int64_t> steps(all.begin(), all.end());
  std::vector<int64_t> chosen;
  for (const size_t i : evenly(steps.size(), std::clamp(kMostPathPoints / rows, kFewestFrames, kMostFrames)))
    chosen.push_back(steps[i]);
  return chosen;
}

// Where the rows of one run stand at each frame: [frame][row drawn], NaN before its first measurement, at frame
// `first`. A run that met its stop condition stays where it ended.
struct Paths {
  std::vector<std::vector<PlanePoint>> points;
  size_t first = 0;
  PlaneFrame frame;
};

Paths paths_of(const PlanePanel& panel, const Plane& plane, const std::vector<int64_t>& frames) {
  Paths paths;
  for (const int64_t step : frames) {
    const size_t measurement = measurement_at(panel.series, step);
    const bool there = measurement < panel.series.steps.size();
    if (!there) ++paths.first;
    std::vector<PlanePoint>& points = paths.points.emplace_back();
    for (const size_t row : panel.drawn) {
      points.push_back(there ? plane.at(measurement, row) : PlanePoint{NAN, NAN});
      paths.frame.add(points.back());
    }
  }
  paths.frame.settle(plane.flat());
  return paths;
}

// How one row is labelled: outwards from where it ends, from the frame on at which that covers nothing until the end.
// So labels never come and go: the animation adds them one by one. Places are those of the smallest panel a page draws;
// in larger ones labels only move apart.
struct RowLabel {
  LabelSide side = LabelSide::right;
  size_t since = 0;  // the number of frames when it is never free
};

std::vector<RowLabel> row_labels(const PlanePanel& panel, const Paths& paths, const PanelLayout& layout) {
  const auto spot_at = [&](size_t frame, size_t i) {
    const PlanePoint at = paths.frame.pixels(paths.points[frame][i], layout.smallest, layout.smallest);
    return LabelSpot{at.x, at.y, panel.rows.names[panel.drawn[i]].size(), LabelSide::right};
  };
  const size_t frames = paths.points.size();
  std::vector<RowLabel> labels(panel.drawn.size());
  std::vector<size_t> order;  // indices into `drawn`, first who is granted a label first
  std::vector<LabelSide> sides;
  for (const size_t row : panel.rows.by_rank) {
    const auto found = std::lower_bound(panel.drawn.begin(), panel.drawn.end(), row);
    if (found == panel.drawn.end() || *found != row) continue;
    const auto i = static_cast<size_t>(found - panel.drawn.begin());
    order.push_back(i);
    const bool left = spot_at(frames - 1, i).x < static_cast<double>(layout.smallest) / 2;
    labels[i].side = left ? LabelSide::left : LabelSide::right;
    sides.push_back(labels[i].side);
  }
  for (size_t frame = frames; frame-- > 0;) {
    std::vector<LabelSpot> spots;
    for (size_t k = 0; k < order.size(); ++k) {
      spots.push_back(spot_at(frame, order[k]));
      spots.back().side = sides[k];
    }
    const std::vector<LabelSide> kept = place_labels(spots, false);
    for (size_t k = 0; k < order.size(); ++k)
      if (kept[k] == LabelSide::none && sides[k] != LabelSide::none) labels[order[k]].since = frame + 1;
    sides = kept;
  }
  return labels;
}

Json Trajectories::view(const PlanePanel& panel, const std::vector<int64_t>& frames, const Json& color,
                        const PanelLayout& layout, size_t& marks) const {
  const Plane plane(panel.series, measurement_at(panel.series, last_step()), settings_.components, panel.rows);
  const Paths paths = paths_of(panel, plane, frames);
  // Row by row, frame by frame from the first measurement on: the place of a line in the table tells which, and saves a
  // third of the text.
  DataTable points({"x", "y"}), rows({"index", "row", "name", "side", "since"});
  const std::vector<RowLabel> labels = row_labels(panel, paths, layout);
  for (size_t i = 0; i < panel.drawn.size(); ++i) {
    for (size_t frame = paths.first; frame < frames.size(); ++frame) {
      const PlanePoint at = paths.frame.thousandths(paths.points[frame][i]);
      points.row({at.x, at.y});
    }
    rows.row({static_cast<int64_t>(i), panel.rows.numbers[panel.drawn[i]], panel.rows.names[panel.drawn[i]],
              static_cast<int64_t>(labels[i].side), static_cast<int64_t>(labels[i].since)});
  }
  marks += points.rows() + 2 * rows.rows();
  const std::string count = std::to_string(frames.size() - paths.first);
  const std::string from = paths.first == 0 ? "" : std::to_string(paths.first) + " + ";
  Json transform = {
      {{"window", {{{"op", "row_number"}, {"as", "line"}}}}},
      {{"calculate", from + "(datum.line - 1) % " + count}, {"as", "frame"}},
      {{"calculate", "floor((datum.line - 1) / " + count + ")"}, {"as", "index"}},
      {{"lookup", "index"},
       {"from", {{"data", rows.data()}, {"key", "index"}, {"fields", {"row", "name", "side", "since"}}}}}};

  transform.push_back({{"calculate", "datum.row"}, {"as", "shade"}});
  for (const Json& step : paths.frame.from_thousandths()) transform.push_back(step);
  const Json x = paths.frame.x_channel(plane.x_title()), y = paths.frame.y_channel(plane.y_title());
  Json stroke = color, layers = Json::array();
  // The legend of the points tells both; two of one field would be merged into a worse one.
  stroke["field"] = "shade";
  stroke["legend"] = nullptr;
  layers.push_back({{"transform", {{{"filter", "datum.frame <= frame"}}}},
                    {"mark", {{"type", "line"}, {"strokeWidth", 1.2}, {"opacity", 0.75}}},
                    {"encoding",
                     {{"x", x},
                      {"y", y},
                      {"detail", {{"field", "index"}, {"type", "nominal"}}},
                      {"order", {{"field", "frame"}, {"type", "quantitative"}}},
                      {"stroke", stroke}}}});
  layers.push_back({{"transform", {{{"filter", "datum.frame == frame"}}}},
                    {"mark", {{"type", "point"}}},
                    {"encoding",
                     {{"x", x},
                      {"y", y},
                      {"color", color},
                      {"tooltip",
                       {{{"field", "name"}, {"title", panel.rows.noun}},
                        {{"field", "x"}, {"type", "quantitative"}},
                        {{"field", "y"}, {"type", "quantitative"}}}}}}});
  for (const LabelSide side : {LabelSide::right, LabelSide::left})
    if (settings_.labels)
      layers.push_back(label_layer(
          side,
          "datum.frame == frame && datum.since <= frame && datum.side == " + std::to_string(static_cast<int>(side)), x,
          y));
  Json view = {{"data", points.data()}, {"transform", transform}, {"layer", layers}};
  if (!panel.run.title.empty()) view["title"] = panel.run.title;
  return view;
}

Drawing Trajectories::draw(const FigureSource& source) const {
  PlanePanels loaded = load_planes(settings_, source, kMostPathPoints / kFewestFrames);
  if (loaded.panels.empty()) return nothing_to_draw(loaded.notice.empty() ? kNoRuns : loaded.notice);
  std::erase_if(loaded.panels, [&](const PlanePanel& panel) {
    return measurement_at(panel.series, last_step()) == panel.series.steps.size();
  });
  if (loaded.panels.empty()) return nothing_to_draw("nothing was measured up to step " + count_text(until_));
  Drawing drawing;
  drawing.layout = plane_layout(loaded.panels.size());
  drawing.frames = frames(loaded.panels);
  const Json color = row_color(loaded.panels);
  std::vector<Json> views;
  for (const PlanePanel& panel : loaded.panels)
    views.push_back(view(panel, drawing.frames, color, drawing.layout, drawing.marks));
  set_views(drawing, std::move(views), settings_.columns);
  const auto last = std::ssize(drawing.frames) - 1;
  drawing.spec["params"] = {
      {{"name", "frame"},
       {"value", last},
       {"bind", {{"input", "range"}, {"min", 0}, {"max", last}, {"step", 1}, {"name", "frame "}}}}};
  const std::string noun = loaded.panels.front().rows.noun;
  drawing.caption =
      "Path of every " + noun + " up to step " + count_text(drawing.frames.back()) + ". " + loaded.caption;
  drawing.how = "Each line is the trajectory of one " + noun +
                " through training, the dot its place at the step of the slider. Labels that would cover others "
                "are left out." +
                principal_text(loaded.panels, settings_.components);
  drawing.notice = loaded.notice;
  return drawing;
}

}  // namespace

std::unique_ptr<FigureKind> make_trajectories_figure() { return std::make_unique<Trajectories>(); }

}  // namespace atto

// Verdicts over the settings that they hang on: for each claim and each cut of its detector, the estimate with its
// interval against the cut, the region of the claim shaded, the study's own cut marked.
#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "base/error.h"
#include "base/names.h"
#include "lab/figures/figure.h"
#include "lab/figures/vega/axes.h"
#include "lab/figures/vega/inline_data.h"
#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"
#include "lab/results/threshold_curve.h"

namespace atto {
namespace {

constexpr int64_t kThresholdWidth = 150, kThresholdHeight = 96;

struct Span {
  double low = INFINITY, high = -INFINITY;

  void take(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double clamped(double value) const { return std::clamp(value, low, high); }
};

// What the vertical axis shows: all of a share, and of other numbers what the intervals take up, with the region's ends
// where they are not far off.
Span height_of(const ThresholdCurve& curve, const Claim& claim) {
  if (claim.statistic == Statistic::rate && !(claim.against && claim.compare == Comparison::ratio))
    return claim.against ? Span{-1, 1} : Span{0, 1};
  Span span;
  for (const ThresholdPoint& point : curve.points)
    for (const std::optional<double>& one :
         {point.verdict.estimate, point.verdict.deciding_low(), point.verdict.deciding_high()})
      if (one) span.take(*one);
  if (!(span.low <= span.high)) return {0, 1};
  const double room = std::max(span.high - span.low, 0.05 * std::abs(span.high));
  const Span seen = span;
  for (const double end : {claim.low, claim.high})
    if (end >= seen.low - room && end <= seen.high + room) span.take(end);
  const double margin = 0.06 * std::max(span.high - span.low, 1e-9);
  return {span.low - margin, span.high + margin};
}

class Thresholds final : public FigureKind {
 public:
  std::string help() const override { return "verdicts over a range of the settings that they hang on"; }

  void describe(FigureSettings& settings) override {
    settings.texts("claims", claims_, "ids of claims (default: all that hang on a setting of their detector)")
        .integer("panels", most_, 1, 200, "most panels; those in which the verdict changes come first")
        .integer("columns", columns_, 1, 8, "panels side by side");
  }

  void check(const Study& study, const std::vector<Cell>&) const override {
    std::vector<std::string> ids;
    for (const Claim& claim : study.claims) ids.push_back(claim.id);
    for (const std::string& id : claims_) {
      const auto claim =
          std::find_if(study.claims.begin(), study.claims.end(), [&](const Claim& one) { return one.id == id; });
      const std::string near = nearest_name(id, ids);
      if (claim == study.claims.end())
        throw Error(ErrorKind::config,
                    "the study has no claim '" + id + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
                    "name claims of this study");
      if (!has_cuts(*claim, study))
        throw Error(ErrorKind::config, "claim '" + id + "' hangs on no setting of a detector",
                    "leave it out; `atto help detectors` names the cuts of each");
    }
  }

  // The table of claims leads to what they are about.
  bool shows(const Claim&, const Study&) const override { return false; }
  Drawing draw(const FigureSource& source) const override;

 private:
  Json view(const ThresholdCurve& curve, const Claim& claim, size_t& marks) const;

  std::vector<std::string> claims_;
  int64_t most_ = 24, columns_ = 4;
};

Json Thresholds::view(const ThresholdCurve& curve, const Claim& claim, size_t& marks) const {
  const Span span = height_of(curve, claim);
  DataTable points({"cut", "estimate", "low", "high", "verdict"}), region({"from", "to"}), own({"cut"});
  std::vector<double> cuts;
  for (const ThresholdPoint& point : curve.points) {
    const Verdict& verdict = point.verdict;
    cuts.push_back(point.cut);
    const auto shown = [&](const std::optional<double>& value) { return value ? span.clamped(*value) : std::nan(""); };
    points.row({point.cut, shown(verdict.estimate), shown(verdict.deciding_low()), shown(verdict.deciding_high()),
                to_word(verdict.kind)});
  }
  region.row({span.clamped(claim.low), span.clamped(claim.high)});
  own.row({curve.own});
  marks += 3 * points.rows() + 2;

  const Json x = size_axis("cut", axis_title(curve.phenomenon + "." + curve.setting),
                           curve.log ? Scale::log : Scale::linear, cuts);
  Json sparse = x;
  sparse["axis"].update({{"tickCount", 4}, {"labelOverlap", true}});
  Json y = quantitative("estimate", claim.statistic == Statistic::rate ? "share" : to_word(claim.statistic));
  y["scale"].update({{"domain", {span.low, span.high}}, {"nice", false}});
  y["axis"] = {{"tickCount", 3}};
  Json from = y, low = y;
  from["field"] = "from";
  low["field"] = "low";
  const Json verdict = {{"field", "verdict"},
                        {"type", "nominal"},
                        {"title", "verdict"},
                        {"scale", {{"domain", {"supported", "refuted", "inconclusive"}}}}};
  Json layers = Json::array();
  layers.push_back({{"data", region.data()},
                    {"mark", {{"type", "rect"}, {"style", "region"}}},
                    {"encoding", {{"y", from}, {"y2", {{"field", "to"}}}}}});
  layers.push_back(
      {{"data", own.data()}, {"mark", {{"type", "rule"}, {"style", "reference"}}}, {"encoding", {{"x", sparse}}}});
  layers.push_back({{"mark", {{"type", "line"}, {"strokeWidth", 1}}}, {"encoding", {{"x", sparse}, {"y", y}}}});
  layers.push_back({{"mark", {{"type", "rule"}, {"strokeWidth", 1.5}}},
                    {"encoding", {{"x", sparse}, {"y", low}, {"y2", {{"field", "high"}}}, {"color", verdict}}}});
  layers.push_back({{"mark", {{"type", "point"}, {"size", 30}}},
                    {"encoding", {{"x", sparse}, {"y", y}, {"color", verdict}, {"shape", verdict}}}});
  return {{"title", claim.id}, {"data", points.data()}, {"layer", layers}};
}

Drawing Thresholds::draw(const FigureSource& source) const {
  std::vector<ThresholdCurve> curves = threshold_curves(source.result, source.runs, {claims_});
  std::erase_if(curves, [](const ThresholdCurve& curve) {
    return std::none_of(curve.points.begin(), curve.points.end(),
                        [](const ThresholdPoint& one) { return one.verdict.estimate.has_value(); });
  });
  if (curves.empty()) return nothing_to_draw(kNoRuns);
  const auto steady = std::count_if(curves.begin(), curves.end(), [](const auto& one) { return one.steady(); });
  const auto all = std::ssize(curves);
  Drawing drawing;
  drawing.caption = "How far the verdicts hang on where detectors draw their lines: of " + count_text(all, "curve") +
                    " " + count_text(steady) + " " + (steady == 1 ? "has" : "have") + " the same verdict at every cut.";
  if (all > most_) {
    std::stable_partition(curves.begin(), curves.end(), [](const auto& one) { return !one.steady(); });
    curves.resize(static_cast<size_t>(most_));
    std::stable_sort(curves.begin(), curves.end(), [](const auto& a, const auto& b) { return a.claim < b.claim; });
    drawing.notice = count_text(all - most_) + " more are not drawn";
  }
  if (std::any_of(curves.begin(), curves.end(), [](const auto& one) { return !one.all_runs; }))
    drawing.notice =
        joined_notices(drawing.notice, "of each cell only the first " + count_text(ThresholdOptions().most_runs) +
                                           " runs are looked at");
  drawing.layout = {.width = kThresholdWidth, .height = kThresholdHeight, .smallest = 130};
  std::vector<Json> views;
  for (const ThresholdCurve& curve : curves)
    views.push_back(view(curve, source.result.study.claims[curve.claim], drawing.marks));
  set_views(drawing, std::move(views), columns_);
  drawing.how =
      "Each panel is a claim. Across: a setting of its detector; the dashed line is the study's own value. Up: the "
      "estimate with its 95 % interval; the shaded region is what is claimed. A verdict that holds only near the "
      "dashed line says more about the setting than about the networks.";
  return drawing;
}

}  // namespace

std::unique_ptr<FigureKind> make_thresholds_figure() { return std::make_unique<Thresholds>(); }

}  // namespace atto

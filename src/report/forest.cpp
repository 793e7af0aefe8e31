#include "report/forest.h"

#include <algorithm>
#include <cmath>

#include "lab/results/format_text.h"
#include "report/html.h"

namespace atto {
namespace {

constexpr double kWidth = 176, kHeight = 24, kMiddle = kHeight / 2;  // pixels
constexpr double kMargin = 7;  // pixels left and right of the axis, for a dot or an arrow at its end

bool is_ratio(const Claim& claim) { return claim.against && claim.compare == Comparison::ratio; }
bool is_share(const Claim& claim) { return claim.statistic == Statistic::rate && !claim.against; }

// Where numbers lie, in pixels. Ratios are laid out by their logarithm.
class Axis {
 public:
  Axis(const Claim& claim, const Verdict& verdict) : log_(is_ratio(claim)) {
    // Shares have one axis, so that rows can be compared. Others show the region's ends and the estimate, and of the
    // intervals as much as does not make these small.
    if (is_share(claim)) {
      low_ = 0, high_ = 1;
      return;
    }
    for (const double number : {claim.low, claim.high, *verdict.estimate}) include(number);
    const double span = high_ - low_;
    const double from = span > 0 ? low_ - span : -HUGE_VAL, to = span > 0 ? high_ + span : HUGE_VAL;
    for (const auto& end : {verdict.low, verdict.high, verdict.anytime_low, verdict.anytime_high})
      if (end && std::isfinite(scaled(*end))) include_scaled(std::clamp(scaled(*end), from, to));
    if (!(low_ <= high_)) low_ = high_ = 0;  // nothing is finite
    const double rest = high_ > low_ ? 0.06 * (high_ - low_) : std::max(std::abs(low_), 1.0) * 0.1;
    low_ -= rest, high_ += rest;
  }

  double at(double number) const {
    const double part = std::clamp((scaled(number) - low_) / (high_ - low_), 0.0, 1.0);
    return kMargin + part * (kWidth - 2 * kMargin);
  }
  bool holds(double number) const { return scaled(number) >= low_ && scaled(number) <= high_; }

 private:
  double scaled(double number) const { return !log_ ? number : number > 0 ? std::log(number) : -HUGE_VAL; }
  void include(double number) {
    if (std::isfinite(scaled(number))) include_scaled(scaled(number));
  }
  void include_scaled(double number) {
    low_ = std::min(low_, number);
    high_ = std::max(high_, number);
  }

  bool log_;
  double low_ = HUGE_VAL, high_ = -HUGE_VAL;
};

std::string pixels(double x) { return number_text(x, "%.1f"); }

std::string path(const std::string& kind, const std::string& d) {
  return "<path class=\"" + kind + "\" d=\"" + d + "\"/>";
}

std::string upright(const std::string& kind, double x, double half) {
  return path(kind, "M" + pixels(x) + " " + pixels(kMiddle - half) + "v" + pixels(2 * half));
}

// Ends of the region that belong to it are drawn through, others dashed; an end at infinity runs off the picture.
std::string region(const Claim& claim, const Axis& axis) {
  const double from = std::isfinite(claim.low) ? axis.at(claim.low) : 0;
  const double to = std::isfinite(claim.high) ? axis.at(claim.high) : kWidth;
  std::string out = "<rect class=\"region\" x=\"" + pixels(from) + "\" y=\"1\" width=\"" +
                    pixels(std::max(to - from, 1.0)) + "\" height=\"" + pixels(kHeight - 2) + "\"/>";
  if (std::isfinite(claim.low)) out += upright(claim.low_open ? "end open" : "end", from, kMiddle - 1);
  if (std::isfinite(claim.high)) out += upright(claim.high_open ? "end open" : "end", to, kMiddle - 1);
  return out;
}

// The line of an interval; `cap` is half the height of its ends.
std::string interval(const std::string& kind, double low, double high, double cap, const Axis& axis) {
  const double from = axis.holds(low) ? axis.at(low) : 1, to = axis.holds(high) ? axis.at(high) : kWidth - 1;
  std::string d = "M" + pixels(from) + " " + pixels(kMiddle) + "H" + pixels(to);
  const auto finish = [&](double x, bool inside, double inwards) {
    const std::string arrow = "M" + pixels(x + inwards) + " " + pixels(kMiddle - 4) + "L" + pixels(x) + " " +
                              pixels(kMiddle) + "l" + pixels(inwards) + " 4";
    d += inside ? "M" + pixels(x) + " " + pixels(kMiddle - cap) + "v" + pixels(2 * cap) : arrow;
  };
  finish(from, axis.holds(low), 5);
  finish(to, axis.holds(high), -5);
  return path(kind, d);
}

}  // namespace

std::string forest_svg(const Claim& claim, const Verdict& verdict) {
  if (!verdict.estimate || std::isnan(*verdict.estimate)) return "";
  const Axis axis(claim, verdict);
  std::string out = region(claim, axis) + path("axis", "M0 " + pixels(kMiddle) + "H" + pixels(kWidth));
  if (const double same = is_ratio(claim) ? 1 : 0; claim.against && axis.holds(same))
    out += upright("same", axis.at(same), kMiddle - 1);
  const std::optional<double> low = verdict.deciding_low(), high = verdict.deciding_high();
  const bool anytime_decides = verdict.rests_on != RestsOn::ordinary && verdict.anytime_low;
  const auto [other_low, other_high] =
      anytime_decides ? std::pair(verdict.low, verdict.high) : std::pair(verdict.anytime_low, verdict.anytime_high);
  if (other_low && other_high && !(other_low == low && other_high == high))
    out += interval("other", *other_low, *other_high, 5, axis);
  if (low && high) out += interval("interval", *low, *high, 4, axis);
  if (axis.holds(*verdict.estimate)) {
    const bool stands = verdict.adjusted.value_or(verdict.kind) == verdict.kind;
    out += "<circle class=\"" + std::string(stands ? "estimate" : "estimate hollow") + "\" cx=\"" +
           pixels(axis.at(*verdict.estimate)) + "\" cy=\"" + pixels(kMiddle) + "\" r=\"3.5\"/>";
  }
  const std::string size = number_text(kWidth) + "\" height=\"" + number_text(kHeight);
  return element("svg", out,
                 "class=\"forest\" aria-hidden=\"true\" width=\"" + size + "\" viewBox=\"0 0 " + number_text(kWidth) +
                     " " + number_text(kHeight) + "\"");
}

std::string forest_key_html() {
  Claim claim;
  claim.low = 0, claim.high = 1;
  Verdict verdict;
  verdict.kind = VerdictKind::inconclusive;
  verdict.estimate = 0.9, verdict.low = 0.75, verdict.high = 1.05;
  verdict.anytime_low = 0.6, verdict.anytime_high = 1.2;
  return element(
      "p",
      forest_svg(claim, verdict) +
          " Band: what the claim expects. Dot and line: the number found, with the 95 % interval that decides. Thin "
          "line: of the two intervals, one look and every look, the other. Arrow: the end lies farther out. Hollow "
          "dot: "
          "the decision does not stand when all claims of the source share the error. Shares run from 0 to 1, ratios "
          "on a logarithmic axis.",
      "class=\"forest-key\"");
}

}  // namespace atto

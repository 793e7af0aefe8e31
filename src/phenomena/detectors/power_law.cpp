// `power_law`: does a series follow y ∝ step^exponent, over which range, and with which exponent?
//
// Measurements are put into bins of a twentieth of a decade of the step, so that late steps, of which there are most,
// do not outweigh early ones. A bin has the mean of ln step and the logarithm of the mean of its values; step 0 has no
// logarithm. The exponent is the slope of the least-squares line through the bins.
//
// With `from` or `to` the line goes through all bins of that range. With neither, the longest range in ln step is
// looked for, the first of equals, in which
//   - R² is at least `r2`: most of what the curve does is a line;
//   - the slopes of its two halves differ from the slope of the whole by at most `bend` of it: R² alone forgives a
//   bend;
//   - there are at least eight bins over at least `decades`: over less than one decade many curves look like a line.
// Bins whose mean is not positive have no logarithm. No range reaches across one; a given range with one has no fit.
//
// The interval holds for errors that are neither independent nor equally large (Ibragimov and Müller 2010,
// doi:10.1198/jbes.2009.08046): the slopes of the four quarters of the range are taken for four measurements of the
// exponent, whose Student's t interval lies around the slope of the whole. Curvature widens it as noise does. It holds
// the truth in 95 to 99 % of simulated curves, from independent noise to noise that adds up along the curve; the usual
// interval of a regression then holds it in a third.
#include <array>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "math/statistics.h"
#include "phenomena/detectors/readings.h"

namespace atto {
namespace {

constexpr double kBinsPerDecade = 20;
constexpr size_t kQuarters = 4, kFewestBins = 2 * kQuarters;  // a quarter needs two bins for a slope

struct Bin {
  double time = 0, value = 0;  // ln step and ln y, NaN where y is not positive
  int64_t first_step = 0, last_step = 0;
};

std::vector<Bin> bins_of(const Series& series, int64_t from, int64_t to) {
  std::vector<Bin> bins;
  const Window window = window_between(series, std::max<int64_t>(from, 1), to);
  for (size_t i = window.first; i < window.first + window.size();) {
    const auto bin_of = [&](size_t at) {
      return std::floor(kBinsPerDecade * std::log10(static_cast<double>(series.steps[at])));
    };
    const double bin = bin_of(i);
    Bin one{0, 0, series.steps[i], 0};
    double count = 0;
    for (; i <= window.last && bin_of(i) == bin; ++i, ++count) {
      one.time += std::log(static_cast<double>(series.steps[i]));
      one.value += series.values[i];
      one.last_step = series.steps[i];
    }
    one.time /= count;
    one.value = one.value > 0 && std::isfinite(one.value) ? std::log(one.value / count) : std::nan("");
    bins.push_back(one);
  }
  return bins;
}

struct Line {
  double slope = 0, r2 = 0;  // R² is NaN where the values do not vary
};

// Least squares through any range of bins in constant time, from sums over all bins before each.
class Lines {
 public:
  explicit Lines(const std::vector<Bin>& bins) : sums_(bins.size() + 1) {
    // About the middle of the bins, so that the differences of sums stay exact enough.
    const double middle = bins.empty() ? 0 : bins[bins.size() / 2].time;
    double level = 0;
    for (const Bin& bin : bins)
      if (!std::isnan(bin.value)) level = bin.value;
    for (size_t i = 0; i < bins.size(); ++i) {
      const bool positive = !std::isnan(bins[i].value);
      const double t = bins[i].time - middle, y = positive ? bins[i].value - level : 0;
      const Sums& s = sums_[i];
      sums_[i + 1] = {s.t + t, s.y + y, s.tt + t * t, s.ty + t * y, s.yy + y * y, s.gaps + (positive ? 0 : 1)};
    }
  }

  size_t size() const { return sums_.size() - 1; }
  // Of bins first .. end-1: is each of them positive?
  bool positive(size_t first, size_t end) const { return sums_[first].gaps == sums_[end].gaps; }
  Line through(size_t first, size_t end) const {
    const Sums &a = sums_[first], &b = sums_[end];
    const auto n = static_cast<double>(end - first);
    const double t = b.t - a.t, y = b.y - a.y;
    const double tt = b.tt - a.tt - t * t / n, ty = b.ty - a.ty - t * y / n, yy = b.yy - a.yy - y * y / n;
    constexpr double kRounding = 1e-13;  // of what was summed
    return {ty / tt, yy > kRounding * (b.yy + 1) ? ty * ty / (tt * yy) : std::nan("")};
  }

 private:
  struct Sums {
    double t = 0, y = 0, tt = 0, ty = 0, yy = 0;
    int64_t gaps = 0;
  };
  std::vector<Sums> sums_;
};

struct Range {
  size_t first = 0, end = 0;  // bins; none where they are equal
};

class PowerLawDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("series", series_, "address of the series that may follow a power law of the step")
        .integer("from", from_, 0, 1e12, "first step of the range; with neither from nor to it is looked for")
        .integer("to", to_, 0, 1e12, "last step of the range; 0: the end of the run")
        .real("r2", least_r2_, 0, 1, "least R² of a range that is looked for")
        .real("bend", bend_, 0, 1e9, "most that the slopes of its quarters differ from its slope, as a share of it")
        .real("decades", decades_, 0, 12, "least length of a range that is looked for");
  }

  void check(const RunConfig& config) const override {
    if (to_ > 0 && to_ <= from_)
      throw Error(ErrorKind::config,
                  "to = " + std::to_string(to_) + " does not lie after from = " + std::to_string(from_),
                  "raise the detector's to");
    if (std::max(from_, to_) > config.training.steps)
      throw Error(ErrorKind::config,
                  "the range ends beyond the run's " + std::to_string(config.training.steps) + " steps",
                  "lower the detector's from and to, or raise training.steps");
  }

  SeriesNeeds needs() const override { return {SeriesNeed::scalar(series_)}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"present", "1 if the series follows a power law over a range", true},
            {"exponent", "its exponent; negative where the series falls"},
            {"low", "lower end of the exponent's 95 % interval"},
            {"high", "upper end of the exponent's 95 % interval"},
            {"r2", "R² of ln y over ln step in the range"},
            {"begin", "first step of the range"},
            {"end", "last step of the range"},
            {"decades", "length of the range, log10(end / begin)"}};
  }

  // A given range is not looked for, so nothing cuts it.
  std::vector<Cut> cuts(const std::string&) const override {
    if (from_ > 0 || to_ > 0 || bend_ == 0 || decades_ == 0) return {};
    return {cut_by_factor("bend", bend_, 0, 1e9), cut_by_factor("decades", decades_, 0, 12)};
  }

  Finding detect(const Recording& recording, const RunConfig& config) const override {
    const Series& series = require_scalar(recording, series_);
    if (recording.diverged_at) return all_missing(*this);
    check(config);
    const int64_t last = to_ > 0 ? to_ : recording.steps_done;
    const std::vector<Bin> bins = bins_of(series, from_, last);
    const Lines lines(bins);
    const Range range = from_ > 0 || to_ > 0 ? Range{0, bins.size()} : longest(lines, bins);
    if (range.end - range.first < kFewestBins || !lines.positive(range.first, range.end)) {
      Finding absent = all_missing(*this);
      absent.front().value = 0;
      return absent;
    }
    const Line line = lines.through(range.first, range.end);
    const double half = half_width(lines, range);
    const auto begin = static_cast<double>(bins[range.first].first_step);
    const auto end = static_cast<double>(bins[range.end - 1].last_step);
    return {{"present", 1},
            quantity("exponent", line.slope),
            quantity("low", line.slope - half),
            quantity("high", line.slope + half),
            quantity("r2", line.r2),
            {"begin", begin},
            {"end", end},
            {"decades", std::log10(end / begin)}};
  }

 private:
  // Empty where there is none.
  Range longest(const Lines& lines, const std::vector<Bin>& bins) const {
    Range best;
    double length = 0;
    for (size_t first = 0; first < bins.size(); ++first)
      for (size_t end = first + kFewestBins; end <= bins.size(); ++end) {
        const double span = bins[end - 1].time - bins[first].time;
        if (span <= length || span < decades_ * std::numbers::ln10 || !straight(lines, first, end)) continue;
        best = {first, end};
        length = span;
      }
    return best;
  }

  bool straight(const Lines& lines, size_t first, size_t end) const {
    if (!lines.positive(first, end)) return false;
    const Line whole = lines.through(first, end);
    if (!(whole.r2 >= least_r2_)) return false;
    for (const double slope : quarter_slopes(lines, {first, end}))
      if (!(std::abs(slope - whole.slope) <= bend_ * std::abs(whole.slope))) return false;
    return true;
  }

  static std::array<double, kQuarters> quarter_slopes(const Lines& lines, const Range& range) {
    std::array<double, kQuarters> slopes;
    const auto cut = [&](size_t quarter) { return range.first + quarter * (range.end - range.first) / kQuarters; };
    for (size_t quarter = 0; quarter < kQuarters; ++quarter)
      slopes[quarter] = lines.through(cut(quarter), cut(quarter + 1)).slope;
    return slopes;
  }

  static double half_width(const Lines& lines, const Range& range) {
    const Interval mean = mean_interval(quarter_slopes(lines, range));
    return mean.high - mean.estimate;
  }

  std::string series_ = "loss";
  int64_t from_ = 0, to_ = 0;
  double least_r2_ = 0.98, bend_ = 0.3, decades_ = 1;
};

}  // namespace

std::unique_ptr<Detector> make_power_law_detector() { return std::make_unique<PowerLawDetector>(); }

}  // namespace atto

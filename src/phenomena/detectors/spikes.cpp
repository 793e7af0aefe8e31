// `spikes`: does the loss shoot up and come back?
//
// y_i is a loss in nats, measured often (best at every step: a spike can be over in a few). Let m be the median of the
// last `window` measurements outside spikes (or of those in `window_steps` steps), and σ their noise, 1.48 times the
// median of |y - m|. An excursion begins where
//   y_i > T,   T = max(factor · m, m + rise, m + noise · σ),
// from step `from` on. It ends where y falls to half way between m and T or below, so that jitter about T does not cut
// it up; m stands still meanwhile. It is a spike when at its end the loss has come back at least half of the way,
// y <= m + (peak - m)/2. An excursion that lasts longer than `longest_steps` (or `longest` of the run) ends there too:
// still above half its height it is a change of level, no spike, and in either case m starts anew.
//   count   number of spikes
//   any     1 if there is one
//   late    how many begin in the last third of the steps from `from` on
//   height  largest peak - m, in nats
//   peak    loss at that peak, in nats: the perplexity there is exp(peak)
//   step    step of that peak
//   largest largest y - m at any measurement from `from` on, spike or not: how near a run came to one. It has no cut
// A past median lags behind, so it lies above a falling loss and a steep descent is never taken for a spike. Defaults:
// rise = 0.5 nats multiplies the perplexity by 1.65; the mean of a batch of 512 answers varies by some 0.05 nats. It is
// the floor that counts when the loss is near 0, where twice next to nothing is still nothing. factor = 2 counts when
// the loss is of the order of a nat or more and fluctuates in proportion. noise = 7 counts where a run fluctuates by
// more than 0.07 nats anyhow: with σ known no better than from 51 measurements, normal noise goes that far in one of
// 400 runs of 5,000 (simulated; at 5 it would in one of five). window = 51 measurements, a
// median with an error of a fifth of the noise; from = 500 leaves out the first descent; longest_steps = 1000: the
// published spike, with its shoulder, lasts 300 steps. Without a spike height, peak and step are missing; after
// divergence all are.
#include <algorithm>
#include <cmath>

#include "math/statistics.h"
#include "phenomena/detectors/readings.h"

namespace atto {
namespace {

class SpikesDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("series", series_, "address of a loss, in nats")
        .integer("from", from_, 0, 1e12, "first step at which a spike may begin")
        .integer("window", window_, 5, 1e6, "measurements whose median is the usual loss")
        .integer("window_steps", window_steps_, 0, 1e12, "the same in steps, however often it is measured; 0: `window`")
        .real("factor", factor_, 1, 1e9, "how many times the usual loss it must rise to")
        .real("rise", rise_, 1e-9, 1e9, "how far above the usual loss it must rise, in nats")
        .real("noise", noise_, 0, 1e9, "how many standard deviations of the usual loss it must rise")
        .integer("longest_steps", longest_steps_, 0, 1e12, "longest spike, in steps")
        .real("longest", longest_, 0, 1, "longest spike, as a share of the run");
  }

  SeriesNeeds needs() const override { return {SeriesNeed::scalar(series_)}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"count", "number of spikes"},
            {"any", "1 if there is one", true},
            {"late", "how many begin in the last third"},
            {"height", "rise of the highest above the usual loss, in nats"},
            {"peak", "loss at the top of the highest, in nats"},
            {"step", "step of that top"},
            {"largest", "largest rise above the usual loss at any time, in nats, spike or not"}};
  }

  bool counts(const std::string& quantity) const override { return quantity == "count" || quantity == "late"; }

  // 2: above the noise, bounded in steps.
  int64_t revision(const std::string& quantity) const override { return quantity == "largest" ? 1 : 2; }
  std::vector<Cut> cuts(const std::string& quantity) const override {
    if (quantity == "largest") return {};
    return {cut_by_factor("rise", rise_, 1e-9, 1e9), cut_by_factor("factor", factor_, 1, 1e9)};
  }

  Finding detect(const Recording& recording, const RunConfig&) const override {
    const Series& series = require_scalar(recording, series_);
    const std::vector<double>& y = series.values;
    const auto finite = [](double value) { return std::isfinite(value); };
    if (recording.diverged_at || y.empty() || series.steps.back() < from_ || !std::all_of(y.begin(), y.end(), finite))
      return all_missing(*this);
    const int64_t last_step = series.steps.back(), late_from = last_step - (last_step - from_) / 3;
    const double longest =
        std::min(longest_ * static_cast<double>(last_step - series.steps.front()), static_cast<double>(longest_steps_));
    const size_t window = window_of(series);

    std::vector<double> recent;
    int64_t count = 0, late = 0;
    double height = 0, largest = 0;
    size_t top = 0;
    for (size_t i = 0; i < y.size();) {
      const auto remember = [&] {
        recent.push_back(y[i++]);
        if (recent.size() > window) recent.erase(recent.begin());
      };
      if (series.steps[i] < from_ || recent.size() < kFewest) {
        remember();
        continue;
      }
      if (usual_is_at_least(y[i] - std::min(rise_, largest), recent)) {  // no spike, and not the largest rise
        remember();
        continue;
      }
      const auto [usual, noise] = usual_loss(recent);
      const double limit = std::max({factor_ * usual, usual + rise_, usual + noise_ * noise});
      largest = std::max(largest, y[i] - usual);
      if (y[i] <= limit) {
        remember();
        continue;
      }
      const size_t begin = i;
      size_t peak = i;
      const auto lasted = [&](size_t at) { return static_cast<double>(series.steps[at] - series.steps[begin]); };
      while (i + 1 < y.size() && y[i] > (usual + limit) / 2 && lasted(i) <= longest)
        if (y[++i] > y[peak]) peak = i;
      largest = std::max(largest, y[peak] - usual);
      if (y[i] <= usual + (y[peak] - usual) / 2) {
        ++count;
        if (series.steps[begin] >= late_from) ++late;
        if (y[peak] - usual > height) {
          height = y[peak] - usual;
          top = peak;
        }
      }
      if (y[i] > (usual + limit) / 2) recent.clear();
      remember();
    }
    Finding finding = all_missing(*this);
    finding[0].value = static_cast<double>(count);
    finding[1].value = count > 0 ? 1 : 0;
    finding[2].value = static_cast<double>(late);
    finding[6].value = largest;
    if (count == 0) return finding;
    finding[3].value = height;
    finding[4].value = y[top];
    finding[5].value = static_cast<double>(series.steps[top]);
    return finding;
  }

 private:
  static constexpr size_t kFewest = 5;  // measurements that make a usual loss

  // How many measurements make up the window.
  size_t window_of(const Series& series) const {
    if (window_steps_ == 0) return static_cast<size_t>(window_);
    std::vector<double> apart;
    for (size_t i = 1; i < series.steps.size(); ++i)
      apart.push_back(static_cast<double>(series.steps[i] - series.steps[i - 1]));
    const double usual = apart.empty() ? 1 : quantile(apart, 0.5);
    return std::max(kFewest, 1 + static_cast<size_t>(static_cast<double>(window_steps_) / usual));
  }

  struct Usual {
    double loss = 0, noise = 0;
  };
  Usual usual_loss(std::vector<double> values) const {
    const double middle = middle_of(values);
    if (noise_ == 0) return {middle, 0};
    for (double& value : values) value = std::abs(value - middle);
    constexpr double kOfNormal = 1.4826;  // the standard deviation over the median deviation of normal numbers
    return {middle, kOfNormal * middle_of(values)};
  }
  // Is their median at least that? Counting takes a tenth of the time of a median, and says no at few measurements.
  static bool usual_is_at_least(double level, const std::vector<double>& recent) {
    size_t count = 0;
    for (const double value : recent) count += value >= level ? 1 : 0;
    return count >= recent.size() / 2 + 1;
  }
  // The median; reorders them.
  static double middle_of(std::vector<double>& values) {
    const auto half = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), half, values.end());
    if (values.size() % 2 == 1) return *half;
    return (*half + *std::max_element(values.begin(), half)) / 2;
  }

  std::string series_ = "loss";
  int64_t from_ = 500, window_ = 51, window_steps_ = 0, longest_steps_ = 1000;
  double factor_ = 2, rise_ = 0.5, noise_ = 7, longest_ = 1;
};

}  // namespace

std::unique_ptr<Detector> make_spikes_detector() { return std::make_unique<SpikesDetector>(); }

}  // namespace atto

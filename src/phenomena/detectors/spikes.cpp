// `spikes`: does the loss shoot up and come back?
//
// y_i is a loss in nats, measured often (best at every step: a spike can be over in a few). Let m be the median of the
// last `window` measurements outside spikes. An excursion begins where
//   y_i > T,   T = max(factor · m, m + rise),
// from step `from` on. It ends where y falls to half way between m and T or below, so that jitter about T does not cut
// it up; m stands still meanwhile. It is a spike when at its end the loss has come back at least half of the way,
// y <= m + (peak - m)/2. An excursion that lasts longer than `longest` of the run ends there too: still above half its
// height it is a change of level, no spike, and in either case m starts anew.
//   count   number of spikes
//   any     1 if there is one
//   late    how many begin in the last third of the steps from `from` on
//   height  largest peak - m, in nats
//   peak    loss at that peak, in nats: the perplexity there is exp(peak)
//   step    step of that peak
// A past median lags behind, so it lies above a falling loss and a steep descent is never taken for a spike. Defaults:
// rise = 0.5 nats multiplies the perplexity by 1.65; the mean of a batch of 512 answers varies by some 0.05 nats. It is
// the floor that counts when the loss is near 0, where twice next to nothing is still nothing. factor = 2 counts when
// the loss is of the order of a nat or more and fluctuates in proportion. window = 51 measurements, a median with an
// error of a fifth of the noise; from = 500 leaves out the first descent; longest = 0.1: the published spike, with its
// shoulder, lasts 0.03 of the run. Without a spike height, peak and step are missing; after divergence all are.
#include <algorithm>
#include <cmath>
#include <deque>

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
        .real("factor", factor_, 1, 1e9, "how many times the usual loss it must rise to")
        .real("rise", rise_, 1e-9, 1e9, "how far above the usual loss it must rise, in nats")
        .real("longest", longest_, 0, 1, "longest spike, as a share of the run");
  }

  SeriesNeeds needs() const override { return {SeriesNeed::scalar(series_)}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"count", "number of spikes"},
            {"any", "1 if there is one", true},
            {"late", "how many begin in the last third"},
            {"height", "rise of the highest above the usual loss, in nats"},
            {"peak", "loss at the top of the highest, in nats"},
            {"step", "step of that top"}};
  }

  Finding detect(const Recording& recording, const RunConfig&) const override {
    const Series& series = require_scalar(recording, series_);
    const std::vector<double>& y = series.values;
    const auto finite = [](double value) { return std::isfinite(value); };
    if (recording.diverged_at || y.empty() || series.steps.back() < from_ || !std::all_of(y.begin(), y.end(), finite))
      return all_missing(*this);
    const int64_t last_step = series.steps.back(), late_from = last_step - (last_step - from_) / 3;
    const double longest = longest_ * static_cast<double>(last_step - series.steps.front());

    std::deque<double> recent;
    int64_t count = 0, late = 0;
    double height = 0;
    size_t top = 0;
    for (size_t i = 0; i < y.size();) {
      const auto remember = [&] {
        recent.push_back(y[i++]);
        if (std::ssize(recent) > window_) recent.pop_front();
      };
      if (series.steps[i] < from_ || recent.size() < kFewest) {
        remember();
        continue;
      }
      const std::vector<double> past(recent.begin(), recent.end());
      const double usual = quantile(past, 0.5), limit = std::max(factor_ * usual, usual + rise_);
      if (y[i] <= limit) {
        remember();
        continue;
      }
      const size_t begin = i;
      size_t peak = i;
      const auto lasted = [&](size_t at) { return static_cast<double>(series.steps[at] - series.steps[begin]); };
      while (i + 1 < y.size() && y[i] > (usual + limit) / 2 && lasted(i) <= longest)
        if (y[++i] > y[peak]) peak = i;
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
    if (count == 0) return finding;
    finding[3].value = height;
    finding[4].value = y[top];
    finding[5].value = static_cast<double>(series.steps[top]);
    return finding;
  }

 private:
  static constexpr size_t kFewest = 5;  // measurements that make a usual loss

  std::string series_ = "loss";
  int64_t from_ = 500, window_ = 51;
  double factor_ = 2, rise_ = 0.5, longest_ = 0.1;
};

}  // namespace

std::unique_ptr<Detector> make_spikes_detector() { return std::make_unique<SpikesDetector>(); }

}  // namespace atto

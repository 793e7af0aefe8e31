// `comovement`: does a series fall while the loss falls, and rise while the loss rests?
//
// The run is cut into windows of `window` steps. Within each, Δ is the change of the series and Λ the change of the log
// perplexity. A window is falling where Λ <= -fall, and resting where |Λ| < fall and it lies between two falling ones:
// what comes after the last fall is the end of learning and no rest. Then
//   correlation     Spearman's rho of Δ and Λ over the windows up to the last falling one, Λ taken as 0 in resting
//                   ones, whose order is noise: above 0 where both fall together
//   while_falling   median of Δ over falling windows
//   while_resting   median of Δ over resting windows
//   contrast        while_resting - while_falling: above 0 in the picture "falls with the loss, rises on the plateau"
// The change over a window of noisy batches has an error of about the noise of one measurement; `fall` is 0.05 nats by
// default, three times that of 512 answers at half of the vocabulary. A correlation needs at least 4 windows.
#include <algorithm>
#include <cmath>

#include "math/correlation.h"
#include "phenomena/detectors/readings.h"

namespace atto {
namespace {

constexpr size_t kFewestWindows = 4;

// The last value of a series at or before each of the steps; NaN before its first.
std::vector<double> values_at(const Series& series, const std::vector<int64_t>& steps) {
  std::vector<double> values;
  size_t next = 0;
  double last = std::nan("");
  for (const int64_t step : steps) {
    while (next < series.steps.size() && series.steps[next] <= step) last = series.values[next++];
    values.push_back(last);
  }
  return values;
}

double median_or_nan(const std::vector<double>& values) {
  return values.empty() ? std::nan("") : quantile(values, 0.5);
}

class ComovementDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("series", series_, "address of the series followed")
        .text("perplexity_series", perplexity_, "perplexity series it may go with")
        .integer("window", window_, 1, 1'000'000'000'000, "steps over which changes are taken")
        .real("fall", fall_, 1e-9, 100, "fall of the log perplexity over a window that counts as one, in nats");
  }

  SeriesNeeds needs() const override { return {SeriesNeed::scalar(series_), SeriesNeed::scalar(perplexity_)}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"correlation", "rank correlation over time of the changes of both; above 0: they fall together"},
            {"while_falling", "median change of the series over windows in which the perplexity falls"},
            {"while_resting", "the same over windows between two falls in which it does not"},
            {"contrast", "while_resting - while_falling"}};
  }

  Finding detect(const Recording& recording, const RunConfig&) const override {
    const Series &series = require_scalar(recording, series_), &perplexity = require_scalar(recording, perplexity_);
    if (recording.diverged_at || series.steps.empty() || perplexity.steps.empty()) return all_missing(*this);
    std::vector<int64_t> edges;
    const int64_t end = std::min(series.steps.back(), perplexity.steps.back());
    for (int64_t step = std::max(series.steps.front(), perplexity.steps.front()); step <= end; step += window_)
      edges.push_back(step);
    const std::vector<double> followed = values_at(series, edges), levels = values_at(perplexity, edges);
    std::vector<double> changes, falls;
    for (size_t i = 1; i < edges.size(); ++i) {
      changes.push_back(followed[i] - followed[i - 1]);
      falls.push_back(std::log(levels[i]) - std::log(levels[i - 1]));
      if (!std::isfinite(changes.back()) || !std::isfinite(falls.back())) return all_missing(*this);
    }

    const auto falling = [&](double change) { return change <= -fall_; };
    const auto first = std::find_if(falls.begin(), falls.end(), falling);
    const auto last = std::find_if(falls.rbegin(), falls.rend(), falling).base();
    std::vector<double> in_falls, in_rests;
    for (auto one = first; one < last; ++one) {
      const double change = changes[static_cast<size_t>(one - falls.begin())];
      if (falling(*one)) in_falls.push_back(change);
      if (std::abs(*one) < fall_) in_rests.push_back(change);
    }
    falls.erase(last, falls.end());
    changes.resize(falls.size());
    for (double& change : falls)
      if (std::abs(change) < fall_) change = 0;
    const double while_falling = median_or_nan(in_falls), while_resting = median_or_nan(in_rests);
    const bool enough = changes.size() >= kFewestWindows;
    return {quantity("correlation", enough ? spearman(changes, falls) : std::nan("")),
            quantity("while_falling", while_falling), quantity("while_resting", while_resting),
            quantity("contrast", while_resting - while_falling)};
  }

 private:
  std::string series_ = "embedding.effective_dimension", perplexity_ = "perplexity";
  int64_t window_ = 100;
  double fall_ = 0.05;
};

}  // namespace

std::unique_ptr<Detector> make_comovement_detector() { return std::make_unique<ComovementDetector>(); }

}  // namespace atto

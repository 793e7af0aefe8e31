// `overfitting`: does what is learnt from repeated data serve where nothing repeats?
//
// Two losses, on training data and on test data that repeat nothing. Overfitting shows as a gap between them, and, when
// it goes on, as a test loss that rises again after its best.
//
// What counts is measured against the loss of a blind answer, log V nats or, in regression, that of answering 0: the
// first loss of a network is a random number. The lowest and the largest of many measurements are extreme by noise
// alone, so `smooth` takes the running medians over so many steps of both losses, and of the gap, before anything is
// compared.
#include <algorithm>
#include <cmath>

#include "data/regression.h"
#include "phenomena/detectors/readings.h"

namespace atto {
namespace {

class OverfittingDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("train", train_, "address of the loss on training data")
        .text("test", test_, "address of the loss on test data")
        .real("tolerance", tolerance_, 0, 1e9, "a rise or gap above this share of a blind answer's loss counts")
        .real("smooth", smooth_, 0, 1e12, "steps of the running medians that are taken first; 0: none");
  }

  SeriesNeeds needs() const override { return {SeriesNeed::scalar(train_), SeriesNeed::scalar(test_)}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"best", "lowest test loss"},
            {"best_step", "step of the lowest test loss, the first of equals"},
            {"final", "last test loss"},
            {"rise", "last less lowest test loss"},
            {"gap", "last test loss less last training loss"},
            {"largest_gap", "the largest such gap at a step where both were measured"},
            {"rises", "1 if the test loss rises by more than the tolerance, else 0", true},
            {"gapes", "1 if the gap at the end is more than the tolerance, else 0", true}};
  }

  // 2: against a blind answer.
  int64_t revision(const std::string& quantity) const override {
    return quantity == "rises" || quantity == "gapes" ? 2 : 1;
  }
  std::vector<Cut> cuts(const std::string& quantity) const override {
    const bool flag = quantity == "rises" || quantity == "gapes";
    return flag && tolerance_ > 0 ? std::vector{cut_by_factor("tolerance", tolerance_)} : std::vector<Cut>{};
  }

  Finding detect(const Recording& recording, const RunConfig& config) const override {
    const Series &raw_train = require_scalar(recording, train_), &raw_test = require_scalar(recording, test_);
    if (recording.diverged_at || raw_train.steps.empty() || raw_test.steps.empty()) return all_missing(*this);
    const Series train = calm(raw_train), test = calm(raw_test);
    const auto lowest = std::min_element(test.values.begin(), test.values.end());
    const double last = test.values.back(), rise = last - *lowest, gap = last - train.values.back();
    const double blind =
        is_regression(config.data) ? kRegressionStartLoss : std::log(static_cast<double>(config.data.vocab));
    const double allowed = tolerance_ * blind;
    return {quantity("best", *lowest),
            {"best_step", static_cast<double>(test.steps[static_cast<size_t>(lowest - test.values.begin())])},
            quantity("final", last),
            quantity("rise", rise),
            quantity("gap", gap),
            quantity("largest_gap", largest_gap(raw_train, raw_test)),
            {"rises", rise > allowed ? 1.0 : 0.0},
            {"gapes", gap > allowed ? 1.0 : 0.0}};
  }

 private:
  Series calm(const Series& series) const {
    return {series.address, {}, series.steps, median_over_steps(series, smooth_)};
  }

  double largest_gap(const Series& train, const Series& test) const {
    Series gaps{"gap", {}, {}, {}};
    for (size_t i = 0, j = 0; i < test.steps.size(); ++i) {
      while (j + 1 < train.steps.size() && train.steps[j] < test.steps[i]) ++j;
      if (train.steps[j] != test.steps[i]) continue;
      gaps.steps.push_back(test.steps[i]);
      gaps.values.push_back(test.values[i] - train.values[j]);
    }
    double largest = std::nan("");
    for (const double gap : median_over_steps(gaps, smooth_)) largest = std::fmax(largest, gap);
    return largest;
  }

  std::string train_ = "loss", test_ = "loss.test";
  double tolerance_ = 0.1, smooth_ = 0;
};

}  // namespace

std::unique_ptr<Detector> make_overfitting_detector() { return std::make_unique<OverfittingDetector>(); }

}  // namespace atto

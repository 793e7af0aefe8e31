// `overfitting`: does what is learnt from repeated data serve where nothing repeats?
//
// Two losses, on training data and on test data that repeat nothing. Overfitting shows as a gap between them, and, when
// it goes on, as a test loss that rises again after its best.
#include <algorithm>
#include <cmath>

#include "phenomena/detectors/readings.h"

namespace atto {
namespace {

class OverfittingDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("train", train_, "address of the loss on training data")
        .text("test", test_, "address of the loss on test data")
        .real("tolerance", tolerance_, 0, 1e9, "a rise or gap above this share of the first test loss counts");
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

  Finding detect(const Recording& recording, const RunConfig&) const override {
    const Series& train = require_scalar(recording, train_);
    const Series& test = require_scalar(recording, test_);
    if (recording.diverged_at || train.steps.empty() || test.steps.empty()) return all_missing(*this);
    const auto lowest = std::min_element(test.values.begin(), test.values.end());
    const double last = test.values.back(), rise = last - *lowest, gap = last - train.values.back();
    const double allowed = tolerance_ * std::abs(test.values.front());
    return {quantity("best", *lowest),
            {"best_step", static_cast<double>(test.steps[static_cast<size_t>(lowest - test.values.begin())])},
            quantity("final", last),
            quantity("rise", rise),
            quantity("gap", gap),
            quantity("largest_gap", largest_gap(train, test)),
            {"rises", rise > allowed ? 1.0 : 0.0},
            {"gapes", gap > allowed ? 1.0 : 0.0}};
  }

 private:
  static double largest_gap(const Series& train, const Series& test) {
    double largest = std::nan("");
    for (size_t i = 0, j = 0; i < test.steps.size(); ++i) {
      while (j + 1 < train.steps.size() && train.steps[j] < test.steps[i]) ++j;
      if (train.steps[j] == test.steps[i]) largest = std::fmax(largest, test.values[i] - train.values[j]);
    }
    return largest;
  }

  std::string train_ = "loss", test_ = "loss.test";
  double tolerance_ = 0.1;
};

}  // namespace

std::unique_ptr<Detector> make_overfitting_detector() { return std::make_unique<OverfittingDetector>(); }

}  // namespace atto

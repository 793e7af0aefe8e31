// `overshoot`: did a curve rise far above where it ended? Its height is its maximum over its last value, and it is
// there where that is at least `threshold`, by default 2: twice what remains is more than the noise of a batch.
#include <algorithm>

#include "phenomena/detectors/readings.h"

namespace atto {
namespace {

class Overshoot final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("series", series_, "address of the curve")
        .real("threshold", threshold_, 1, 1e9, "how far above its end a curve must rise");
  }

  SeriesNeeds needs() const override { return {SeriesNeed::scalar(series_)}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"present", "1 if the curve rose to threshold times its last value", true},
            {"height", "its maximum over its last value"}};
  }

  Finding detect(const Recording& recording, const RunConfig&) const override {
    const Series& series = require_scalar(recording, series_);
    // After divergence there is no end to compare with, and a ratio to 0 or less means nothing.
    if (recording.diverged_at || series.values.empty() || series.values.back() <= 0) return all_missing(*this);
    const double height = *std::max_element(series.values.begin(), series.values.end()) / series.values.back();
    return {{"present", height >= threshold_ ? 1.0 : 0.0}, {"height", height}};
  }

 private:
  std::string series_ = "gradient.norm";
  double threshold_ = 2;
};

}  // namespace

std::unique_ptr<Detector> make_overshoot_detector() { return std::make_unique<Overshoot>(); }

}  // namespace atto

// `peak`: where is a series highest, and by how much does it come down again?
//
// A curve that only rises has its peak at its end, with no fall after it.
#include <algorithm>
#include <cmath>

#include "phenomena/detectors/readings.h"

namespace atto {
namespace {

class PeakDetector final : public Detector {
 public:
  void describe(Fields& fields) override { fields.text("series", series_, "address of the series watched"); }

  SeriesNeeds needs() const override { return {SeriesNeed::scalar(series_)}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"step", "step of the highest measurement, the first of equals"},
            {"value", "the highest measurement"},
            {"final", "the last measurement"},
            {"over_final", "the highest over the last measurement"}};
  }

  Finding detect(const Recording& recording, const RunConfig&) const override {
    const Series& series = require_scalar(recording, series_);
    if (recording.diverged_at || series.values.empty()) return all_missing(*this);
    size_t top = 0;
    for (size_t i = 1; i < series.values.size(); ++i)
      if (series.values[i] > series.values[top] || std::isnan(series.values[top])) top = i;
    const double highest = series.values[top], last = series.values.back();
    return {quantity("step", std::isnan(highest) ? highest : static_cast<double>(series.steps[top])),
            quantity("value", highest), quantity("final", last), quantity("over_final", highest / last)};
  }

 private:
  std::string series_ = "loss";
};

}  // namespace

std::unique_ptr<Detector> make_peak_detector() { return std::make_unique<PeakDetector>(); }

}  // namespace atto

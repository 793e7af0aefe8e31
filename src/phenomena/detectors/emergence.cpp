// `emergence`: when does a series cross a threshold for good?
//
// The first measured step at which the series is beyond the threshold (at or below it, or at or above it) and stays
// there for `hold` measurements on end, so that one lucky batch does not count. A run that ended by its stop condition
// needs to stay only to its end. Otherwise a run that never does, or not long enough before it ends, is right-censored
// at its last measurement: the truth is later. With `relative` the threshold is a fraction of the first value.
#include "phenomena/detectors/crossing.h"
#include "phenomena/detectors/readings.h"

namespace atto {
namespace {

class EmergenceDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("series", series_, "address of the series watched")
        .real("threshold", threshold_, -1e300, 1e300, "level to cross")
        .choice("direction", direction_, "which side of the threshold counts as emerged")
        .integer("hold", hold_, 1, 1e9, "measurements in a row that it must stay there")
        .flag("relative", relative_, "the threshold is a fraction of the first value")
        .flag("interpolate", interpolate_, "place the crossing between measurements, on the line that joins them");
  }

  SeriesNeeds needs() const override { return {SeriesNeed::scalar(series_)}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"step", "first step beyond the threshold for good; censored when it does not come within the run"},
            {"emerged", "1 if it came within the run, else 0", true}};
  }

  Finding detect(const Recording& recording, const RunConfig&) const override {
    const Series& series = require_scalar(recording, series_);
    if (series.steps.empty()) return all_missing(*this);
    if (const auto step = crossing(series).find(series, recording.stopped_early))
      return {{"step", *step}, {"emerged", 1}};
    if (recording.diverged_at) return all_missing(*this);
    return {{"step", static_cast<double>(series.steps.back()), true}, {"emerged", 0, true}};
  }

 private:
  Crossing crossing(const Series& series) const {
    return {relative_ ? threshold_ * series.values.front() : threshold_, direction_, hold_, interpolate_};
  }

  std::string series_ = "perplexity";
  Side direction_ = Side::below;
  double threshold_ = 1.5;
  int64_t hold_ = 3;
  bool relative_ = false, interpolate_ = false;
};

}  // namespace

std::unique_ptr<Detector> make_emergence_detector() { return std::make_unique<EmergenceDetector>(); }

}  // namespace atto

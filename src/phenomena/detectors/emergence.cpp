// `emergence`: when does a series cross a threshold for good?
//
// The first measured step at which the series is beyond the threshold (at or below it, or at or above it) and stays
// there for `hold` measurements on end, or for `hold_steps` steps where that is set, so that one lucky batch does not
// count. Steps mean the same however often the series is measured; `smooth` takes the running median over so many steps
// first, which does away with lucky batches before they are compared with anything.
//
// A run that ended by its stop condition needs to stay only to its end, unless `stop_suffices` is false: a run that
// stops at the threshold itself has a single measurement beyond it. Otherwise the step of a run that never does, or not
// long enough before it ends, is right-censored at its last measurement: the truth is later. Whether it came within the
// run is known all the same: `emerged` is a plain 0 then. With `relative` the threshold is a fraction of the first
// value.
#include <algorithm>

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
        .integer("hold_steps", hold_steps_, 0, 1e12, "steps that it must stay there instead; 0: `hold` measurements")
        .real("smooth", smooth_, 0, 1e12, "steps of the running median that is taken first; 0: none")
        .flag("stop_suffices", stop_suffices_, "a run that its stop condition ended needs to stay only to its end")
        .flag("relative", relative_, "the threshold is a fraction of the first value")
        .flag("interpolate", interpolate_, "place the crossing between measurements, on the line that joins them");
  }

  SeriesNeeds needs() const override { return {SeriesNeed::scalar(series_)}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"step", "first step beyond the threshold for good; censored when it does not come within the run"},
            {"emerged", "1 if it came within the run, else 0", true}};
  }

  // 2: what did not come is no longer censored.
  int64_t revision(const std::string& quantity) const override { return quantity == "emerged" ? 2 : 1; }
  // Twice and half the level; but no share, and no fraction of the first value, beyond half way from it to 1. Of a
  // perplexity, twice and half of what is left to 1.
  std::vector<Cut> cuts(const std::string&) const override {
    if ((direction_ == Side::above || relative_) && threshold_ > 0 && threshold_ < 1)
      return {cut_between("threshold", threshold_, threshold_ / 2, std::min(2 * threshold_, (1 + threshold_) / 2))};
    if (series_.starts_with("perplexity") && !relative_ && threshold_ > 1 && threshold_ < 3)
      return {cut_between("threshold", threshold_, (1 + threshold_) / 2, 2 * threshold_ - 1)};
    if (threshold_ == 0) return {};
    return {cut_by_factor("threshold", threshold_)};
  }

  Finding detect(const Recording& recording, const RunConfig&) const override {
    const Series& measured = require_scalar(recording, series_);
    if (measured.steps.empty()) return all_missing(*this);
    Series smoothed;
    if (smooth_ > 0) smoothed = {series_, {}, measured.steps, median_over_steps(measured, smooth_)};
    const Series& series = smooth_ > 0 ? smoothed : measured;
    if (const auto step = crossing(series).find(series, recording.stopped_early && stop_suffices_))
      return {{"step", *step}, {"emerged", 1}};
    if (recording.diverged_at) return all_missing(*this);
    return {{"step", static_cast<double>(series.steps.back()), true}, {"emerged", 0}};
  }

 private:
  Crossing crossing(const Series& series) const {
    return {relative_ ? threshold_ * series.values.front() : threshold_, direction_, hold_, interpolate_, hold_steps_};
  }

  std::string series_ = "perplexity";
  Side direction_ = Side::below;
  double threshold_ = 1.5, smooth_ = 0;
  int64_t hold_ = 3, hold_steps_ = 0;
  bool stop_suffices_ = true, relative_ = false, interpolate_ = false;
};

}  // namespace

std::unique_ptr<Detector> make_emergence_detector() { return std::make_unique<EmergenceDetector>(); }

}  // namespace atto

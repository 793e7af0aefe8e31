// `compute`: how much computation does it take until a series crosses a threshold for good?
//
// The crossing is that of `emergence`: the first measured step at which the series is beyond the threshold and stays
// there for `hold` measurements in a row; a run that its stop condition ended needs to stay only to its end. `flop` is
// that step times the floating-point operations of a training step (spec/flops.h), so that networks of different sizes
// stand on one axis. Measurements in between are joined by lines. A run that ends before the crossing is censored at
// the computation it has spent. Missing after divergence and for the theory's runs.
#include "phenomena/detectors/crossing.h"
#include "phenomena/detectors/readings.h"
#include "spec/flops.h"

namespace atto {
namespace {

class ComputeDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("series", series_, "address of the series watched")
        .real("threshold", threshold_, -1e300, 1e300, "level to cross")
        .choice("direction", direction_, "which side of the threshold counts as emerged")
        .integer("hold", hold_, 1, 1e9, "measurements in a row that it must stay there");
  }

  SeriesNeeds needs() const override { return {SeriesNeed::scalar(series_)}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"flop", "floating-point operations until the crossing; censored when it does not come within the run"},
            {"flop_per_step", "floating-point operations of a training step"}};
  }

  std::vector<Cut> cuts(const std::string& quantity) const override {
    return quantity == "flop" && threshold_ != 0 ? std::vector{cut_by_factor("threshold", threshold_)}
                                                 : std::vector<Cut>{};
  }

  Finding detect(const Recording& recording, const RunConfig& config) const override {
    const Series& series = require_scalar(recording, series_);
    const std::optional<double> each = flops_per_step(RunSpec(config));
    if (series.steps.empty() || !each) return all_missing(*this);
    const Crossing crossing{threshold_, direction_, hold_, true};
    if (const auto step = crossing.find(series, recording.stopped_early))
      return {{"flop", *step * *each}, {"flop_per_step", *each}};
    if (recording.diverged_at) return all_missing(*this);
    return {{"flop", static_cast<double>(series.steps.back()) * *each, true}, {"flop_per_step", *each}};
  }

 private:
  std::string series_ = "loss";
  Side direction_ = Side::below;
  double threshold_ = 0.1;
  int64_t hold_ = 3;
};

}  // namespace

std::unique_ptr<Detector> make_compute_detector() { return std::make_unique<ComputeDetector>(); }

}  // namespace atto

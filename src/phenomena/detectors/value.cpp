// `value`: one number of a series.
//
// final and first measurement, min and max of the run, the last measurement at or before a step, or the median over the
// (longest) plateau of the perplexity. Missing where it does not exist: no plateau, a run that stopped before the step,
// and after divergence, of which final, min and max are always.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "math/statistics.h"
#include "phenomena/detectors/readings.h"

namespace atto {

enum class ValueAt { last, first, lowest, highest, step, plateau };
template <>
struct EnumWords<ValueAt> {
  static constexpr std::array words{"final", "first", "min", "max", "step", "plateau"};
};

namespace {

class ValueDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("series", series_, "address of the series read")
        .choice("at", at_, "which of its values")
        .integer("step", step_, 0, 1e12, "the step meant by at = \"step\"");
    reader_.describe(fields, "perplexity_series", "plateau_");
  }

  void check(const RunConfig& config) const override {
    reader_.check(config);
    if (at_ == ValueAt::step && step_ > config.training.steps)
      throw Error(ErrorKind::config,
                  "step = " + std::to_string(step_) + " lies beyond the run's " +
                      std::to_string(config.training.steps) + " steps",
                  "lower the detector's step or raise training.steps");
  }

  SeriesNeeds needs() const override {
    if (at_ == ValueAt::plateau && reader_.series != series_)
      return {SeriesNeed::scalar(series_), SeriesNeed::scalar(reader_.series)};
    return {SeriesNeed::scalar(series_)};
  }

  std::vector<QuantityHelp> quantities() const override { return {{"value", "the number read"}}; }
  // 2: plateaus of another shortest length.
  int64_t revision(const std::string&) const override { return at_ == ValueAt::plateau ? 2 : 1; }
  std::vector<Cut> cuts(const std::string&) const override {
    return at_ == ValueAt::plateau ? reader_.settings.cuts(false, "plateau_") : std::vector<Cut>{};
  }

  Finding detect(const Recording& recording, const RunConfig& config) const override {
    const Series& series = require_scalar(recording, series_);
    check(config);
    const std::optional<double> value = read(series, recording, config);
    return {{"value", value && std::isfinite(*value) ? value : std::nullopt}};
  }

 private:
  std::optional<double> read(const Series& series, const Recording& recording, const RunConfig& config) const {
    const std::vector<double>& values = series.values;
    if (values.empty()) return std::nullopt;
    if (at_ == ValueAt::first) return values.front();
    if (at_ == ValueAt::step) {
      if (step_ > recording.steps_done || (recording.diverged_at && *recording.diverged_at <= step_))
        return std::nullopt;
      const Window before = window_between(series, 0, step_);
      return before.empty() ? std::nullopt : std::optional(values[before.last]);
    }
    if (recording.diverged_at) return std::nullopt;
    if (at_ == ValueAt::last) return values.back();
    if (at_ == ValueAt::lowest) return *std::min_element(values.begin(), values.end());
    if (at_ == ValueAt::highest) return *std::max_element(values.begin(), values.end());
    const PlateauReader::Reading reading = reader_.read(recording, config);
    if (reading.plateaus.empty()) return std::nullopt;
    const Window window = window_between(series, reading.start, reading.end);
    if (window.empty()) return std::nullopt;
    return quantile(std::span(values).subspan(window.first, window.size()), 0.5);
  }

  std::string series_ = "perplexity";
  ValueAt at_ = ValueAt::last;
  int64_t step_ = 0;
  PlateauReader reader_;
};

}  // namespace

std::unique_ptr<Detector> make_value_detector() { return std::make_unique<ValueDetector>(); }

}  // namespace atto

// A detector turns the record of one run into a few named quantities: "is there a plateau, at what level, from when to
// when?"
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "observe/recording.h"
#include "phenomena/detectors/series_need.h"
#include "spec/run_config.h"

namespace atto {

// One number found in one run. A quantity that does not exist there (the level of an absent plateau) is missing, and
// one that the end of the run cut off (an emergence that had not come yet) is censored: the truth is above `value`.
struct Quantity {
  std::string name;  // "present", "level", "start"
  std::optional<double> value;
  bool censored = false;
};

using Finding = std::vector<Quantity>;

const Quantity* find(const Finding& finding, const std::string& name);

// What a detector says of one of the quantities it reports.
struct QuantityHelp {
  std::string name, help;
  // 1 or 0, so that seeds are counted. Any other number is a measurement even where it happens to be 0 or 1 in every
  // seed.
  bool yes_or_no = false;
};

// A setting that decides what counts: how strong, how long, how near. A verdict that holds only at one value of it says
// more about the setting than about the runs, so it is shown over these values (lab/results/threshold_curve.h).
struct Cut {
  std::string setting;         // one of the detector's fields, a number
  double own = 0;              // as the study has it; one of `values`
  std::vector<double> values;  // rising
  bool log = false;            // evenly spaced in logarithms
};

// Nine values about `own`: from a half to twice it, evenly in logarithms, or what of them lies within [low, high].
Cut cut_by_factor(std::string setting, double own, double low = -1e300, double high = 1e300);
// Nine evenly spaced values from `low` to `high`, and `own` among them.
Cut cut_between(std::string setting, double own, double low, double high);

// Throws when the finding is not wanted any more.
using Poll = std::function<void()>;

class Detector {
 public:
  virtual ~Detector() = default;
  // Fields of this detector's settings, bound to it ("series", "band", "threshold" ...): a study sets them.
  virtual void describe(Fields& fields) = 0;
  // After the settings were read: do they go together? Error(config) where they do not.
  virtual void check_settings() const {}
  // Series it reads: a study must observe them, and is refused where they have another shape.
  virtual SeriesNeeds needs() const = 0;
  // Series that this one of its quantities takes besides: a study must observe them only when it speaks of the
  // quantity, which is missing without them.
  virtual SeriesNeeds needs_for(const std::string& /*quantity*/) const { return {}; }
  // What settings do not fit a run of this configuration: a step beyond its end. Error(config); a study that asks for
  // it is refused when it is read.
  virtual void check(const RunConfig&) const {}
  virtual std::vector<QuantityHelp> quantities() const = 0;
  // Is the quantity a number of things, so that a rate is the share of the runs with any?
  virtual bool counts(const std::string& /*quantity*/) const { return false; }
  // Of one of its quantities, raised when the same settings come to mean something else for it. Claims that rest on it
  // then count as revised.
  virtual int64_t revision(const std::string& /*quantity*/) const { return 1; }
  // The settings that this quantity hangs on; none for what is simply measured.
  virtual std::vector<Cut> cuts(const std::string& /*quantity*/) const { return {}; }
  // What the quantity would be with another value of that cut, where the other numbers of the same finding tell: a
  // residual against a threshold. Nothing where the run has to be looked at again. It must agree with detect().
  virtual std::optional<Quantity> decide(const Finding& /*finding*/, const std::string& /*quantity*/,
                                         const std::string& /*setting*/, double /*value*/) const {
    return std::nullopt;
  }
  // Bytes that detect() takes for a run of these sizes besides the recording; 0 for what is small next to that. A
  // detector that compares all pairs of tokens says so here: a vocabulary of 8000 has 32 million of them.
  virtual size_t bytes(const RunConfig&) const { return 0; }
  virtual Finding detect(const Recording& recording, const RunConfig& config) const = 0;
  // The same for a caller who may lose interest. One that takes seconds calls `poll` now and then on its way.
  virtual Finding detect_polling(const Recording& recording, const RunConfig& config, const Poll& poll) const {
    poll();
    return detect(recording, config);
  }
};

// A fresh detector by its registered name ("plateau", "emergence", "branching", "value"); Error(config) with the
// nearest name.
std::unique_ptr<Detector> make_detector(const std::string& name);
std::vector<std::string> detector_names();

// The same with some settings other than their defaults. Error(config) for one it does not have or a value that is not
// allowed.
using DetectorSettings = std::vector<std::pair<std::string, Value>>;
std::unique_ptr<Detector> make_detector(const std::string& name, const DetectorSettings& settings);

}  // namespace atto

// `grokking`: does a network do well on its training data long before it does on data that repeat nothing?
//
// Two series, of the training data and of test data, are watched for the same threshold. The delay is the time from the
// first crossing to the second; a run whose training series never crosses has none to speak of, and one that ends
// before its test series crosses has a censored one: the truth is later.
//
// Whether the test series is `late`, or `never` comes, a run can say only when it went on for at least `factor` times
// as long as the training series took: earlier even a test series that is on time may be missing. A run that ended
// before that answers neither question, and both are 0 and censored. In one that was long enough both are known, within
// the run.
#include <algorithm>

#include "phenomena/detectors/crossing.h"
#include "phenomena/detectors/readings.h"

namespace atto {
namespace {

class GrokkingDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("train", train_, "address of the series on training data")
        .text("test", test_, "address of the series on test data")
        .real("threshold", threshold_, -1e300, 1e300, "level to cross")
        .choice("direction", direction_, "which side of the threshold counts")
        .integer("hold", hold_, 1, 1e9, "measurements in a row that it must stay there")
        .integer("hold_steps", hold_steps_, 0, 1e12, "steps that it must stay there instead; 0: `hold` measurements")
        .real("factor", factor_, 1, 1e9, "late means: at least this many times as late as on training data");
  }

  SeriesNeeds needs() const override { return {SeriesNeed::scalar(train_), SeriesNeed::scalar(test_)}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"train_step", "when the training series crosses for good; censored when it does not"},
            {"test_step", "when the test series does; censored when it does not"},
            {"delay", "test_step less train_step; censored when the test series does not cross"},
            {"ratio", "test_step over train_step, each counted from 1; censored in the same way"},
            {"late",
             "1 if the test series crosses within the run, but `factor` times as late, else 0; censored when the run "
             "ends before that",
             true},
            {"never",
             "1 if the training series crosses and the test series does not within the run, else 0; censored when the "
             "run ends before `factor` times the training series' step",
             true}};
  }

  // 2: a run may be too short to tell.
  int64_t revision(const std::string& quantity) const override {
    return quantity == "late" || quantity == "never" ? 2 : 1;
  }
  std::vector<Cut> cuts(const std::string& quantity) const override {
    std::vector<Cut> cuts;
    const bool share = direction_ == Side::above && threshold_ > 0 && threshold_ < 1;
    if (share)
      cuts.push_back(
          cut_between("threshold", threshold_, threshold_ / 2, std::min(2 * threshold_, (1 + threshold_) / 2)));
    else if (threshold_ != 0) cuts.push_back(cut_by_factor("threshold", threshold_));
    if (quantity == "late" || quantity == "never") cuts.push_back(cut_by_factor("factor", factor_, 1));
    return cuts;
  }

  Finding detect(const Recording& recording, const RunConfig&) const override {
    const Series& train = require_scalar(recording, train_);
    const Series& test = require_scalar(recording, test_);
    if (recording.diverged_at || train.steps.empty() || test.steps.empty()) return all_missing(*this);
    const Crossing crossing{threshold_, direction_, hold_, true, hold_steps_};
    const auto learnt = crossing.find(train, recording.stopped_early);
    const auto general = crossing.find(test, recording.stopped_early);
    const double end = static_cast<double>(test.steps.back());
    const double test_step = general.value_or(end);
    Finding finding{{"train_step", learnt.value_or(static_cast<double>(train.steps.back())), !learnt},
                    {"test_step", test_step, !general}};
    if (!learnt) {
      finding.insert(finding.end(), {{"delay", {}}, {"ratio", {}}, {"late", 0}, {"never", 0}});
      return finding;
    }
    const double ratio = (test_step + 1) / (*learnt + 1);
    finding.push_back({"delay", test_step - *learnt, !general});
    finding.push_back({"ratio", ratio, !general});
    const bool too_short = !general && ratio < factor_;  // here the ratio is that of the run's end
    finding.push_back({"late", general && ratio >= factor_ ? 1.0 : 0.0, too_short});
    finding.push_back({"never", general || too_short ? 0.0 : 1.0, too_short});
    return finding;
  }

 private:
  std::string train_ = "accuracy", test_ = "accuracy.test";
  Side direction_ = Side::above;
  double threshold_ = 0.5, factor_ = 2;
  int64_t hold_ = 3, hold_steps_ = 0;
};

}  // namespace

std::unique_ptr<Detector> make_grokking_detector() { return std::make_unique<GrokkingDetector>(); }

}  // namespace atto

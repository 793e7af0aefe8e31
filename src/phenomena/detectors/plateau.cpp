// `plateau`: does the perplexity linger at an intermediate level, where, and from when to when? plateau_finder.h
// defines it. Of several plateaus the longest is reported, or with `near` the one nearest to a level. Where the run
// ends on it, `end` and `length` are censored.
//
// Regression begins on its plateau, the loss of answering nothing (or falls to it, when a network's first answers are
// random), so there it is looked for at the start: it lasts until a tenth of the loss is gone for good, and it is one
// if that is at least half of the time in which four fifths are gone.
#include <algorithm>
#include <span>

#include "data/regression.h"
#include "math/statistics.h"
#include "phenomena/detectors/readings.h"

namespace atto {
namespace {

class PlateauDetector final : public Detector {
 public:
  void describe(Fields& fields) override { reader_.describe(fields, "series", ""); }

  void check(const RunConfig& config) const override { reader_.check(config); }
  SeriesNeeds needs() const override { return {SeriesNeed::scalar(reader_.series)}; }
  // 2: the shortest one is a share of the time until its end.
  int64_t revision(const std::string&) const override { return 2; }
  std::vector<Cut> cuts(const std::string& quantity) const override {
    return reader_.settings.cuts(quantity == "present" || quantity == "count", "");
  }

  std::vector<QuantityHelp> quantities() const override {
    return {{"present", "1 if there is a plateau, else 0", true},
            {"level", "median perplexity on it"},
            {"start", "first step on it"},
            {"end", "last step on it; censored when the run ends on it"},
            {"length", "end - start"},
            {"count", "how many plateaus there are"}};
  }

  bool counts(const std::string& quantity) const override { return quantity == "count"; }

  Finding detect(const Recording& recording, const RunConfig& config) const override {
    if (is_regression(config.data))
      return detect_at_start(require_scalar(recording, reader_.series), recording, config);
    const PlateauReader::Reading reading = reader_.read(recording, config);
    if (!reading.readable) return all_missing(*this);
    const auto count = static_cast<double>(reading.plateaus.size());
    if (reading.plateaus.empty())
      return {{"present", 0}, {"level", {}}, {"start", {}}, {"end", {}}, {"length", {}}, {"count", 0}};
    const Plateau& longest = reading.plateaus.front();
    return {{"present", 1},
            {"level", longest.level},
            {"start", static_cast<double>(reading.start)},
            {"end", static_cast<double>(reading.end), !longest.left},
            {"length", static_cast<double>(reading.end - reading.start), !longest.left},
            {"count", count}};
  }

 private:
  // The first measurement from which on the series stays at or below the limit; its size when there is none.
  static size_t stays_below(const Series& series, double limit) {
    size_t first = series.values.size();
    while (first > 0 && series.values[first - 1] <= limit) --first;
    return first;
  }

  Finding detect_at_start(const Series& series, const Recording& recording, const RunConfig& config) const {
    if (recording.diverged_at || series.values.size() < kPlateauPoints) return all_missing(*this);
    // A transformer answers at random until it has learnt to answer 0, which is where its plateau begins.
    const bool random_answers = config.network.form == Form::attention && series.values.front() > kRegressionStartLoss;
    const double start = random_answers ? kRegressionStartLoss : series.values.front();
    size_t begin = 0;
    while (random_answers && begin + 1 < series.values.size() && series.values[begin] > 1.1 * start) ++begin;
    const size_t left = std::max(stays_below(series, 0.9 * start), begin), over = stays_below(series, 0.2 * start);
    const auto step_of = [&](size_t i) {
      return static_cast<double>(series.steps[std::min(i, series.steps.size() - 1)]);
    };
    const bool stuck = left == series.values.size();
    const double from = step_of(begin), to = step_of(left);
    const bool present = stuck || (left > begin && to - from >= 0.5 * (step_of(over) - from));
    if (!present) return {{"present", 0}, {"level", {}}, {"start", {}}, {"end", {}}, {"length", {}}, {"count", 0}};
    const std::span<const double> on_it(series.values.data() + begin, std::max<size_t>(left - begin, 1));
    return {{"present", 1},     {"level", quantile(on_it, 0.5)}, {"start", from},
            {"end", to, stuck}, {"length", to - from, stuck},    {"count", 1}};
  }

  PlateauReader reader_;
};

}  // namespace

std::unique_ptr<Detector> make_plateau_detector() { return std::make_unique<PlateauDetector>(); }

}  // namespace atto

// `collapse`: how an effective dimension or rank moves through the stages of a run.
//
// With s the series and [a, b] the longest plateau of the perplexity:
//   start, final     first and last value of s
//   minimum          smallest value of its running median over `smooth` steps, at step `minimum_step`
//   drop             minimum / start: how far it collapses
//   recovery         final / minimum: how far it comes back
//   on_plateau       median of s on the plateau
//   entry            (median over the first quarter of the plateau) / start: below 1 when s falls while the loss falls
//                    onto it
//   flatness         (90 % - 10 % quantile of s on the plateau) / on_plateau; the outer tenths leave out the ways in
//                    and out
//   rise_on_plateau  median over the last quarter of the plateau - median over its first quarter
//   exit             (smallest running median after the plateau) / (median over its last quarter): below 1 when s falls
//                    at some time after it
//   leaving          (median over as long a time right after the plateau as its last quarter) / (that quarter): below 1
//                    when s falls as the loss leaves it
//   departure        final / on_plateau: far from 1 when s leaves with the plateau
// All from on_plateau on need the perplexity and are missing without a plateau; exit, leaving and departure also when
// the run ends on it. Quarters instead of single measurements make the differences insensitive to where exactly the
// plateau is taken to begin and end. The smallest of many measurements lies below their middle by noise alone, the more
// so the more there are; the running median (smooth = 100 steps, five measurements of the published runs) takes most of
// the noise away, but a curve that only fluctuates still has an exit below 1. `leaving` compares two stretches of equal
// length and has no such bias: where only the sign is asked for, ask it.
#include <algorithm>
#include <array>
#include <cmath>

#include "math/statistics.h"
#include "phenomena/detectors/readings.h"

namespace atto {
namespace {

class CollapseDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("series", series_, "address of the dimension or rank followed")
        .real("smooth", smooth_, 0, 1e12, "steps of the running median whose smallest value is taken");
    reader_.describe(fields, "perplexity_series", "plateau_");
  }

  SeriesNeeds needs() const override { return {SeriesNeed::scalar(series_)}; }
  SeriesNeeds needs_for(const std::string& quantity) const override {
    return of_the_plateau(quantity) ? SeriesNeeds{SeriesNeed::scalar(reader_.series)} : SeriesNeeds{};
  }
  void check(const RunConfig& config) const override { reader_.check(config); }
  // 2: running medians, other plateaus.
  int64_t revision(const std::string& quantity) const override {
    return quantity == "start" || quantity == "final" ? 1 : 2;
  }
  std::vector<Cut> cuts(const std::string& quantity) const override {
    return of_the_plateau(quantity) ? reader_.settings.cuts(false, "plateau_") : std::vector<Cut>{};
  }

  std::vector<QuantityHelp> quantities() const override {
    return {{"start", "first value"},
            {"minimum", "smallest running median"},
            {"minimum_step", "step of the smallest running median"},
            {"final", "last value"},
            {"drop", "minimum / start"},
            {"recovery", "final / minimum"},
            {"on_plateau", "median on the plateau"},
            {"entry", "first quarter of the plateau / start"},
            {"flatness", "10-90 % range on the plateau / median on it"},
            {"rise_on_plateau", "last quarter of the plateau - first quarter"},
            {"exit", "smallest running median after the plateau / last quarter of it"},
            {"leaving", "as long a time right after the plateau / last quarter of it"},
            {"departure", "final / median on the plateau"}};
  }

  Finding detect(const Recording& recording, const RunConfig& config) const override {
    const Series& series = require_scalar(recording, series_);
    const PlateauReader::Reading reading =
        recording.find(reader_.series) ? reader_.read(recording, config) : PlateauReader::Reading{};
    const std::span<const double> values = series.values;
    const auto finite = [](double value) { return std::isfinite(value); };
    if (recording.diverged_at || values.empty() || !std::all_of(values.begin(), values.end(), finite))
      return all_missing(*this);

    Finding finding = all_missing(*this);
    const auto set = [&](const std::string& name, double value) {
      if (!std::isfinite(value)) return;  // a ratio to nothing
      std::find_if(finding.begin(), finding.end(), [&](const Quantity& one) { return one.name == name; })->value =
          value;
    };
    const std::vector<double> calm = median_over_steps(series, smooth_);
    const auto lowest = std::min_element(calm.begin(), calm.end());
    set("start", values.front());
    set("final", values.back());
    set("minimum", *lowest);
    set("minimum_step", static_cast<double>(series.steps[static_cast<size_t>(lowest - calm.begin())]));
    set("drop", *lowest / values.front());
    set("recovery", values.back() / *lowest);

    if (reading.plateaus.empty()) return finding;
    const Window window = window_between(series, reading.start, reading.end);
    if (window.empty()) return finding;
    const std::span<const double> plateau = values.subspan(window.first, window.size());
    const size_t quarter = std::max<size_t>(1, plateau.size() / 4);
    const double middle = quantile(plateau, 0.5);
    const double early = quantile(plateau.first(quarter), 0.5), late = quantile(plateau.last(quarter), 0.5);
    set("on_plateau", middle);
    set("entry", early / values.front());
    set("flatness", (quantile(plateau, 0.9) - quantile(plateau, 0.1)) / middle);
    set("rise_on_plateau", late - early);
    const std::span<const double> after = values.subspan(window.last + 1);
    if (reading.plateaus.front().left && !after.empty()) {
      set("exit", *std::min_element(calm.end() - std::ssize(after), calm.end()) / late);
      set("leaving", quantile(after.first(std::min(quarter, after.size())), 0.5) / late);
      set("departure", values.back() / middle);
    }
    return finding;
  }

 private:
  static bool of_the_plateau(const std::string& quantity) {
    constexpr std::array kNames = {"on_plateau", "entry",   "flatness", "rise_on_plateau",
                                   "exit",       "leaving", "departure"};
    return std::find(kNames.begin(), kNames.end(), quantity) != kNames.end();
  }

  std::string series_ = "embedding.effective_dimension";
  double smooth_ = 100;
  PlateauReader reader_;
};

}  // namespace

std::unique_ptr<Detector> make_collapse_detector() { return std::make_unique<CollapseDetector>(); }

}  // namespace atto

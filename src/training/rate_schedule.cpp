#include "training/rate_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace atto {
namespace {

double rate_between(const std::vector<std::pair<double, double>>& points, double step) {
  const auto after = std::upper_bound(points.begin(), points.end(), step,
                                      [](double at, const auto& point) { return at < point.first; });
  if (after == points.begin()) return points.front().second;
  if (after == points.end()) return points.back().second;
  const auto& [x0, y0] = *std::prev(after);
  const auto& [x1, y1] = *after;
  return y0 + (y1 - y0) * ((step - x0) / (x1 - x0));
}

int64_t drops_before(const TrainingConfig& config, int64_t step) {
  if (config.drop_every > 0) return (step - config.warmup) / config.drop_every;
  return std::upper_bound(config.drop_at.begin(), config.drop_at.end(), static_cast<double>(step)) -
         config.drop_at.begin();
}

// 0 .. 1 of the fall, which begins at step `start` and ends with the last one.
double share_of_fall(const TrainingConfig& config, int64_t start, int64_t step) {
  const double span = static_cast<double>(std::max<int64_t>(config.steps - 1 - start, 1));
  return std::clamp(static_cast<double>(step - start) / span, 0.0, 1.0);
}

double height_at(const TrainingConfig& config, int64_t step) {
  switch (config.schedule) {
    case RateSchedule::linear:
      return 1 - share_of_fall(config, config.warmup, step);
    case RateSchedule::cosine:
      return 0.5 * (1 + std::cos(std::numbers::pi * share_of_fall(config, config.warmup, step)));
    case RateSchedule::hold: {
      const auto held = config.hold * static_cast<double>(config.steps - config.warmup);
      return 1 - share_of_fall(config, config.warmup + std::llround(held), step);
    }
    case RateSchedule::steps:
      return std::pow(config.drop, static_cast<double>(drops_before(config, step)));
    case RateSchedule::inverse_root:
      return std::sqrt(static_cast<double>(std::max<int64_t>(config.warmup, 1)) / static_cast<double>(step + 1));
    case RateSchedule::constant:
    case RateSchedule::points:
      break;
  }
  return 1;
}

[[noreturn]] void refuse_rates(const std::string& what, const std::string& remedy) {
  throw Error(ErrorKind::config, what, remedy);
}

void validate_points(const TrainingConfig& config) {
  const TrainingConfig plain;
  if (config.points.empty())
    refuse_rates("training.schedule = \"points\" has no points",
                 "set training.points, such as [[0, 1e-3], [1000, 1e-4]]");
  if (config.rate != plain.rate || config.warmup > 0 || config.final_rate != plain.final_rate)
    refuse_rates(
        "training.points are the rates themselves: training.rate, warmup and final_rate have no effect on them",
        "leave these three out; a warm-up is a first point such as [0, 0]");
  for (size_t i = 0; i < config.points.size(); ++i) {
    const auto& [step, rate] = config.points[i];
    if (!(step >= 0) || !(rate >= 0) || !std::isfinite(step) || !std::isfinite(rate))
      refuse_rates("training.points has the point [" + to_text(step) + ", " + to_text(rate) + "]",
                   "steps and rates are 0 or more");
    if (i > 0 && !(step > config.points[i - 1].first))
      refuse_rates(
          "training.points goes from step " + to_text(config.points[i - 1].first) + " to step " + to_text(step),
          "write the points in the order of their steps, each step once");
  }
}

void validate_drops(const TrainingConfig& config) {
  if ((config.drop_every > 0) == !config.drop_at.empty())
    refuse_rates(config.drop_at.empty() ? "training.schedule = \"steps\" never drops"
                                        : "training.drop_every and training.drop_at both say when the rate drops",
                 "set one of training.drop_every = 1000 and training.drop_at = [1000, 2000]");
  for (size_t i = 0; i < config.drop_at.size(); ++i) {
    const double step = config.drop_at[i];
    if (step != std::floor(step) || (i > 0 && step <= config.drop_at[i - 1]) ||
        step < static_cast<double>(config.warmup))
      refuse_rates("training.drop_at has a drop at " + to_text(step),
                   "write whole steps after the warm-up, in their order, each once");
  }
}

}  // namespace

double rate_at(const TrainingConfig& config, int64_t step) {
  if (config.schedule == RateSchedule::points) return rate_between(config.points, static_cast<double>(step));
  if (step < config.warmup) return config.rate * static_cast<double>(step + 1) / static_cast<double>(config.warmup);
  return config.rate * (config.final_rate + (1 - config.final_rate) * height_at(config, step));
}

void validate_rates(const TrainingConfig& config) {
  const TrainingConfig plain;
  const auto needs = [&config](bool set, const char* key, RateSchedule schedule) {
    if (set && config.schedule != schedule)
      refuse_rates(
          std::string(key) + " is set, but " + setting("training.schedule", config.schedule) + " has no use for it",
          "leave it out, or set " + setting("training.schedule", schedule));
  };
  needs(!config.points.empty(), "training.points", RateSchedule::points);
  needs(config.hold != plain.hold, "training.hold", RateSchedule::hold);
  needs(config.drop != plain.drop, "training.drop", RateSchedule::steps);
  needs(config.drop_every != plain.drop_every, "training.drop_every", RateSchedule::steps);
  needs(!config.drop_at.empty(), "training.drop_at", RateSchedule::steps);
  if (config.schedule == RateSchedule::points) validate_points(config);
  if (config.schedule == RateSchedule::steps) validate_drops(config);
  if (config.warmup > config.steps)
    refuse_rates("training.warmup = " + std::to_string(config.warmup) +
                     " is longer than training.steps = " + std::to_string(config.steps),
                 "shorten the warm-up or lengthen the run");
}

}  // namespace atto

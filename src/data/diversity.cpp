#include "data/diversity.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"

namespace atto {
namespace {

// Steps over which the loss is averaged, for the plateau's level and afterwards.
constexpr int64_t kWindow = 20;

}  // namespace

void validate_schedule(const DataConfig& config) {
  if ((config.schedule == DiversityKind::at_switch || config.schedule == DiversityKind::linear) &&
      config.switch_step == 0)
    throw Error(ErrorKind::config,
                setting("data.schedule", config.schedule) + " with data.switch_step = 0 never shows the first values",
                "set data.switch_step to the step from which data.later_repeat and data.later_cross hold");
  if (config.schedule == DiversityKind::plateau && !(config.switch_loss > 0 && config.switch_loss < 1))
    throw Error(ErrorKind::config,
                "data.switch_loss = " + to_text(config.switch_loss) +
                    (config.switch_loss > 0 ? " ends the plateau as soon as it begins" : " is never reached"),
                "set data.switch_loss between 0 and 1, such as 0.8");
}

DiversitySchedule::DiversitySchedule(const DataConfig& config)
    : kind_(config.schedule),
      first_{config.repeat, config.cross},
      later_{config.later_repeat, config.later_cross},
      switch_step_(config.switch_step),
      switch_loss_(config.switch_loss) {
  validate_schedule(config);
}

Diversity DiversitySchedule::at(int64_t step) const {
  switch (kind_) {
    case DiversityKind::constant:
      return first_;
    case DiversityKind::at_switch:
      return step < switch_step_ ? first_ : later_;
    case DiversityKind::plateau:
      return step < switch_step_ || left_ ? later_ : first_;
    case DiversityKind::linear:
      break;
  }
  if (step >= switch_step_) return later_;
  const double part = static_cast<double>(step) / static_cast<double>(switch_step_);
  const auto between = [part](double from, double to) { return from + part * (to - from); };
  return {std::llround(between(static_cast<double>(first_.repeat), static_cast<double>(later_.repeat))),
          between(first_.cross, later_.cross)};
}

void DiversitySchedule::see(double batch_loss) {
  const int64_t watched = ++seen_ - switch_step_;  // losses of the watch, this one included
  if (watched <= 0) return;
  if (watched <= kWindow) {
    level_ += (batch_loss - level_) / static_cast<double>(watched);
    smoothed_ = level_;
    return;
  }
  smoothed_ += (batch_loss - smoothed_) / static_cast<double>(kWindow);
  if (smoothed_ <= switch_loss_ * level_) left_ = true;
}

std::vector<double> DiversitySchedule::state() const {
  return {static_cast<double>(seen_), level_, smoothed_, left_ ? 1.0 : 0.0};
}

void DiversitySchedule::restore(const std::vector<double>& state) {
  if (state.size() != 4) throw Error(ErrorKind::internal, "the state is not that of a data schedule");
  seen_ = static_cast<int64_t>(state[0]);
  level_ = state[1];
  smoothed_ = state[2];
  left_ = state[3] != 0;
}

}  // namespace atto

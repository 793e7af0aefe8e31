// Waits for the smoothed loss of a run to meet a condition.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace atto {

// At most one of them is set; see InterventionConfig.
struct LossCondition {
  double loss = -1;  // at most this
  double fall = 0;   // at most this times the first mean
  double flat = 0;   // differs from the mean before by at most this share

  bool set() const { return loss >= 0 || fall > 0 || flat > 0; }
};

// The smoothed loss is the mean of `smooth` losses in a row, a new one after as many steps.
class LossWatch {
 public:
  LossWatch(const LossCondition& condition, int64_t smooth)
      : condition_(condition), smooth_(static_cast<double>(smooth)) {}

  // The next loss; true once the condition holds. Without a condition it never does.
  bool see(double loss) {
    if (!condition_.set()) return false;
    sum_ += loss;
    if (++count_ < smooth_) return false;
    const double mean = sum_ / smooth_;
    const bool held = holds(mean);
    if (++means_ == 1) level_ = mean;
    previous_ = mean;
    sum_ = count_ = 0;
    return held;
  }

  static constexpr size_t kState = 5;
  void append_state(std::vector<double>& to) const { to.insert(to.end(), {count_, sum_, means_, level_, previous_}); }
  void restore(const double* state) {
    count_ = state[0];
    sum_ = state[1];
    means_ = state[2];
    level_ = state[3];
    previous_ = state[4];
  }

 private:
  bool holds(double mean) const {
    if (condition_.loss >= 0) return mean <= condition_.loss;
    if (means_ == 0) return false;  // nothing to compare it with
    if (condition_.fall > 0) return mean <= condition_.fall * level_;
    return std::abs(mean - previous_) <= condition_.flat * std::abs(previous_);
  }

  LossCondition condition_;
  double smooth_;
  double count_ = 0, sum_ = 0;  // losses of the mean that is being taken
  double means_ = 0;            // taken so far
  double level_ = 0;            // the first of them
  double previous_ = 0;         // the last of them
};

}  // namespace atto

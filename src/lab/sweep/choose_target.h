// Which instruction set a sweep runs on where the widest one need not be the fastest: some processors run AVX-512 at
// half width. Results do not depend on it, so the clock may choose.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "spec/run_spec.h"

namespace atto {

// The fastest of `targets`, best first; `seconds_of` times a piece of work on one of them. They take turns and the best
// of each counts, so that what else the machine does meets all alike. The first one stays unless another is clearly
// faster.
std::string fastest_target(const std::vector<std::string>& targets,
                           const std::function<double(const std::string&)>& seconds_of);

// The targets between which the machine has to be asked: AVX-512 and AVX2 where it has both and the first is in use and
// not pinned, else none.
std::vector<std::string> doubtful_targets();

// A few steps of a network of the kind that a sweep trains, on the target in use: seconds.
class TargetTrial {
 public:
  explicit TargetTrial(bool wide);
  ~TargetTrial();
  double seconds();

 private:
  struct Run;
  std::unique_ptr<Run> run_;
};

// Chooses at the first sweep of the process, for all that follow. Takes a few milliseconds, and nothing where nothing
// is in doubt.
void choose_target(const RunSpec& first);

}  // namespace atto

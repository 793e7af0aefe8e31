// Times runs that are trained side by side, by nothing but threads: what more than that has to be measured against.
#pragma once

#include <istream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "spec/live_run.h"

namespace atto::bench {

// Keeps the runs of each request between turns.
class ThreadTimer {
 public:
  // Reads CASE RUNS STEPS THREADS; microseconds by the clock for a step of one run.
  double microseconds(std::istream& in);

 private:
  std::map<std::string, std::vector<std::unique_ptr<LiveRun>>> runs_;
};

}  // namespace atto::bench

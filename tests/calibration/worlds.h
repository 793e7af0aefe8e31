// Simulated laboratories with a known truth, judged as a study judges its claims: from the cells of a study to
// verdicts, look by look. What comes out are error rates of the verdicts themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "lab/results/results.h"

namespace atto::calibration {

using Random = std::mt19937_64;

// A study's claim without its region, and cells of runs to judge it by.
struct World {
  std::string statistic, what;
  Claim claim;
  double truth = 0;
  int64_t first = 16, most = 64;  // runs of a cell at the first look and at the last
  bool slow = false;              // thousands of fits: fewer trials
  std::vector<Fit> fits = {};
  std::function<std::vector<CellResult>(Random&, int64_t runs)> draw;
};

std::vector<World> worlds();

struct Rates {
  int64_t trials = 0;
  int64_t covered = 0;  // the ordinary interval of all runs holds the truth
  int64_t wrong = 0;    // looked at until decided, one of two claims with the truth just outside is supported
  int64_t open = 0;     // neither is decided by the last look

  double coverage() const { return static_cast<double>(covered) / static_cast<double>(trials); }
  double errors() const { return static_cast<double>(wrong) / static_cast<double>(trials); }
};

// Trials number `from` to `to` - 1 of a world; each depends on the world and its number alone.
Rates simulate(const World& world, int64_t from, int64_t to);

// Three standard errors of a share of 5 % in so many trials.
double chance(int64_t trials);

}  // namespace atto::calibration

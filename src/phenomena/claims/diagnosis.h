// Signs that an experiment does not show what it seems to show, each with what to do about it. The rules take plain
// facts, so that whoever has the facts can ask.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "phenomena/laws/power_law.h"

namespace atto {

struct Diagnosis {
  std::string name;  // "no plateau": the same for every cell that shows it
  std::string signature, remedy;

  bool operator==(const Diagnosis&) const = default;
};

struct CellFacts {
  int64_t seeds = 0, diverged = 0;
  std::optional<double> plateau_share;  // of the seeds, where plateaus are looked for
  int64_t basins = 1;                   // kinds of final perplexity that the seeds fall into
  std::optional<double> first_entropy;  // of attention at the start, in nats; median over the seeds
  double uniform_entropy = 0;           // what it would be were attention uniform, ln C for the last position
  // Median over the seeds at the first and the last measurement.
  struct Course {
    double first = 0, last = 0;
  };
  std::optional<Course> loss, test_loss;  // on the training data, and on data without repetition
};

struct LawFacts {
  const PowerLaw& law;
  // Exponents that theory gives, by term; may be empty.
  std::vector<std::pair<std::string, double>> expected;
  std::string setting;  // what the exponents may depend on: "training.optimizer = adam"
  double latest = 0;    // the law's longest prediction over the sweep
};

std::vector<Diagnosis> diagnose(const CellFacts& facts);
std::vector<Diagnosis> diagnose(const LawFacts& facts);  // none for a law that could not be fitted

}  // namespace atto

// A number of every seed, cell by cell, as strips of dots.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/figures/figure.h"
#include "phenomena/outcomes/basins.h"

namespace atto {

struct SwarmDot {
  double value = 0;
  double offset = 0;   // sideways, set by spread()
  int64_t seed = 0;    // index into the cell's runs
  bool above = false;  // censored: the truth lies above the value
};

// Cuts [low, high] (its logarithm) into equal stretches and spreads the dots of each stretch evenly about the middle,
// in the order of their seeds, none farther than `half`. Where few share a stretch they stay close together, so that
// the width tells how many there are.
void spread(std::vector<SwarmDot>& dots, double low, double high, bool log, double half);

struct Strip {
  std::string label;
  const CellResult* cell = nullptr;
  std::vector<SwarmDot> dots;
  std::vector<Basin> basins;  // of the values that are not censored; one of all where some are not positive
};

struct StripPanel {
  std::string title;
  std::vector<Strip> strips;
};

struct Strips {
  std::vector<StripPanel> panels;
  double low = 0, high = 0;  // of all dots
  // Seeds that have no dot.
  int64_t missing = 0, diverged = 0, not_finite = 0, not_positive = 0, left_out = 0;
  int64_t cells_left_out = 0;
};

// Strips in the order of the key `across` and named by it; "" keeps the order of the sweep and names all that differs.
Strips make_strips(const FigureSource& source, const Panels& panels, const std::string& across,
                   const std::string& quantity, bool log);

}  // namespace atto

// Finds the plateaus of a perplexity curve: stretches at an intermediate level on which training all but stands still
// before it speeds up again.
//
// Definition. Let y(t) = log perplexity (nats). Noise is removed by a running median of five measurements (isolated
// spikes) and then the least-squares non-increasing fit (isotonic regression), which has no width to choose and keeps
// sharp falls sharp. On the fit, let a *stretch* be a longest interval [a, b] with y(a) - y(b) <= band, and let the
// *pace* of a part of the run be the shortest time in which it falls by one whole band. A stretch is a plateau when
//   intermediate   its median level is at least `margin` nats below the start and at least `margin` above the floor.
//                  The start is the first value, or log V where a network starts worse than a uniform guess; the floor
//                  is the lowest loss the task allows, or the lowest level reached where that is not known;
//   long enough    b - a >= lasting * b: it takes up that share of the training until then, a length in log time. It
//                  depends neither on how long the run goes on afterwards nor on the learning rate, which stretches all
//                  times alike. It also has at least five measurements: the running median sees nothing shorter. A
//                  study may ask for `shortest_steps`, or for a share of the whole run, `shortest`, besides;
//   slow           b - a >= contrast * pace before a: it had been falling much faster;
//   left           b - a >= contrast * pace after b: it falls much faster again. A convex decay, such as a power law or
//                  an exponential tail, only ever slows down, so no part of it is a plateau.
// When the run ends before falling by another band, `left` cannot be tested. Then the stretch must be flat instead: in
// its middle or its last third the slope p of  y = c - p log t  satisfies  p + 2 standard errors <= flat,  so that
// doubling the training time would lower the perplexity by no more than a factor 2^-flat. A power-law tail has constant
// p and fails in both thirds; a plateau that is just being left at the end is flat in the middle one. Here the end is
// censored. A plateau that was found bounds the search for paces of the next one, so the shoulders of one do not count
// as another.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "phenomena/detectors/detector.h"

namespace atto {

struct PlateauSettings {
  double band = 0.15;          // nats: 14 % of perplexity, several times the noise of a batch of 512
  double margin = 0.2;         // nats
  double contrast = 5;         // times
  double lasting = 0.1;        // of the training until its end: a tenth of it is more than a step of a staircase
  int64_t shortest_steps = 0;  // steps
  double shortest = 0;         // share of the run
  double flat = 0.15;          // slope in log-log, 10 % less perplexity for twice the steps

  // Adds its fields, each key with `prefix` before it.
  void describe(Fields& fields, const std::string& prefix);
  // Of whether there is one, and of its level, times and number.
  std::vector<Cut> cuts(bool presence, const std::string& prefix) const;
};

struct Plateau {
  size_t first = 0, last = 0;  // indices of its first and last measurement
  bool left = false;           // false: the run ended on it
  double level = 0;            // median perplexity on it
};

// What the levels are measured against, in nats.
struct PlateauBounds {
  double chance = 0;            // log V, the loss of a uniform guess
  std::optional<double> floor;  // the lowest loss possible, where known
};

// Fewer measurements than this tell nothing.
inline constexpr size_t kPlateauPoints = 20;

// `perplexity` is positive and finite at increasing `steps`. In order of length, the longest first; empty when there is
// none.
std::vector<Plateau> find_plateaus(std::span<const int64_t> steps, std::span<const double> perplexity,
                                   const PlateauBounds& bounds, const PlateauSettings& settings);

}  // namespace atto

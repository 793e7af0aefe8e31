// Runs put together to packs, for whoever hands them to workers elsewhere: a task should take long enough to be worth
// sending, and not so long that much is lost with it.
#pragma once

#include <vector>

#include "lab/sweep/forecast.h"

namespace atto {

struct PackLength {
  double least = 10, most = 60;  // seconds
};

struct Pack {
  std::vector<const Run*> runs;
  double cost = 0;  // RunSpec::cost() of what is left of them
};

// Every run in one pack, in the order of `pending`: neighbours stay together, and the longest come first. A unit of
// cost takes about `seconds_of_cost`; 0: nobody knows. Packs are about as long as each other: as many as keep many
// workers busy, where that gives a length within the limits. A run that is longer is a pack by itself.
std::vector<Pack> packs_of(const std::vector<PendingRun>& pending, double seconds_of_cost,
                           const PackLength& length = {});

}  // namespace atto

// A share of a study's runs, to be trained by itself: on one of many machines, into a store of its own, which
// Store::merge brings together with the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/study/study.h"

namespace atto {

struct Shard {
  int64_t index = 1, count = 1;  // from 1

  bool operator==(const Shard&) const = default;
};
inline constexpr int64_t kMaxShards = 100'000;

// "3/200": the third of two hundred. Error(usage) for anything else.
Shard parse_shard(const std::string& text);
std::string to_text(const Shard& shard);

// For each run the index of its shard, from 1; 0 for one that was in the list before. Shards have about the same
// estimated cost, not the same number of runs: the most expensive run first, each goes to the shard that has least to
// do. The split follows from the runs alone, so every machine finds the same one, whatever has been trained already.
std::vector<int64_t> split_into_shards(const std::vector<Run>& runs, int64_t count);
// The runs of one shard, in the order they have in `runs`, each once.
std::vector<Run> runs_of_shard(const std::vector<Run>& runs, const Shard& shard);

// What the shards of one sweep have in common: 32 hex digits over the ids of its runs.
std::string sweep_hash(const std::vector<Run>& runs);

}  // namespace atto

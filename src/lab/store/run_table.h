// The table `runs` from end to end, and the proof that nothing of it is hidden. Internal to the store.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "lab/store/state.h"

namespace atto {

// Pairs of a key and a row number, as a set: equal for the same pairs in whatever order they came.
class KeyTally {
 public:
  void add(std::string_view key, int64_t row);
  bool operator==(const KeyTally&) const = default;

 private:
  uint64_t count_ = 0, sum_ = 0;
};

// Gives every row of `runs` to `use`, in the order in which they stand in the file, each compared with its checksum;
// then shows that a run which is not found by its id is not there: throws SQLITE_CORRUPT where a page is damaged, where
// the index of the ids is not in order, or where it leads to other rows than the table has.
//
// PRAGMA integrity_check would look every row up in the index, which reads a page for each in a store that is larger
// than the page cache. Here table and index are read one after the other, so the time grows with the number of runs
// alone.
void each_run(Store::State& state, const std::function<void(Store::State::RunRow&&)>& use);

}  // namespace atto

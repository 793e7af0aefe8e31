// The runs of several stores in the order of their ids, as a merge reads them. Internal to the store.
//
// One order for all of them leaves the rows of the merged store in that order, and one thread has all of the reading.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lab/store/merge/row_copy.h"
#include "lab/store/state.h"

namespace atto {

// Runs, whole and held apart from their stores. Of each table the rows stand in the order of the runs.
struct RunBatch {
  struct Origin {
    size_t source = 0;                            // which of the stores
    size_t series = 0, weights = 0, timings = 1;  // how many rows of each
  };
  std::vector<Origin> origins;  // by run
  HeldRows runs, series, weights, timings;
  bool last = false;  // there are no more

  bool full() const;
};

class MergedRuns {
 public:
  explicit MergedRuns(std::span<Store::State* const> sources);
  ~MergedRuns();

  RunBatch read();  // of equal ids the one of the first source comes first

 private:
  class Source;
  std::vector<std::unique_ptr<Source>> sources_;
};

}  // namespace atto

// Where the recordings of runs come from, by run id: the store, or runs that are still in memory. What reads results
// asks this and does not know which.
#pragma once

#include <string>
#include <vector>

#include "observe/recording.h"

namespace atto {

class RunSource {
 public:
  virtual ~RunSource() = default;
  // Error(missing) when the run or an address is not there.
  virtual Recording load(const std::string& run_id) const = 0;  // everything
  virtual Recording load(const std::string& run_id,
                         const std::vector<std::string>& addresses) const = 0;  // these series, no weights
};

}  // namespace atto

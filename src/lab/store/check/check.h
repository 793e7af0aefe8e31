// Is a store whole, down to every row? And if not: what is left of it, and what that costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atto {

struct Damage {
  std::string what;  // "2 rows of 'series' do not match their checksums"
  std::string cost;  // "the runs they belong to are trained again"
};

// A study that asked for runs which are not there (any more).
struct LackingStudy {
  std::string study, profile;
  int64_t asked = 0, missing = 0;  // runs
};

struct Checkup {
  int64_t rows = 0, runs = 0;  // that are whole
  std::vector<Damage> damages;
  std::vector<std::string> lost_runs;  // ids of those that were there and cannot be used, as far as they can be told
  std::vector<LackingStudy> lacking;   // only where something is damaged
  std::string aside;                   // after a repair: where the file is kept as it was

  bool whole() const { return damages.empty(); }
};

// Reads every row and its checksum, the structure of the file and its log; changes nothing. Error(missing) or
// Error(store) where there is no store, or one that this program does not know.
Checkup check_store(const std::string& path);

// The same, as the only writer; what is whole then becomes the store, and the file as it was, with its log, is put
// aside. A store that is whole is left alone.
Checkup repair_store(const std::string& path);

}  // namespace atto

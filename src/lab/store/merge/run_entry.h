// The runs of a batch entered into a store. Internal to the store.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lab/store/merge/merged_runs.h"
#include "lab/store/merge/row_copy.h"
#include "lab/store/state.h"

namespace atto {

class RunEntry {
 public:
  RunEntry(Store::State& into, std::span<Store::State* const> sources);

  // Within a transaction of the store. Error(store) for a run that is there with other bytes.
  void enter(const RunBatch& batch, MergeCount& count);

 private:
  struct Standing {
    int64_t revision = 0, checksum = 0;
  };
  bool add_run(const HeldRows& runs, size_t run);
  Standing standing();
  [[noreturn]] void refuse(size_t source) const;

  Store::State& into_;
  const std::span<Store::State* const> sources_;
  std::string id_;  // of the run at hand
  struct {
    std::string id;
    size_t source = 0;
  } last_added_;
  RawStatement insert_run_;
  RowInserter series_, weights_, timings_;
  const bool checkpoints_;
};

}  // namespace atto

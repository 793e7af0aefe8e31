// A small study, given to workers.
#pragma once

#include <fstream>

#include "lab/cluster/cluster_job.h"
#include "lab/store/store_samples.h"
#include "lab/sweep/scheduler.h"

namespace atto {

constexpr const char* kJobStudy = R"(title = "Copying, very small"
[data]
vocab = 4
[training]
batch = 16
steps = 200
[sweep.grid]
network.width = [1, 2, 3]
[seeds]
count = 4
[[observe]]
what = ["perplexity"]
[[phenomenon]]
detector = "plateau"
)";

class JobTest : public StoreFolder {
 protected:
  JobTest() {
    write_bytes(path("tiny.toml"), kJobStudy);
    study_ = read_study(path("tiny.toml"), {});
    cells_ = expand_cells(study_);
    runs_ = expand_runs(study_, cells_);
  }
  JobFolder make(int64_t tasks, int64_t packs) {
    return JobFolder::make(path("job"), plan_job(study_, {}, runs_, tasks, packs), study_, cells_);
  }

  Study study_;
  std::vector<Cell> cells_;
  std::vector<atto::Run> runs_;
};

}  // namespace atto

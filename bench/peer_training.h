// Whole runs, timed, with the loss they end at: what bench/peers compares with other programs that train the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "spec/run_config.h"

namespace atto::bench {

struct Trained {
  double seconds = 0;
  std::vector<double> losses;  // by run: the mean over the last tenth of its steps
};

// One run by itself; what it takes to set it up is not counted.
Trained train_one(const RunConfig& config);

// So many seeds, from that of each configuration on, through the scheduler and a fresh store in `folder`, as a study
// does it. All configurations are of one batch, task and network but for data.vocab, data.context and network.width.
// Runs of one configuration stand together.
Trained train_all(const std::vector<RunConfig>& shapes, int64_t runs, int threads, const std::filesystem::path& folder);

}  // namespace atto::bench

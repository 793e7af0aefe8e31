// The makers of the tasks, one file each; task.cpp registers them.
#pragma once

#include <memory>

#include "data/task.h"

namespace atto {

std::unique_ptr<Task> make_copy(const DataConfig& config, uint64_t seed);
std::unique_ptr<Task> make_nearest(const DataConfig& config, uint64_t seed);
std::unique_ptr<Task> make_unigram(const DataConfig& config, uint64_t seed);
std::unique_ptr<Task> make_bigram(const DataConfig& config, uint64_t seed);
std::unique_ptr<Task> make_recall(const DataConfig& config, uint64_t seed);

// Regression is also the task of networks without attention layers, at sizes no batch of tokens could have. Its
// settings and losses can be had without making the task.
std::unique_ptr<Task> make_regression_task(const DataConfig& config, uint64_t seed);
void check_regression(const DataConfig& config);
std::vector<ReferenceLoss> regression_references(const DataConfig& config);

}  // namespace atto

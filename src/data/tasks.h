// The makers of the tasks, one file each; task.cpp registers them.
#pragma once

#include <memory>

#include "data/task.h"

namespace atto {

std::unique_ptr<Task> make_copy(const DataConfig& config, uint64_t seed);
std::unique_ptr<Task> make_nearest(const DataConfig& config, uint64_t seed);
std::unique_ptr<Task> make_unigram(const DataConfig& config, uint64_t seed);
std::unique_ptr<Task> make_bigram(const DataConfig& config, uint64_t seed);

}  // namespace atto

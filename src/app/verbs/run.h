// What `run` prints of a study that was judged; `collect` prints the same.
#pragma once

#include "app/job.h"

namespace atto {

void print_results(const Job& job, const StudyResult& result, const Store& store, const Options& options);

}  // namespace atto

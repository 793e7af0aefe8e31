#include "training/trajectory.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace atto {

BatchResult Trajectory::advance(int64_t to) {
  BatchResult batch;
  do {
    update();
    batch = evaluate();
  } while (step() < to && std::isfinite(batch.loss) && !should_stop());
  return batch;
}

void restore_weights(const Snapshot& snapshot, std::span<float> parameters, std::span<float> optimizer) {
  if (snapshot.parameters.size() != parameters.size() || snapshot.optimizer.size() != optimizer.size())
    throw Error(ErrorKind::internal, "the snapshot is of a run with another network or optimizer");
  std::copy(snapshot.parameters.begin(), snapshot.parameters.end(), parameters.begin());
  std::copy(snapshot.optimizer.begin(), snapshot.optimizer.end(), optimizer.begin());
}

}  // namespace atto

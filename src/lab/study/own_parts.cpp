#include "lab/study/own_parts.h"

namespace atto {

void attach_parts(RunConfig& config, const OwnParts& parts) {
  const auto task = parts.tasks.find(config.data.function);
  if (task != parts.tasks.end()) config.data.source = task->second;
}

}  // namespace atto

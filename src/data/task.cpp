#include "data/task.h"

#include <functional>
#include <utility>

#include "data/tasks.h"
#include "numeric/error.h"

namespace atto {
namespace {

// A task's line: the word a study calls it by, and its maker.
const std::vector<std::pair<std::string, std::function<std::unique_ptr<Task>(const DataConfig&)>>>& registry() {
  static const std::vector<std::pair<std::string, std::function<std::unique_ptr<Task>(const DataConfig&)>>> tasks{
      {"copy", make_copy},
  };
  return tasks;
}

}  // namespace

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : registry()) names.push_back(name);
  return names;
}

std::unique_ptr<Task> make_task(const DataConfig& config) {
  for (const auto& [name, make] : registry())
    if (name == config.task) return make(config);
  throw Error(ErrorKind::config, "unknown task '" + config.task + "'");
}

}  // namespace atto

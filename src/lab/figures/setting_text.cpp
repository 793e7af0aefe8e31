#include "lab/figures/setting_text.h"

#include <algorithm>
#include <optional>

#include "data/task_spec.h"
#include "lab/results/format_text.h"
#include "training/optimizers/optimizer.h"

namespace atto {
namespace {

// The keys that say what was learnt, by task: the sizes that its publication would name.
std::vector<std::string> size_keys(const RunConfig& config) {
  std::vector<std::string> keys = task_kind(config.data).sizes;
  if (config.network.form != Form::scores) keys.emplace_back("network.width");
  for (const std::string key : {"network.layers", "network.heads"}) {
    RunConfig copy = config;
    if (std::get<int64_t>(run_schema().at(key).get(copy)) > 1) keys.push_back(key);
  }
  return keys;
}

// The value of a key that all cells share.
std::optional<Value> shared(const std::vector<const CellResult*>& cells, const std::string& key) {
  const auto value = [&](const CellResult* cell) {
    RunConfig config = cell->cell.config;
    return run_schema().at(key).get(config);
  };
  const Value first = value(cells.front());
  const bool same =
      std::all_of(cells.begin(), cells.end(), [&](const CellResult* cell) { return value(cell) == first; });
  return same ? std::optional(first) : std::nullopt;
}

}  // namespace

std::string setting_text(const std::vector<const CellResult*>& cells) {
  if (cells.empty()) return "";
  const RunConfig& config = cells.front()->cell.config;
  std::string text;
  const auto add = [&](const std::string& part, const std::string& separator) {
    text += (text.empty() ? "" : separator) + part;
  };
  if (const auto task = shared(cells, "data.task")) add(to_text(*task), ", ");
  for (const std::string& key : size_keys(config))
    if (const auto value = shared(cells, key)) add(key_word(key) + " " + to_text(*value), ", ");
  std::string separator = "; ";  // before what says how it was learnt
  const auto add_training = [&](const std::string& part) {
    add(part, separator);
    separator = ", ";
  };
  const auto optimizer = shared(cells, "training.optimizer");
  const bool flow = optimizer && optimizer_kind(config.training).flow;
  if (optimizer) add_training(flow ? "gradient flow" : to_text(*optimizer));
  // The flow has neither rate nor samples, and the exact expected loss no samples.
  const bool samples = !flow && shared(cells, "training.gradient") == Value(std::string("sampled"));
  if (const auto rate = shared(cells, "training.rate"); rate && !flow) add_training("rate " + to_text(*rate));
  if (const auto batch = shared(cells, "training.batch"); batch && samples) add_training("batch " + to_text(*batch));
  if (const auto steps = shared(cells, "training.steps"))
    add_training((config.training.stop_loss >= 0 || config.training.stop_test_loss >= 0 ? "at most " : "") +
                 count_text(std::get<int64_t>(*steps), "step"));
  return "Setting: " + text + ".";
}

}  // namespace atto

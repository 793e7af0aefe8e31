#include "spec/companions.h"

#include <optional>
#include <vector>

#include "base/contains.h"
#include "base/error.h"
#include "data/task_spec.h"

namespace atto {
namespace {

bool is_run(const RunConfig& config) {
  try {
    RunSpec{config};
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string table_of(const std::string& key) { return key.substr(0, key.find('.')); }

RunConfig at_defaults(RunConfig config, const std::vector<std::string>& tables, const std::string& but) {
  for (const RunField& field : run_schema().all())
    if (field.key != but && contains(tables, table_of(field.key))) field.assign(config, field.initial);
  return config;
}

// Some run with the setting; nothing where none is found.
std::optional<RunConfig> some_run(const RunConfig& wanted, const std::string& key) {
  const std::string own = table_of(key);
  const std::vector<std::vector<std::string>> ways{
      {}, {own}, {own, "network"}, {own, "training"}, {"data", "network", "training"}};
  for (const std::vector<std::string>& tables : ways) {
    RunConfig config = at_defaults(wanted, tables, key);
    if (is_run(config)) return config;
    if (key != "data.task") continue;
    for (const auto& [name, text] : task_kind(config.data).example) run_schema().at(name).set_text(config, text);
    if (is_run(config)) return config;
  }
  return std::nullopt;
}

}  // namespace

std::map<std::string, Value> with_companions(const RunConfig& config, const std::string& key, const Value& value) {
  RunConfig wanted = config;
  run_schema().at(key).set(wanted, value);
  std::optional<RunConfig> found = some_run(wanted, key);
  if (!found) RunSpec{wanted};  // says what is wrong
  std::map<std::string, Value> changes;
  for (const RunField& field : run_schema().all()) {
    const Value before = field.get(wanted), now = field.get(*found);
    if (field.key == key || before == now) continue;
    // What another table had to give up was made for another kind of run: it stays at its default.
    if (table_of(field.key) == table_of(key)) {
      field.assign(*found, before);
      if (is_run(*found)) continue;
      field.assign(*found, now);
    }
    changes[field.key] = now;
  }
  changes[key] = run_schema().at(key).get(*found);
  return changes;
}

}  // namespace atto

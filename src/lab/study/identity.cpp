// Content addresses: equal runs have equal ids, whatever the order, grouping or spelling of the file they came from.
#include <algorithm>

#include "base/content_hash.h"
#include "base/error.h"
#include "lab/study/canonical_json.h"
#include "lab/study/study.h"
#include "observe/weight_function.h"

namespace atto {
namespace {

using Json = nlohmann::json;  // its objects are sorted by key

// One entry per address, sorted: how a study groups its observables does not change what is recorded.
Json json_plan(const ObservePlan& plan) {
  std::vector<Json> entries;
  for (const Observation& observation : plan) {
    std::vector<int64_t> at = observation.when.at;
    std::sort(at.begin(), at.end());
    at.erase(std::unique(at.begin(), at.end()), at.end());
    for (const std::string& address : observation.what) {
      Json& entry = entries.emplace_back(Json{{"address", address},
                                              {"every", observation.when.every},
                                              {"linear", observation.when.linear},
                                              {"log", observation.when.log},
                                              {"at", at}});
      if (!observation.function) continue;
      const PartIdentity part = observation.function->identity();
      entry["function"] = {{"version", part.version}, {"hash", part.hash}};
    }
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::string written(const Json& json) {
  try {
    return json.dump();
  } catch (const Json::type_error&) {  // the only thing that cannot be written
    throw Error(ErrorKind::config, "a text of the configuration is not valid UTF-8");
  }
}

}  // namespace

CanonicalTexts::CanonicalTexts(const ObservePlan& plan) {
  for (const RunField& field : run_schema().all()) {
    if (field.identity == FieldInfo::Identity::never) continue;
    entries_.push_back({field.key, &field, field.initial, written(canonical_json(field.initial))});
  }
  entries_.push_back({"observe", nullptr, {}, written(json_plan(plan))});
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
}

std::string CanonicalTexts::of(const RunConfig& config) {
  std::string text;
  for (Entry& entry : entries_) {
    if (entry.field) {
      if (Value value = entry.field->get(config); value != entry.value) {
        entry.text = written(canonical_json(value));
        entry.value = std::move(value);
      }
      if (entry.field->identity == FieldInfo::Identity::if_set && entry.value == entry.field->initial) continue;
    }
    text += text.empty() ? "{\"" : ",\"";
    text += entry.key;
    text += "\":";
    text += entry.text;
  }
  return text + "}";
}

std::string canonical_text(const RunConfig& config, const ObservePlan& plan) { return CanonicalTexts(plan).of(config); }

std::string run_id(const RunConfig& config, const ObservePlan& plan) { return run_id(canonical_text(config, plan)); }

std::string run_id(const std::string& text) { return content_hash(text); }

}  // namespace atto

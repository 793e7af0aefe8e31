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

std::string dumped(const Json& json) {
  try {
    return json.dump();
  } catch (const Json::type_error&) {  // the only thing that cannot be written
    throw Error(ErrorKind::config, "a text of the configuration is not valid UTF-8");
  }
}

}  // namespace

CanonicalTexts::CanonicalTexts(const ObservePlan& plan) {
  static const std::vector<Entry> initial = [] {
    static const std::string observe = "observe";
    std::vector<const RunField*> fields = {nullptr};
    for (const RunField& field : run_schema().all())
      if (field.identity != FieldInfo::Identity::never) fields.push_back(&field);
    const auto key = [](const RunField* field) -> const std::string& { return field ? field->key : observe; };
    std::sort(fields.begin(), fields.end(), [&](const auto* a, const auto* b) { return key(a) < key(b); });
    std::vector<Entry> entries;
    for (const RunField* const field : fields)
      entries.push_back(
          {&key(field), field, field ? field->initial : Value(), field ? dumped(canonical_json(field->initial)) : ""});
    return entries;
  }();
  entries_ = initial;
  const auto is_seed = [](const Entry& entry) { return entry.key->starts_with("seeds."); };
  const auto first = std::find_if(entries_.begin(), entries_.end(), is_seed);
  first_seed_ = static_cast<size_t>(first - entries_.begin());
  behind_seeds_ = static_cast<size_t>(std::find_if_not(first, entries_.end(), is_seed) - entries_.begin());
  std::find_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return !entry.field; })->text =
      dumped(json_plan(plan));
}

std::string CanonicalTexts::of(const RunConfig& config) {
  if (!last_ || last_->data != config.data || last_->network != config.network || last_->training != config.training) {
    last_.reset();  // while the texts change
    before_ = written(0, first_seed_, config);
    after_ = written(behind_seeds_, entries_.size(), config);
    last_ = config;
  }
  std::string text = "{" + before_ + written(first_seed_, behind_seeds_, config) + after_;
  text.back() = '}';  // in place of a comma
  return text;
}

// The entries from `first` to before `last`, each with a comma behind it.
std::string CanonicalTexts::written(size_t first, size_t last, const RunConfig& config) {
  std::string text;
  for (size_t i = first; i < last; ++i) {
    Entry& entry = entries_[i];
    if (entry.field) {
      if (Value value = entry.field->get(config); value != entry.value) {
        entry.text = dumped(canonical_json(value));
        entry.value = std::move(value);
      }
      if (entry.field->identity == FieldInfo::Identity::if_set && entry.value == entry.field->initial) continue;
    }
    text += '"';
    text += *entry.key;
    text += "\":";
    text += entry.text;
    text += ',';
  }
  return text;
}

std::string canonical_text(const RunConfig& config, const ObservePlan& plan) { return CanonicalTexts(plan).of(config); }

std::string run_id(const RunConfig& config, const ObservePlan& plan) { return run_id(canonical_text(config, plan)); }

std::string run_id(const std::string& text) { return content_hash(text); }

}  // namespace atto

#include "lab/study/canonical_json.h"

namespace atto {
namespace {

struct ToCanonicalJson {
  nlohmann::json operator()(const auto& plain) const { return plain; }
  nlohmann::json operator()(double real) const { return real + 0.0; }
  nlohmann::json operator()(const ValueList& list) const {
    nlohmann::json array = nlohmann::json::array();
    for (const Value& item : list.items) array.push_back(canonical_json(item));
    return array;
  }
  nlohmann::json operator()(const ValueTable& table) const {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& [key, item] : table.entries) object[key] = canonical_json(item);
    return object;
  }
};

}  // namespace

nlohmann::json canonical_json(const Value& value) { return std::visit(ToCanonicalJson{}, value); }

}  // namespace atto

#include "lab/results/json.h"

#include <cmath>

namespace atto {

namespace {

struct ValueToJson {
  Json operator()(const auto& plain) const { return plain; }
  Json operator()(const ValueList& list) const {
    Json array = Json::array();
    for (const Value& item : list.items) array.push_back(to_json(item));
    return array;
  }
  Json operator()(const ValueTable& table) const {
    Json object = Json::object();
    for (const auto& [key, item] : table.entries) object[key] = to_json(item);
    return object;
  }
};

}  // namespace

Json to_json(const Value& value) { return std::visit(ValueToJson{}, value); }

Json to_json(const Overrides& overrides) {
  Json object = Json::object();
  for (const auto& [key, value] : overrides) object[key] = to_json(value);
  return object;
}

Json to_json(const RunConfig& config) {
  Json object = Json::object();
  for (const RunField& field : run_schema().all()) object[field.key] = to_json(field.get(config));
  return object;
}

Json number_json(double number) {
  if (std::isnan(number)) return nullptr;
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

Json number_json(std::optional<double> number) { return number ? number_json(*number) : Json(nullptr); }

std::string json_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace atto

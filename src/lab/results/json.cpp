#include "lab/results/json.h"

#include <cmath>

namespace atto {

Json to_json(const Value& value) {
  return std::visit([](const auto& plain) { return Json(plain); }, value);
}

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

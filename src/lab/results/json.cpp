#include "lab/results/json.h"

#include <cmath>

#include "base/error.h"
#include "base/json_depth.h"

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

namespace {

// As Python calls it.
const char* type_word(FieldType type) {
  switch (type) {
    case FieldType::flag:
      return "bool";
    case FieldType::integer:
      return "int";
    case FieldType::real:
      return "float";
    case FieldType::word:
      return "str";
    case FieldType::list:
      return "list";
    case FieldType::table:
    case FieldType::record:
      return "dict";
  }
  return "";
}

}  // namespace

Json to_json(const FieldInfo& field, const Value& initial) {
  Json about{{"key", field.key},         {"type", type_word(field.type)}, {"allowed", field.allowed()},
             {"choices", field.choices}, {"default", to_json(initial)},   {"help", field.help}};
  if (field.item != nullptr)
    for (const FieldInfo& member : field.item->members) about["keys"].push_back(to_json(member, member.initial));
  return about;
}

Value value_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    ValueList list;
    for (const Json& item : json) list.items.push_back(value_of(item));
    return list;
  }
  if (json.is_object()) {
    ValueTable table;
    for (const auto& [key, item] : json.items()) table.entries[key] = value_of(item);
    return table;
  }
  throw Error(ErrorKind::config, "null is no value of a setting", "leave the key out, or give it a value");
}

Json number_json(double number) {
  if (std::isnan(number)) return nullptr;
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

Json number_json(std::optional<double> number) { return number ? number_json(*number) : Json(nullptr); }

Json parse_json(std::string_view text) { return Json::parse(text); }

std::optional<Json> try_parse_json(std::string_view text) {
  if (is_too_deep(text)) return std::nullopt;
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? std::nullopt : std::optional(std::move(json));
}

std::string json_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace atto

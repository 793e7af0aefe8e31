// Values of the lab as JSON, in the order they are described.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json_library.h"
#include "lab/study/study.h"

namespace atto {

using Json = nlohmann::ordered_json;

Json to_json(const Value& value);
Json to_json(const Overrides& overrides);
Json to_json(const RunConfig& config);  // {"data.task": "copy", ...}
// What is known of a setting whose value is `initial` unless somebody says otherwise: {"key", "type", "allowed",
// "choices", "default", "help"}, and "keys" where each of its values is a table of known ones.
Json to_json(const FieldInfo& field, const Value& initial);
// The value that such JSON says; Error(config) for null.
Value value_of(const Json& json);
// A number; null for NaN, and "inf" or "-inf", which Python's float() reads, for infinities.
Json number_json(double number);
Json number_json(std::optional<double> number);  // null for none

// What such text says. The library's parser is compiled here alone: it takes seconds.
Json parse_json(std::string_view text);
// The same for text that may be anything: nothing when it is no JSON, or nested deeper than any that we write.
std::optional<Json> try_parse_json(std::string_view text);
// Indented, with a line end. Bytes that are not UTF-8 (a path may hold any) are replaced, not refused.
std::string json_text(const Json& json);

}  // namespace atto

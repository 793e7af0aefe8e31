// A value as JSON that depends on nothing but the value: for texts that are hashed.
#pragma once

#include "base/json_library.h"
#include "base/value.h"

namespace atto {

// Objects are sorted by key, and doubles print in the shortest form that reads back. -0 is 0: both train alike.
nlohmann::json canonical_json(const Value& value);

}  // namespace atto

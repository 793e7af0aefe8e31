// nlohmann::json, without what it makes every file that includes it pay for.
#pragma once

// The library defines "..."_json as an inline function, and its body alone makes the compiler instantiate the whole
// parser in every file: a second each. Nobody here uses it, so it is declared, and its body becomes that of a template.
#define _json(text, size) \
  _json(text, size);      \
  template <class...>     \
  nlohmann::json unused_literal(text, size)
#include <nlohmann/json.hpp>
#undef _json

// Compiled once, in json_library.cpp.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

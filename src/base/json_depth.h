// How deep a JSON text is nested. The library reads any depth but prints, compares and deletes recursively, so text
// that may come from anybody is measured first.
#pragma once

#include <string_view>

namespace atto {

// Deeper than any text of ours.
inline constexpr int kDeepestJson = 64;

inline bool is_too_deep(std::string_view json) {
  int depth = 0;
  bool quoted = false;
  for (size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (quoted && c == '\\') ++at;
    else if (c == '"') quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{') && ++depth > kDeepestJson) return true;
    else if (!quoted && (c == ']' || c == '}')) --depth;
  }
  return false;
}

}  // namespace atto

// Is it in the list?
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace atto {

inline bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace atto

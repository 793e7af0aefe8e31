// Names that people type, and what they may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace atto {

// The candidate closest to `word` by edit distance, or "" when none is close enough to be a likely typo.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

// "; did you mean 'context'?", or "" when nothing is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace atto

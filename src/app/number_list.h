// Numbers as an option takes them: "512", "16,32,64", "128:4096:x2" (geometric), "0:0.5:+0.1" (additive).
#pragma once

#include <string>
#include <vector>

namespace atto {

inline constexpr size_t kMostNumbers = 100'000;

enum class NumberKind { real, whole };  // whole: a geometric range rounds to whole numbers, each once

// The numbers `text` stands for, in its order; a range ends at the last value that is not beyond its end. Throws
// Error(usage) naming the option for what is none, and for more than kMostNumbers.
std::vector<double> parse_numbers(const std::string& option, const std::string& text, NumberKind kind);

}  // namespace atto

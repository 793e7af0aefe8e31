// Words of a closed set of kinds: a study says "causal", the program Mask::causal. Next to each enum stands the list of
// its words, in the order of its values; the schema turns one into the other, and nothing else compares words.
//
//   enum class Mask { causal, full };
//   template <>
//   struct EnumWords<Mask> {
//     static constexpr std::array words{"causal", "full"};
//   };
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace atto {

template <class Enum>
struct EnumWords;

template <class Enum>
concept Worded = std::is_enum_v<Enum> && requires {
  EnumWords<Enum>::words.size();
};

template <Worded Enum>
constexpr const char* to_word(Enum value) {
  return EnumWords<Enum>::words[static_cast<size_t>(value)];
}

// Of one of its words, which the caller has checked; the first value for any other.
template <Worded Enum>
constexpr Enum from_word(std::string_view word) {
  for (size_t i = 0; i < EnumWords<Enum>::words.size(); ++i)
    if (EnumWords<Enum>::words[i] == word) return static_cast<Enum>(i);
  return Enum{};
}

template <Worded Enum>
std::vector<std::string> words_of() {
  return {EnumWords<Enum>::words.begin(), EnumWords<Enum>::words.end()};
}

// "network.mask = \"causal\"": a setting as a message names it.
template <Worded Enum>
std::string setting(const char* key, Enum value) {
  return std::string(key) + " = \"" + to_word(value) + "\"";
}

}  // namespace atto

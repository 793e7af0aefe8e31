#include "app/random_name.h"

#include <random>
#include <string_view>

namespace atto {

std::string random_name() {
  constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::random_device source;
  std::uniform_int_distribution<size_t> letter(0, kLetters.size() - 1);
  std::string name;
  for (int i = 0; i < 12; ++i) name += kLetters[letter(source)];
  return name;
}

}  // namespace atto

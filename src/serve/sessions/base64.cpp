#include "serve/sessions/base64.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace atto {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Two digits for every twelve bits: all clients wait for one thread.
constexpr auto kPairs = [] {
  std::array<std::array<char, 2>, 4096> pairs{};
  for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kDigits[i >> 6], kDigits[i & 63]};
  return pairs;
}();

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  append_base64(text, bytes);
  return text;
}

void append_base64(std::string& text, std::string_view bytes) {
  const size_t start = text.size();
  text.resize(start + (bytes.size() + 2) / 3 * 4, '=');
  const auto* in = reinterpret_cast<const unsigned char*>(bytes.data());
  char* out = text.data() + start;
  size_t left = bytes.size();
  for (; left >= 3; left -= 3, in += 3, out += 4) {
    const uint32_t group = uint32_t{in[0]} << 16 | uint32_t{in[1]} << 8 | in[2];
    std::memcpy(out, kPairs[group >> 12].data(), 2);
    std::memcpy(out + 2, kPairs[group & 4095].data(), 2);
  }
  if (left > 0) {
    const uint32_t group = uint32_t{in[0]} << 16 | (left > 1 ? uint32_t{in[1]} << 8 : 0);
    std::memcpy(out, kPairs[group >> 12].data(), 2);
    if (left > 1) out[2] = kDigits[group >> 6 & 63];
  }
}

}  // namespace atto

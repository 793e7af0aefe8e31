#include "base/number_text.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace atto {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits d1d2...dn and the exponent e of d1.d2...dn · 10^e, with as few digits as read back.
std::pair<std::string, int> shortest_digits(double number) {
  char text[40];
  for (int after_point = 0;; ++after_point) {
    std::snprintf(text, sizeof text, "%.*e", after_point, number);
    if (after_point < 17 && std::strtod(text, nullptr) != number) continue;
    std::string digits;
    const char* at = text;
    for (; *at != 'e'; ++at)
      if (is_digit(*at)) digits += *at;
    return {digits, std::atoi(at + 1)};
  }
}

std::string scientific(const std::string& digits, int exponent) {
  std::string text = digits.substr(0, 1);
  if (digits.size() > 1) text += "." + digits.substr(1);
  const int size = std::abs(exponent);
  return text + (exponent < 0 ? "e-" : "e+") + (size < 10 ? "0" : "") + std::to_string(size);
}

std::string fixed(const std::string& digits, int exponent, double number) {
  const int count = static_cast<int>(digits.size());
  if (exponent < 0) return "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  if (exponent + 1 < count)
    return digits.substr(0, static_cast<size_t>(exponent) + 1) + "." + digits.substr(static_cast<size_t>(exponent) + 1);
  char text[400];  // all digits of a large number, not zeros behind those that would do
  std::snprintf(text, sizeof text, "%.0f", number);
  return text;
}

// How much of the text is a number: -1.5e-3, .5, inf.
size_t number_length(std::string_view text) {
  size_t at = text.starts_with('-') ? 1 : 0;
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    const std::string_view said = text.substr(at, word.size());
    bool same = said.size() == word.size();
    for (size_t i = 0; same && i < word.size(); ++i) same = (said[i] | 0x20) == word[i];
    if (same) return at + word.size();
  }
  size_t digits = 0;
  const auto skip_digits = [&] {
    for (; at < text.size() && is_digit(text[at]); ++at) ++digits;
  };
  skip_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    skip_digits();
  }
  if (digits == 0) return 0;
  if (at < text.size() && (text[at] | 0x20) == 'e') {
    size_t after = at + 1;
    if (after < text.size() && (text[after] == '+' || text[after] == '-')) ++after;
    if (after < text.size() && is_digit(text[after])) {
      at = after;
      skip_digits();
    }
  }
  return at;
}

}  // namespace

std::string portable::shortest_text(double number) {
  if (std::isnan(number)) return std::signbit(number) ? "-nan" : "nan";
  const std::string sign = std::signbit(number) ? "-" : "";
  number = std::abs(number);
  if (std::isinf(number)) return sign + "inf";
  if (number == 0) return sign + "0";
  const auto [digits, exponent] = shortest_digits(number);
  std::string plain = fixed(digits, exponent, number), power = scientific(digits, exponent);
  return sign + (plain.size() <= power.size() ? plain : power);
}

std::from_chars_result portable::read_number(const char* first, const char* last, double& number) {
  const size_t length = number_length({first, static_cast<size_t>(last - first)});
  if (length == 0) return {first, std::errc::invalid_argument};
  const std::string text(first, length);
  const double read = std::strtod(text.c_str(), nullptr);
  const bool worded = (text.back() | 0x20) >= 'a';  // inf, nan
  const bool zero = text.find_first_of("123456789") >= std::min(text.find_first_of("eE"), text.size());
  if (!worded && (std::isinf(read) || (read == 0 && !zero))) return {first + length, std::errc::result_out_of_range};
  number = read;
  return {first + length, std::errc()};
}

#ifdef __cpp_lib_to_chars

std::string shortest_text(double number) {
  char buffer[40];
  const auto [end, status] = std::to_chars(buffer, buffer + sizeof buffer, number);
  return std::string(buffer, end);
}

std::from_chars_result read_number(const char* first, const char* last, double& number) {
  return std::from_chars(first, last, number);
}

#else

std::string shortest_text(double number) { return portable::shortest_text(number); }

std::from_chars_result read_number(const char* first, const char* last, double& number) {
  return portable::read_number(first, last, number);
}

#endif

}  // namespace atto

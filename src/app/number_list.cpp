#include "app/number_list.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "app/terminal/text.h"
#include "base/error.h"
#include "base/number_text.h"

namespace atto {
namespace {

constexpr double kSlack = 1e-9;  // of a step: 0.1 five times is not quite 0.5

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t start = 0;;) {
    const size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

// 0.1 three times is 0.3 to anyone who asked for it.
double rounded(double number) {
  char digits[40];
  const int length = std::snprintf(digits, sizeof digits, "%.12g", number);
  double value = 0;
  read_number(digits, digits + length, value);
  return value;
}

struct Parser {
  const std::string& option;
  const std::string& text;
  NumberKind kind;
  std::vector<double> numbers;

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorKind::usage, option + " = " + text + " is not allowed: " + why,
                "write a number, a list such as 16,32,64, or a range such as 128:4096:x2 or 0:0.5:+0.1");
  }

  double number(std::string_view word) const {
    double value = 0;
    const auto [end, status] = read_number(word.data(), word.data() + word.size(), value);
    if (status != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
      refuse("'" + std::string(word) + "' is not a number");
    return value;
  }

  void range(double first, double last, std::string_view step) {
    const bool grows = step.starts_with('x');
    if (!grows && !step.starts_with('+')) refuse("the step of a range is a factor (x2) or an addend (+0.1)");
    const double by = number(step.substr(1));
    if (last < first) refuse("a range runs from the smaller number to the larger");
    if (grows && !(by > 1)) refuse("the factor of a range is larger than 1");
    if (grows && !(first > 0)) refuse("a range with a factor starts above 0");
    if (!grows && !(by > 0)) refuse("the addend of a range is larger than 0");
    const double steps = grows ? std::log(last / first) / std::log(by) : (last - first) / by;
    if (!(steps + static_cast<double>(numbers.size()) < static_cast<double>(kMostNumbers)))
      refuse("that is more than " + count_text(kMostNumbers, "number"));
    for (int i = 0; i <= static_cast<int>(steps + kSlack); ++i) {
      double value = std::min(last, rounded(grows ? first * std::pow(by, i) : first + i * by));
      if (grows && kind == NumberKind::whole) value = std::round(value);
      if (i == 0 || value != numbers.back()) numbers.push_back(value);
    }
  }

  void item(std::string_view word) {
    const std::vector<std::string_view> parts = split(word, ':');
    if (parts.size() == 1) numbers.push_back(number(word));
    else if (parts.size() == 3) range(number(parts[0]), number(parts[1]), parts[2]);
    else refuse("a range has three parts, first:last:step");
  }
};

}  // namespace

std::vector<double> parse_numbers(const std::string& option, const std::string& text, NumberKind kind) {
  Parser parser{option, text, kind, {}};
  for (const std::string_view word : split(text, ',')) parser.item(word);
  return parser.numbers;
}

}  // namespace atto

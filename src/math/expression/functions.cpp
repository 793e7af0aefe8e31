// Operators and functions that work entry by entry, and those that make one number of many.
#include "math/expression/functions.h"

#include <cmath>
#include <limits>

namespace atto {
namespace {

template <auto F>
void of_one(const double* const* arguments, double* out, size_t n) {
  const double* a = arguments[0];
  for (size_t i = 0; i < n; ++i) out[i] = F(a[i]);
}
template <auto F>
void of_two(const double* const* arguments, double* out, size_t n) {
  const double *a = arguments[0], *b = arguments[1];
  for (size_t i = 0; i < n; ++i) out[i] = F(a[i], b[i]);
}
void choose(const double* const* arguments, double* out, size_t n) {
  const double *condition = arguments[0], *yes = arguments[1], *no = arguments[2];
  for (size_t i = 0; i < n; ++i) out[i] = condition[i] != 0 ? yes[i] : no[i];
}

// The remainder with the sign of the divisor: 0 <= mod(a, b) < b. Beyond 2^53 a double is no longer known to 1, so
// there is no remainder.
double remainder_of(double a, double b) {
  constexpr double kExact = 9007199254740992.0;
  double rest = a - b * std::floor(a / b);
  // Where a / b was rounded to a whole number it is off by one divisor.
  rest = (b > 0 ? rest < 0 : rest > 0) ? rest + b : rest;
  rest = (b > 0 ? rest >= b : rest <= b) ? rest - b : rest;
  return std::abs(a) <= kExact ? rest : std::numeric_limits<double>::quiet_NaN();
}

double sign_of(double a) { return a < 0 ? -1.0 : a > 0 ? 1.0 : 0.0; }

constexpr ElementKernel kAddUp = of_two<[](double a, double b) { return a + b; }>;

// Shapes: numbers go with anything, everything else with its like.
Shape like(std::string_view name, std::span<const Shape> arguments) {
  const Shape* whole = nullptr;
  for (const Shape& one : arguments) {
    if (one.empty()) continue;
    if (whole && *whole != one)
      throw ShapeFault{"'" + std::string(name) + "' has " + shape_text(*whole) + " next to " + shape_text(one),
                       "entry by entry only equal shapes go together, or a number and anything"};
    whole = &one;
  }
  return whole ? *whole : Shape{};
}

// One argument becomes a number, several go together entry by entry.
Shape folded(std::string_view name, std::span<const Shape> arguments) {
  return arguments.size() == 1 ? Shape{} : like(name, arguments);
}

Shape product_shape(std::string_view name, std::span<const Shape> arguments) {
  const Shape &a = arguments[0], &b = arguments[1];
  if (a.size() != 2 || b.empty()) {
    if (b.size() == 2 && !a.empty())
      throw ShapeFault{"'*' has " + shape_text(a) + " next to " + shape_text(b),
                       a.size() == 1 ? "a vector stands behind the matrix: write matrix' * vector"
                                     : "take a part of it that is a matrix, such as [0]"};
    return like(name, arguments);
  }
  if (b.size() > 2 || a[1] != b[0])
    throw ShapeFault{"'*' has " + shape_text(a) + " next to " + shape_text(b),
                     "the columns of the first must be the rows of the second; ' transposes, .* goes entry by entry"};
  return b.size() == 1 ? Shape{a[0]} : Shape{a[0], b[1]};
}

std::vector<Function> make_operators() {
  const auto element = [](std::string_view sign, size_t arguments, ElementKernel kernel) {
    return Function{sign, arguments, arguments, "", like, kernel};
  };
  return {
      element("negative", 1, of_one<[](double a) { return -a; }>),
      element("!", 1, of_one<[](double a) { return a == 0 ? 1.0 : 0.0; }>),
      element("+", 2, kAddUp),
      element("-", 2, of_two<[](double a, double b) { return a - b; }>),
      element(".*", 2, of_two<[](double a, double b) { return a * b; }>),
      element("/", 2, of_two<[](double a, double b) { return a / b; }>),
      element("^", 2, of_two<[](double a, double b) { return std::pow(a, b); }>),
      element("<", 2, of_two<[](double a, double b) { return a < b ? 1.0 : 0.0; }>),
      element("<=", 2, of_two<[](double a, double b) { return a <= b ? 1.0 : 0.0; }>),
      element(">", 2, of_two<[](double a, double b) { return b < a ? 1.0 : 0.0; }>),
      element(">=", 2, of_two<[](double a, double b) { return b <= a ? 1.0 : 0.0; }>),
      element("==", 2, of_two<[](double a, double b) { return a == b ? 1.0 : 0.0; }>),
      element("!=", 2, of_two<[](double a, double b) { return a != b ? 1.0 : 0.0; }>),
      element("&&", 2, of_two<[](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }>),
      element("||", 2, of_two<[](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }>),
      element("?", 3, choose),
      Function{"*", 2, 2, "", product_shape, multiply_whole},
  };
}

std::vector<Function> make_functions() {
  const auto one = [](std::string_view usage, std::string_view help, ElementKernel kernel) {
    return Function{usage, 1, 1, help, like, kernel};
  };
  const auto two = [](std::string_view usage, std::string_view help, ElementKernel kernel) {
    return Function{usage, 2, 2, help, like, kernel};
  };
  const auto fold = [](std::string_view usage, std::string_view help, Fold kernel) {
    return Function{usage, 1, kAnyNumber, help, folded, kernel};
  };
  std::vector<Function> all{
      one("sqrt(a)", "square root", of_one<[](double a) { return std::sqrt(a); }>),
      one("exp(a)", "exponential", of_one<[](double a) { return std::exp(a); }>),
      one("ln(a)", "natural logarithm", of_one<[](double a) { return std::log(a); }>),
      one("log(a)", "natural logarithm, the same as ln", of_one<[](double a) { return std::log(a); }>),
      one("log2(a)", "logarithm to base 2", of_one<[](double a) { return std::log2(a); }>),
      one("log10(a)", "logarithm to base 10", of_one<[](double a) { return std::log10(a); }>),
      one("sin(a)", "sine", of_one<[](double a) { return std::sin(a); }>),
      one("cos(a)", "cosine of an angle", of_one<[](double a) { return std::cos(a); }>),
      one("tan(a)", "tangent", of_one<[](double a) { return std::tan(a); }>),
      one("asin(a)", "inverse sine", of_one<[](double a) { return std::asin(a); }>),
      one("acos(a)", "inverse cosine", of_one<[](double a) { return std::acos(a); }>),
      one("atan(a)", "inverse tangent", of_one<[](double a) { return std::atan(a); }>),
      two("atan2(y, x)", "angle of the point (x, y)", of_two<[](double a, double b) { return std::atan2(a, b); }>),
      one("tanh(a)", "hyperbolic tangent", of_one<[](double a) { return std::tanh(a); }>),
      one("erfc(a)", "complementary error function: erfc(a / sqrt(2)) / 2 is the chance of a normal number above a",
          of_one<[](double a) { return std::erfc(a); }>),
      one("abs(a)", "absolute value", of_one<[](double a) { return std::abs(a); }>),
      one("sign(a)", "-1, 0 or 1", of_one<sign_of>),
      one("floor(a)", "largest whole number that is not above a", of_one<[](double a) { return std::floor(a); }>),
      one("ceil(a)", "smallest whole number that is not below a", of_one<[](double a) { return std::ceil(a); }>),
      one("round(a)", "nearest whole number, halves away from zero", of_one<[](double a) { return std::round(a); }>),
      two("mod(a, b)", "remainder of a / b with the sign of b; nan for an |a| above 2^53", of_two<remainder_of>),
      fold("sum(a, ...)", "sum of all entries; of several arguments, entry by entry", {kAddUp}),
      fold("mean(a, ...)", "mean, as sum",
           {kAddUp, nullptr,
            [](double* out, size_t n, double count) {
              for (size_t i = 0; i < n; ++i) out[i] /= count;
            }}),
      fold("min(a, ...)", "smallest, as sum", {of_two<[](double a, double b) { return b < a ? b : a; }>}),
      fold("max(a, ...)", "largest, as sum", {of_two<[](double a, double b) { return a < b ? b : a; }>}),
      fold("count(a, ...)", "how many are not 0, as sum: count(x == 3)",
           {kAddUp, of_one<[](double a) { return a != 0 ? 1.0 : 0.0; }>}),
      fold("parity(a, ...)", "sum modulo 2, as sum",
           {kAddUp, nullptr,
            [](double* out, size_t n, double) {
              for (size_t i = 0; i < n; ++i) out[i] = remainder_of(out[i], 2);
            }}),
  };
  for (Function& function : whole_functions()) all.push_back(function);
  return all;
}

}  // namespace

std::string shape_text(std::span<const int64_t> shape) {
  std::string text;
  for (const int64_t extent : shape) text += "[" + std::to_string(extent) + "]";
  return text.empty() ? "one number" : text;
}

const std::vector<Function>& operators() {
  static const std::vector<Function> all = make_operators();
  return all;
}

const std::vector<Function>& functions() {
  static const std::vector<Function> all = make_functions();
  return all;
}

const Function* find_function(const std::vector<Function>& list, std::string_view name) {
  for (const Function& one : list)
    if (one.name() == name) return &one;
  return nullptr;
}

}  // namespace atto

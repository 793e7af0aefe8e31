// The operators and functions of the language: how shapes go together, and what is computed.
#pragma once

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "math/expression/tensor.h"

namespace atto {

// Why shapes do not fit; who knows the place in the text makes an ExpressionError of it.
struct ShapeFault {
  std::string message, remedy;
};

struct TensorView {
  const Shape* shape;
  const double* values;
};

// out[i] from arguments[0][i], arguments[1][i], ..., for i below n.
using ElementKernel = void (*)(const double* const* arguments, double* out, size_t n);
// One value from whole ones.
using WholeKernel = void (*)(std::span<const TensorView> arguments, double* out);
// Entries of the result are entries of the argument: the indices of these.
using SelectKernel = std::vector<size_t> (*)(const Shape& argument);
// One number from many: all entries of one argument, or the same entry of several.
struct Fold {
  ElementKernel combine;                                          // of two
  ElementKernel prepare = nullptr;                                // of each before
  void (*finish)(double* out, size_t n, double count) = nullptr;  // after `count` were combined
};

struct Function {
  std::string_view usage;                                                   // "cosine(a, b)"
  size_t fewest, most;                                                      // arguments
  std::string_view help;                                                    // empty for operators
  Shape (*shape)(std::string_view name, std::span<const Shape> arguments);  // throws ShapeFault
  std::variant<ElementKernel, Fold, SelectKernel, WholeKernel> kernel;

  std::string_view name() const { return usage.substr(0, usage.find('(')); }
};

inline constexpr size_t kAnyNumber = 1000;  // of arguments

// Operators by their sign; "-" with one argument is found as "negative".
const std::vector<Function>& operators();
const std::vector<Function>& functions();
const Function* find_function(const std::vector<Function>& list, std::string_view name);  // nullptr for none

// Numbers of whole values (whole_functions.cpp).
std::vector<Function> whole_functions();
void multiply_whole(std::span<const TensorView> arguments, double* out);  // `*` where the first is a matrix

}  // namespace atto

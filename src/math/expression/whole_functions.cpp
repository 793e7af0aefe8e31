// Functions of whole vectors and matrices.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/expression/functions.h"
#include "math/spectrum.h"

namespace atto {
namespace {

using Views = std::span<const TensorView>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

size_t rows_of(const TensorView& view) { return static_cast<size_t>(view.shape->front()); }
size_t columns_of(const TensorView& view) { return view.shape->size() < 2 ? 1 : static_cast<size_t>((*view.shape)[1]); }
std::span<const double> entries(const TensorView& view) { return {view.values, element_count(*view.shape)}; }
// The solvers do not end, or end anywhere, on numbers that are none.
bool all_finite(const TensorView& view) {
  return std::ranges::all_of(entries(view), [](double value) { return std::isfinite(value); });
}

double dot(const TensorView& a, const TensorView& b) {
  double sum = 0;
  for (size_t i = 0; i < element_count(*a.shape); ++i) sum += a.values[i] * b.values[i];
  return sum;
}

[[noreturn]] void refuse_shape(std::string_view name, const char* wanted, const Shape& found) {
  throw ShapeFault{std::string(name) + " needs " + wanted + ", found " + shape_text(found), ""};
}
void need_rank(std::string_view name, const Shape& shape, size_t rank) {
  if (shape.size() != rank) refuse_shape(name, rank == 1 ? "a vector" : "a matrix", shape);
}
void need_square(std::string_view name, const Shape& shape) {
  if (shape.size() != 2 || shape[0] != shape[1]) refuse_shape(name, "a square matrix", shape);
}

Shape one_number(std::string_view, std::span<const Shape>) { return {}; }
Shape of_equal_shapes(std::string_view name, std::span<const Shape> arguments) {
  if (arguments[0] != arguments[1])
    throw ShapeFault{std::string(name) + " needs equal shapes, found " + shape_text(arguments[0]) + " and " +
                         shape_text(arguments[1]),
                     ""};
  return {};
}
Shape vector_shape(std::string_view name, std::span<const Shape> arguments) {
  need_rank(name, arguments[0], 1);
  return arguments[0];
}

void find_singular_values(Views arguments, double* out) {
  const size_t count = element_count(*arguments[0].shape) / std::max(rows_of(arguments[0]), columns_of(arguments[0]));
  if (all_finite(arguments[0])) std::ranges::copy(singular_values(entries(arguments[0]), rows_of(arguments[0])), out);
  else std::fill_n(out, count, kNan);
}

// [n][2]: real and imaginary part.
void find_eigenvalues(Views arguments, double* out) {
  const size_t n = rows_of(arguments[0]);
  std::fill_n(out, 2 * n, kNan);
  if (!all_finite(arguments[0])) return;
  for (const std::complex<double>& one : eigenvalues(entries(arguments[0]), n)) {
    *out++ = one.real();
    *out++ = one.imag();
  }
}

// The number that stands most often among the arguments' entries; of several the smallest.
double most_frequent(std::vector<double>& values) {
  std::ranges::sort(values);
  double best = kNan;
  size_t most = 0;
  for (size_t i = 0; i < values.size();) {
    size_t end = i;
    while (end < values.size() && values[end] == values[i]) ++end;
    end = std::max(end, i + 1);  // NaN equals nothing
    if (end - i > most) best = values[i];
    most = std::max(most, end - i);
    i = end;
  }
  return best;
}

Shape majority_shape(std::string_view name, std::span<const Shape> arguments) {
  for (const Shape& one : arguments)
    if (arguments.size() > 1 && !one.empty()) refuse_shape(name, "one vector or several numbers", one);
  return {};
}
void majority(Views arguments, double* out) {
  std::vector<double> values;
  for (const TensorView& one : arguments) values.insert(values.end(), entries(one).begin(), entries(one).end());
  *out = most_frequent(values);
}

Shape rank_shape(std::string_view name, std::span<const Shape> arguments) {
  if (!arguments[0].empty()) refuse_shape(name, "a number first", arguments[0]);
  return {};
}

std::vector<size_t> transposed(const Shape& shape) {
  const auto rows = static_cast<size_t>(shape[0]), columns = static_cast<size_t>(shape[1]);
  std::vector<size_t> sources;
  for (size_t c = 0; c < columns; ++c)
    for (size_t r = 0; r < rows; ++r) sources.push_back(r * columns + c);
  return sources;
}
Shape transposed_shape(std::string_view, std::span<const Shape> arguments) {
  if (arguments[0].size() != 2)
    throw ShapeFault{"only a matrix can be transposed, found " + shape_text(arguments[0]),
                     "of vectors, dot(u, v) is the inner product and outer(u, v) the matrix u v'"};
  return {arguments[0][1], arguments[0][0]};
}

void diagonal(Views arguments, double* out) {
  const size_t n = rows_of(arguments[0]);
  const double* values = arguments[0].values;
  if (arguments[0].shape->size() == 2) {
    for (size_t i = 0; i < n; ++i) out[i] = values[i * n + i];
    return;
  }
  std::fill_n(out, n * n, 0.0);
  for (size_t i = 0; i < n; ++i) out[i * n + i] = values[i];
}
Shape diagonal_shape(std::string_view name, std::span<const Shape> arguments) {
  const Shape& shape = arguments[0];
  if (shape.size() == 1) return {shape[0], shape[0]};
  if (shape.size() != 2 || shape[0] != shape[1]) refuse_shape(name, "a vector or a square matrix", shape);
  return {shape[0]};
}

}  // namespace

void multiply_whole(Views arguments, double* out) {
  const size_t rows = rows_of(arguments[0]), inner = columns_of(arguments[0]), columns = columns_of(arguments[1]);
  const double *a = arguments[0].values, *b = arguments[1].values;
  std::fill_n(out, rows * columns, 0.0);
  for (size_t r = 0; r < rows; ++r, out += columns)
    for (size_t i = 0; i < inner; ++i) {
      const double factor = *a++;
      for (size_t c = 0; c < columns; ++c) out[c] += factor * b[i * columns + c];
    }
}

std::vector<Function> whole_functions() {
  return {
      {"majority(a, ...)", 1, kAnyNumber, "the number that stands most often; of several the smallest", majority_shape,
       majority},
      {"rank(a, v)", 2, 2, "how many entries of v are smaller than the number a", rank_shape,
       [](Views arguments, double* out) {
         const double mine = *arguments[0].values;
         *out = static_cast<double>(
             std::ranges::count_if(entries(arguments[1]), [mine](double other) { return other < mine; }));
       }},
      {"sorted(v)", 1, 1, "the entries of a vector in rising order", vector_shape,
       [](Views arguments, double* out) {
         const auto all = entries(arguments[0]);
         std::ranges::copy(all, out);
         // NaN, which is not less than anything, goes last.
         const auto end = std::stable_partition(out, out + all.size(), [](double value) { return !std::isnan(value); });
         std::sort(out, end);
       }},
      {"norm(a)", 1, 1, "square root of the sum of squares of all entries", one_number,
       [](Views arguments, double* out) { *out = std::sqrt(dot(arguments[0], arguments[0])); }},
      {"dot(a, b)", 2, 2, "sum of the products of entries", of_equal_shapes,
       [](Views arguments, double* out) { *out = dot(arguments[0], arguments[1]); }},
      {"cosine(a, b)", 2, 2, "dot(a, b) / (norm(a) * norm(b))", of_equal_shapes,
       [](Views arguments, double* out) {
         const TensorView &a = arguments[0], &b = arguments[1];
         *out = dot(a, b) / (std::sqrt(dot(a, a)) * std::sqrt(dot(b, b)));
       }},
      {"outer(u, v)", 2, 2, "the matrix u v' of two vectors",
       [](std::string_view name, std::span<const Shape> arguments) {
         need_rank(name, arguments[0], 1);
         need_rank(name, arguments[1], 1);
         return Shape{arguments[0][0], arguments[1][0]};
       },
       [](Views arguments, double* out) {
         for (const double u : entries(arguments[0]))
           for (const double v : entries(arguments[1])) *out++ = u * v;
       }},
      {"transpose(m)", 1, 1, "the same as m'", transposed_shape, SelectKernel(transposed)},
      {"diag(a)", 1, 1, "the diagonal of a square matrix, or the matrix that has the vector a as diagonal",
       diagonal_shape, diagonal},
      {"trace(m)", 1, 1, "sum of the diagonal of a square matrix",
       [](std::string_view name, std::span<const Shape> arguments) {
         need_square(name, arguments[0]);
         return Shape{};
       },
       [](Views arguments, double* out) {
         const size_t n = rows_of(arguments[0]);
         *out = 0;
         for (size_t i = 0; i < n; ++i) *out += arguments[0].values[i * n + i];
       }},
      {"singular_values(m)", 1, 1, "min(rows, columns) of them, largest first",
       [](std::string_view name, std::span<const Shape> arguments) {
         need_rank(name, arguments[0], 2);
         return Shape{std::min(arguments[0][0], arguments[0][1])};
       },
       find_singular_values},
      {"eigenvalues(m)", 1, 1,
       "of a square matrix, [n][2]: real and imaginary part, largest modulus first; [:, 0] are the real parts",
       [](std::string_view name, std::span<const Shape> arguments) {
         need_square(name, arguments[0]);
         return Shape{arguments[0][0], 2};
       },
       find_eigenvalues},
      {"effective_rank(m)", 1, 1, "exp(entropy of the variance shares of the principal components), rows as points",
       [](std::string_view name, std::span<const Shape> arguments) {
         need_rank(name, arguments[0], 2);
         return Shape{};
       },
       [](Views arguments, double* out) {
         const Shape& shape = *arguments[0].shape;
         *out = all_finite(arguments[0])
                    ? effective_dimension(arguments[0].values, static_cast<int>(shape[0]), static_cast<int>(shape[1]))
                    : kNan;
       }},
  };
}

}  // namespace atto

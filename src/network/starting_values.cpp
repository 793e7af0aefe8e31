#include "network/starting_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/names.h"
#include "base/words.h"
#include "kernels/random.h"
#include "network/matrix_names.h"

namespace atto {

enum class StartKind { zero, constant, scale, identity, orthogonal };
template <>
struct EnumWords<StartKind> {
  static constexpr std::array words{"zero", "constant", "scale", "identity", "orthogonal"};
};

namespace {

struct StartingValue {
  StartKind kind = StartKind::zero;
  double number = 1;
};

[[noreturn]] void refuse_start(const std::string& text, const std::string& why) {
  throw Error(ErrorKind::config, "network.start: '" + text + "' " + why,
              "write zero, constant X, scale X, identity, identity X, orthogonal or orthogonal X, with X a number");
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

StartingValue read_start(const std::string& text) {
  const size_t space = text.find(' ');
  const std::string word = text.substr(0, space);
  const std::vector<std::string> known = words_of<StartKind>();
  if (std::ranges::find(known, word) == known.end())
    refuse_start(text, "is no start of a matrix" + did_you_mean(word, known));
  StartingValue start{from_word<StartKind>(word), 1};
  const bool wants = start.kind == StartKind::constant || start.kind == StartKind::scale;
  if (space == std::string::npos) {
    if (wants) refuse_start(text, "lacks its number");
    return start;
  }
  const std::optional<double> number = number_of(text.substr(space + 1));
  if (!number || start.kind == StartKind::zero)
    refuse_start(text, start.kind == StartKind::zero ? "has something after zero" : "has no number after its word");
  start.number = *number;
  return start;
}

// Gram and Schmidt, twice, on normal numbers: the first vector in a random direction, the next in a random direction
// across it, and so on.
void start_orthogonal(const Matrix& matrix, double factor, uint64_t seed, float* to) {
  const bool by_rows = matrix.rows <= matrix.columns;
  const auto count = static_cast<size_t>(by_rows ? matrix.rows : matrix.columns);
  const auto length = static_cast<size_t>(by_rows ? matrix.columns : matrix.rows);
  std::vector<double> vectors(count * length);
  for (size_t i = 0; i < vectors.size(); ++i)
    vectors[i] = standard_normal(seed, Purpose::init, init_stream(matrix.name), static_cast<uint32_t>(i));
  const auto dot = [length](const double* a, const double* b) {
    double sum = 0;
    for (size_t k = 0; k < length; ++k) sum += a[k] * b[k];
    return sum;
  };
  for (size_t i = 0; i < count; ++i) {
    double* one = vectors.data() + i * length;
    for (int pass = 0; pass < 2; ++pass) {
      for (size_t j = 0; j < i; ++j) {
        const double* other = vectors.data() + j * length;
        const double along = dot(one, other);
        for (size_t k = 0; k < length; ++k) one[k] -= along * other[k];
      }
    }
    const double size = std::sqrt(dot(one, one));
    for (size_t k = 0; k < length; ++k) one[k] /= size;
  }
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < length; ++k)
      to[by_rows ? i * length + k : k * count + i] = static_cast<float>(factor * vectors[i * length + k]);
}

void start_matrix(const Matrix& matrix, const StartingValue& start, uint64_t seed, std::span<float> values) {
  switch (start.kind) {
    case StartKind::zero:
      std::ranges::fill(values, 0.0f);
      return;
    case StartKind::constant:
      std::ranges::fill(values, static_cast<float>(start.number));
      return;
    case StartKind::scale:
      for (float& value : values) value = static_cast<float>(start.number * static_cast<double>(value));
      return;
    case StartKind::identity:
      std::ranges::fill(values, 0.0f);
      for (int i = 0; i < std::min(matrix.rows, matrix.columns); ++i)
        values[static_cast<size_t>(i * matrix.columns + i)] = static_cast<float>(start.number);
      return;
    case StartKind::orthogonal:
      start_orthogonal(matrix, start.number, seed, values.data());
      return;
  }
}

}  // namespace

uint64_t init_stream(std::string_view name) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash & 0xffffffffffffffu;  // the counter holds 56 bits of it
}

void validate_start(const std::map<std::string, std::string>& start, std::span<const Matrix> matrices) {
  entries_by_matrix(start, matrices, "network.start");
  for (const auto& [name, text] : start) read_start(text);
}

void start_matrices(const std::map<std::string, std::string>& start, std::span<const Matrix> matrices, uint64_t seed,
                    std::span<float> parameters) {
  if (start.empty()) return;
  const auto entries = entries_by_matrix(start, matrices, "network.start");
  for (size_t i = 0; i < matrices.size(); ++i)
    if (entries[i] != nullptr)
      start_matrix(matrices[i], read_start(*entries[i]), seed,
                   parameters.subspan(matrices[i].offset, matrices[i].size()));
}

}  // namespace atto

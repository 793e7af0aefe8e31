#include "network/starting_values.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/names.h"
#include "base/number_text.h"
#include "base/words.h"
#include "data/files/number_file.h"
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
  const auto [end, error] = read_number(text.data(), text.data() + text.size(), number);
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

// The numbers for a matrix. A vector, one row, may be a list of numbers or a column.
const NumberArray& array_for(const Matrix& matrix, const NumberFile& file) {
  const NumberArray* plain = file.find(plain_address(matrix.name));
  const NumberArray& array = file.arrays.size() > 1 && plain != nullptr ? *plain : file.only(matrix.name);
  const auto rows = static_cast<size_t>(matrix.rows), columns = static_cast<size_t>(matrix.columns);
  const bool vector =
      rows == 1 && (array.shape == std::vector{columns} || array.shape == std::vector{columns, size_t{1}});
  if (!vector && array.shape != std::vector{rows, columns})
    throw Error(
        ErrorKind::config,
        file.name + " has " + shape_text(array.shape) + ", but " + matrix.name + " is " + shape_text({rows, columns}),
        "save one row for each output of the matrix, and one number for each input");
  for (size_t i = 0; i < array.values.size(); ++i)
    if (!std::isfinite(static_cast<float>(array.values[i])))
      throw Error(ErrorKind::config,
                  file.place(array, i / columns, i % columns) + ": " + to_text(array.values[i]) + " cannot be a weight",
                  "save finite numbers");
  return array;
}

}  // namespace

uint64_t init_stream(std::string_view name) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash & 0xffffffffffffffu;  // the counter holds 56 bits of it
}

void validate_start(const NetworkConfig& config, std::span<const Matrix> matrices) {
  const auto words = entries_by_matrix(config.start, matrices, "network.start");
  const auto files = entries_by_matrix(config.start_file, matrices, "network.start_file");
  for (const auto& [name, text] : config.start) read_start(text);
  for (const auto& [name, hash] : config.start_hash)
    if (!config.start_file.contains(name))
      throw Error(ErrorKind::config, "network.start_hash has '" + name + "', which network.start_file has not",
                  "leave it out, or name the file under the same name");
  for (const auto& [name, path] : config.start_file)
    if (!config.start_content.contains(name))
      throw Error(ErrorKind::internal, "network.start_file = \"" + path + "\" has not been read");
  const auto contents = entries_by_matrix(config.start_content, matrices, "network.start_file");
  for (size_t i = 0; i < matrices.size(); ++i) {
    if (words[i] != nullptr && files[i] != nullptr)
      throw Error(ErrorKind::config,
                  "network.start and network.start_file both say how " + matrices[i].name + " starts",
                  "keep one of the two");
    if (contents[i] != nullptr) array_for(matrices[i], **contents[i]);
  }
}

void start_matrices(const StartingValues& start, std::span<const Matrix> matrices, uint64_t seed,
                    std::span<float> parameters) {
  if (start.words.empty() && start.files.empty()) return;
  const auto words = entries_by_matrix(start.words, matrices, "network.start");
  const auto files = entries_by_matrix(start.files, matrices, "network.start_file");
  for (size_t i = 0; i < matrices.size(); ++i) {
    const auto values = parameters.subspan(matrices[i].offset, matrices[i].size());
    if (words[i] != nullptr) start_matrix(matrices[i], read_start(*words[i]), seed, values);
    if (files[i] == nullptr) continue;
    const NumberArray& array = array_for(matrices[i], **files[i]);
    std::ranges::transform(array.values, values.begin(), [](double value) { return static_cast<float>(value); });
  }
}

}  // namespace atto

#include "app/export/transformer_lens.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace atto {
namespace {

// [rows][columns] to [columns][rows].
std::vector<float> transposed(const float* values, int64_t rows, int64_t columns) {
  std::vector<float> result;
  result.reserve(static_cast<size_t>(rows * columns));
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t row = 0; row < rows; ++row) result.push_back(values[row * columns + column]);
  return result;
}

template <size_t kCount>
bool ends_with_any(const std::string& name, const std::array<const char*, kCount>& endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return name.ends_with(ending); });
}

NamedTensor tensor_of(const WeightMatrix& matrix, int64_t heads) {
  constexpr std::array kIntoHeads = {"attn.W_Q", "attn.W_K", "attn.W_V"};
  constexpr std::array kHeadBiases = {"attn.b_Q", "attn.b_K", "attn.b_V"};
  constexpr std::array kTables = {"W_E", "W_pos", "attn.bias"};  // rows of numbers, nothing is multiplied by them
  const std::string& name = matrix.name;
  const int64_t rows = matrix.rows, columns = matrix.columns;
  if (ends_with_any(name, kIntoHeads)) {  // [H·K][D] to [H][D][K]
    const int64_t width = rows / heads;
    NamedTensor tensor{name, {heads, columns, width}, {}};
    for (int64_t head = 0; head < heads; ++head) {
      const std::vector<float> one = transposed(matrix.values.data() + head * width * columns, width, columns);
      tensor.values.insert(tensor.values.end(), one.begin(), one.end());
    }
    return tensor;
  }
  if (ends_with_any(name, kHeadBiases)) return {name, {heads, columns / heads}, matrix.values};
  if (ends_with_any(name, kTables)) return {name, {rows, columns}, matrix.values};
  const bool multiplies = name.substr(name.rfind('.') + 1).starts_with("W");
  if (!multiplies) return {name, {rows * columns}, matrix.values};
  std::vector<float> values = transposed(matrix.values.data(), rows, columns);
  if (name.ends_with("attn.W_O")) return {name, {heads, columns / heads, rows}, std::move(values)};  // [H·K][D]
  return {name, {columns, rows}, std::move(values)};
}

// Of a run that this program trained it always is.
void require_whole(const NamedTensor& tensor) {
  int64_t count = 1;
  for (const int64_t extent : tensor.shape) count *= extent;
  if (count != std::ssize(tensor.values))
    throw Error(ErrorKind::store, "the weights '" + tensor.name + "' do not fit the number of heads of their run",
                "`atto check` tells whether the store is whole; train the run again");
}

}  // namespace

std::vector<NamedTensor> transformer_lens_tensors(const std::vector<WeightMatrix>& weights, int64_t heads) {
  std::vector<NamedTensor> tensors;
  for (const WeightMatrix& matrix : weights) tensors.push_back(tensor_of(matrix, heads));
  for (const NamedTensor& one : tensors) require_whole(one);
  return tensors;
}

}  // namespace atto

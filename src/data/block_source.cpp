#include "data/block_source.h"

#include <algorithm>
#include <type_traits>

namespace atto {
namespace {

// Rows of so many numbers at a time: their columns are read one after the other, and stay in the nearest cache.
constexpr size_t kNumbersAtATime = 2048;

// With the distance known, and the largest number kept instead of a truth value, the compiler turns several at once.
template <int64_t kDown, class Number>
bool take_column(const Number* from, int64_t down, size_t rows, int vocabulary, int32_t* to) {
  using Checked = std::conditional_t<sizeof(Number) == 8, uint64_t, uint32_t>;  // where negative numbers are large
  const int64_t step = kDown > 0 ? kDown : down;
  Checked largest = 0;
  for (size_t row = 0; row < rows; ++row) {
    const Number number = from[static_cast<int64_t>(row) * step];
    largest = std::max(largest, static_cast<Checked>(number));
    to[row] = static_cast<int32_t>(number);
  }
  return largest < static_cast<Checked>(vocabulary);
}

template <class Number>
auto column_taker(int64_t down) {
  switch (down) {
    case 1:
      return &take_column<1, Number>;
    case 2:
      return &take_column<2, Number>;
    case 3:
      return &take_column<3, Number>;
    case 4:
      return &take_column<4, Number>;
    case 8:
      return &take_column<8, Number>;
    default:
      return &take_column<0, Number>;
  }
}

}  // namespace

template <class Number>
bool take_tokens(const NumberRows<Number>& from, int vocabulary, std::vector<int32_t>& to) {
  to.resize(from.rows * from.columns);
  const auto take = column_taker<Number>(from.down);
  const size_t at_a_time = std::max<size_t>(kNumbersAtATime / std::max<size_t>(from.columns, 1), 64);
  bool fits = true;
  for (size_t row = 0; row < from.rows; row += at_a_time)
    for (size_t column = 0; column < from.columns; ++column)
      fits &= take(from.first + static_cast<int64_t>(row) * from.down + static_cast<int64_t>(column) * from.right,
                   from.down, std::min(at_a_time, from.rows - row), vocabulary, to.data() + column * from.rows + row);
  return fits;
}

template bool take_tokens(const NumberRows<int8_t>&, int, std::vector<int32_t>&);
template bool take_tokens(const NumberRows<uint8_t>&, int, std::vector<int32_t>&);
template bool take_tokens(const NumberRows<int16_t>&, int, std::vector<int32_t>&);
template bool take_tokens(const NumberRows<uint16_t>&, int, std::vector<int32_t>&);
template bool take_tokens(const NumberRows<int32_t>&, int, std::vector<int32_t>&);
template bool take_tokens(const NumberRows<uint32_t>&, int, std::vector<int32_t>&);
template bool take_tokens(const NumberRows<int64_t>&, int, std::vector<int32_t>&);
template bool take_tokens(const NumberRows<uint64_t>&, int, std::vector<int32_t>&);

}  // namespace atto

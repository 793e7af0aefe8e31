// Arrays of any layout and width as columns of tokens.
#include "data/block_source.h"

#include <gtest/gtest.h>

#include <limits>

namespace atto {
namespace {

template <class Number>
class TakeTokens : public testing::Test {};
using WholeNumbers = testing::Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(TakeTokens, WholeNumbers);

// Number i of a row of `columns` is at down · row + right · i; the rows are counted through.
template <class Number>
std::vector<Number> laid_out(size_t rows, size_t columns, size_t down, size_t right) {
  std::vector<Number> memory(rows * columns * 2, Number{99});
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column)
      memory[down * row + right * column] = static_cast<Number>((row * columns + column) % 90);
  return memory;
}

TYPED_TEST(TakeTokens, ComeAsColumnsFromEveryLayout) {
  constexpr size_t kRows = 37;
  for (const size_t columns : {1, 2, 3, 4, 5, 8}) {
    for (const auto& [down, right] : std::vector<std::pair<size_t, size_t>>{
             {columns, 1}, {1, kRows}, {2 * columns, 2}, {2 * columns, 1}}) {  // C, Fortran, every other number or row
      const auto memory = laid_out<TypeParam>(kRows, columns, down, right);
      std::vector<int32_t> tokens(3, -1);
      ASSERT_TRUE(take_tokens(
          NumberRows<TypeParam>{memory.data(), kRows, columns, static_cast<int64_t>(down), static_cast<int64_t>(right)},
          90, tokens));
      ASSERT_EQ(tokens.size(), kRows * columns);
      for (size_t row = 0; row < kRows; ++row)
        for (size_t column = 0; column < columns; ++column)
          ASSERT_EQ(tokens[column * kRows + row], static_cast<int32_t>((row * columns + column) % 90));
    }
  }
}

// Rows of so many numbers are read in parts.
TYPED_TEST(TakeTokens, LongArraysComeWhole) {
  constexpr size_t kRows = 200, kColumns = 40;
  const auto memory = laid_out<TypeParam>(kRows, kColumns, kColumns, 1);
  std::vector<int32_t> tokens;
  ASSERT_TRUE(take_tokens(NumberRows<TypeParam>{memory.data(), kRows, kColumns, kColumns, 1}, 90, tokens));
  for (size_t row = 0; row < kRows; ++row)
    for (size_t column = 0; column < kColumns; ++column)
      ASSERT_EQ(tokens[column * kRows + row], static_cast<int32_t>((row * kColumns + column) % 90));
}

TYPED_TEST(TakeTokens, RefusesWhatIsNoToken) {
  std::vector<int32_t> tokens;
  for (const TypeParam wrong : {static_cast<TypeParam>(90), std::numeric_limits<TypeParam>::max(),
                                static_cast<TypeParam>(-1), std::numeric_limits<TypeParam>::lowest()}) {
    if (wrong == 0) continue;  // the least of an unsigned kind
    for (const size_t place : {size_t{0}, size_t{50}, size_t{36 * 4 + 3}}) {
      auto memory = laid_out<TypeParam>(37, 4, 4, 1);
      memory[place] = wrong;
      EXPECT_FALSE(take_tokens(NumberRows<TypeParam>{memory.data(), 37, 4, 4, 1}, 90, tokens)) << +wrong;
    }
  }
}

// 2³² + 3 is no 3.
TEST(TakeTokens64, DoesNotCutNumbers) {
  std::vector<int32_t> tokens;
  const int64_t large = (int64_t{1} << 32) + 3;
  EXPECT_FALSE(take_tokens(NumberRows<int64_t>{&large, 1, 1, 1, 1}, 90, tokens));
}

}  // namespace
}  // namespace atto

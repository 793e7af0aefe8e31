// Exported matrices have the shapes that TransformerLens means by their names.
#include "app/export/transformer_lens.h"

#include <gtest/gtest.h>

#include <numeric>

namespace atto {
namespace {

using Shape = std::vector<int64_t>;
using Numbers = std::vector<float>;

// The numbers 0, 1, 2 ... in the store's order, so that each tells where it came from.
NamedTensor exported(const std::string& name, int64_t rows, int64_t columns, int64_t heads) {
  Numbers values(static_cast<size_t>(rows * columns));
  std::iota(values.begin(), values.end(), 0.0f);
  return transformer_lens_tensors({{name, rows, columns, values}}, heads).at(0);
}

TEST(TransformerLens, HasHeadsFirstInAttention) {
  // Two heads of width 1 over d_model 3: row h of the store is head h.
  const NamedTensor query = exported("blocks.0.attn.W_Q", 2, 3, 2);
  EXPECT_EQ(query.shape, (Shape{2, 3, 1}));
  EXPECT_EQ(query.values, (Numbers{0, 1, 2, 3, 4, 5}));
  // One head of width 2: W_Q[d][k] = store[k][d].
  const NamedTensor one = exported("blocks.0.attn.W_K", 2, 3, 1);
  EXPECT_EQ(one.shape, (Shape{1, 3, 2}));
  EXPECT_EQ(one.values, (Numbers{0, 3, 1, 4, 2, 5}));
  // Two heads of width 2 over d_model 2: each head's block is transposed by itself.
  const NamedTensor value = exported("blocks.1.attn.W_V", 4, 2, 2);
  EXPECT_EQ(value.shape, (Shape{2, 2, 2}));
  EXPECT_EQ(value.values, (Numbers{0, 2, 1, 3, 4, 6, 5, 7}));
  // W_O[h][k][d] = store[d][h·K + k].
  const NamedTensor output = exported("blocks.0.attn.W_O", 2, 4, 2);
  EXPECT_EQ(output.shape, (Shape{2, 2, 2}));
  EXPECT_EQ(output.values, (Numbers{0, 4, 1, 5, 2, 6, 3, 7}));
  const NamedTensor bias = exported("blocks.0.attn.b_Q", 1, 4, 2);
  EXPECT_EQ(bias.shape, (Shape{2, 2}));
  EXPECT_EQ(bias.values, (Numbers{0, 1, 2, 3}));
}

TEST(TransformerLens, MultipliesFromTheRight) {
  for (const char* name : {"W_U", "blocks.0.mlp.W_in", "blocks.0.mlp.W_out", "W_in"}) {
    const NamedTensor tensor = exported(name, 2, 3, 1);
    EXPECT_EQ(tensor.shape, (Shape{3, 2})) << name;
    EXPECT_EQ(tensor.values, (Numbers{0, 3, 1, 4, 2, 5})) << name;
  }
}

TEST(TransformerLens, AMatrixOfOneRowIsAMatrix) {
  EXPECT_EQ(exported("blocks.0.mlp.W_out", 1, 4, 1).shape, (Shape{4, 1}));
}

TEST(TransformerLens, KeepsTablesAndMakesVectorsOfRows) {
  for (const char* name : {"W_E", "W_pos", "blocks.0.attn.bias"}) {
    const NamedTensor table = exported(name, 2, 3, 2);
    EXPECT_EQ(table.shape, (Shape{2, 3})) << name;
    EXPECT_EQ(table.values, (Numbers{0, 1, 2, 3, 4, 5})) << name;
  }
  for (const char* name : {"blocks.0.attn.b_O", "blocks.0.mlp.b_in", "b_U", "ln_final.w", "blocks.0.attn.slope", "a"})
    EXPECT_EQ(exported(name, 1, 3, 2).shape, Shape{3}) << name;
}

}  // namespace
}  // namespace atto

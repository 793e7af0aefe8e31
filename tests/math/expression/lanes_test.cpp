#include "math/expression/lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace atto::lanes_test {
namespace {

constexpr size_t kLanes = 700;  // more than two blocks, and not a multiple of one

// One lane by itself.
double alone(const Expression& expression, const std::vector<std::vector<double>>& columns, size_t lane) {
  size_t next = 0;
  return expression.number([&](const std::string&) { return columns[next++][lane]; });
}

TEST(LaneProgram, GivesTheBitsOfOneEvaluation) {
  for (const char* text :
       {"mod(x0 + x1, 97)", "x0 * x1 - x0 / (x1 + 0.1)", "x0 > x1 ? sqrt(x0) : exp(-x1)", "max(x0, x1, 3) ^ 1.5",
        "ln(x0) + log2(x1)", "x0", "2", "majority(x0, x1, x0 - x1)", "parity(x0, x1)", "count(x0 == 1, x1 < 2, 0)",
        "mean(x0, x1, x0 * x1) + floor(x0 / 3) * sign(x1 - 2)", "mod(x0 * 1e14, x1)", "norm(x0) + rank(x0, x1)"}) {
    const Expression expression(text);
    std::vector<std::vector<double>> columns(expression.names().size(), std::vector<double>(kLanes));
    for (size_t c = 0; c < columns.size(); ++c)
      for (size_t i = 0; i < kLanes; ++i) columns[c][i] = static_cast<double>((i * (7 + 4 * c) + c) % 101) / 2;
    const LaneProgram program(expression, [](const std::string&) { return Shape{}; });
    LaneScratch scratch = program.scratch();
    std::vector<LaneInput> inputs;
    for (const auto& column : columns) inputs.push_back(lane_input(column.data()));
    std::vector<double> out(kLanes, -1);
    for (int again = 0; again < 2; ++again) {
      program.run(inputs, kLanes, out.data(), scratch);
      for (size_t i = 0; i < kLanes; ++i) {
        const double expected = alone(expression, columns, i);
        ASSERT_EQ(std::bit_cast<uint64_t>(out[i]), std::bit_cast<uint64_t>(expected)) << text << ", lane " << i;
      }
    }
  }
}

TEST(LaneProgram, ReadsTokensAndConstants) {
  std::vector<int32_t> tokens(2 * kLanes);
  for (size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<int32_t>(i * i % 97);
  const double vocabulary = 97;
  const LaneProgram program(Expression("mod(x0 + x1, V)"), [](const std::string&) { return Shape{}; });
  LaneScratch scratch = program.scratch();
  const LaneInput inputs[] = {lane_input(tokens.data()), lane_input(tokens.data() + kLanes), every_lane(&vocabulary)};
  std::vector<double> out(kLanes);
  const double* registers = scratch.registers.data();
  program.run(inputs, kLanes, out.data(), scratch);
  for (size_t i = 0; i < kLanes; ++i) EXPECT_EQ(out[i], (tokens[i] + tokens[kLanes + i]) % 97);
  EXPECT_EQ(scratch.registers.data(), registers) << "nothing is allocated";
}

// A vector of all tokens: rows of the batch are its entries.
TEST(LaneProgram, ReadsVectorsAcrossLanes) {
  constexpr size_t kContext = 5;
  std::vector<int32_t> tokens(kContext * kLanes);
  for (size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<int32_t>(i * 31 % 7);
  const LaneInput x{nullptr, tokens.data(), 1, kLanes};
  for (const char* text : {"sum(x)", "max(x) - min(x)", "majority(x)", "count(x == x[0])", "rank(x[-1], x)",
                           "parity(x)", "sorted(x)[2]", "dot(x, x[0] * x)"}) {
    const Expression expression(text);
    const LaneProgram program(expression, [](const std::string&) { return Shape{kContext}; });
    LaneScratch scratch = program.scratch();
    std::vector<double> out(kLanes);
    program.run({&x, 1}, kLanes, out.data(), scratch);
    for (size_t i = 0; i < kLanes; ++i) {
      Tensor one{{kContext}, {}};
      for (size_t c = 0; c < kContext; ++c) one.values.push_back(tokens[c * kLanes + i]);
      ASSERT_EQ(out[i], expression.evaluate([&](const std::string&) { return one; }).values[0])
          << text << ", lane " << i;
    }
  }
}

// Matrices of many steps, one after the other, as a recording stores them.
TEST(LaneProgram, WritesValuesOneAfterTheOther) {
  constexpr size_t kSteps = 40;
  std::vector<double> matrices(kSteps * 6);
  for (size_t i = 0; i < matrices.size(); ++i) matrices[i] = std::sin(static_cast<double>(i));
  const Expression expression("singular_values(W * W')");
  const LaneProgram program(expression, [](const std::string&) { return Shape{2, 3}; });
  EXPECT_EQ(program.shape(), Shape{2});
  LaneScratch scratch = program.scratch();
  const LaneInput input = values_by_lane(matrices.data(), 6);
  std::vector<double> out(kSteps * 2);
  program.run({&input, 1}, kSteps, out.data(), scratch);
  for (size_t i = 0; i < kSteps; ++i) {
    const auto first = matrices.begin() + static_cast<std::ptrdiff_t>(6 * i);
    const Tensor one{{2, 3}, {first, first + 6}};
    const Tensor expected = expression.evaluate([&](const std::string&) { return one; });
    EXPECT_EQ(out[2 * i], expected.values[0]);
    EXPECT_EQ(out[2 * i + 1], expected.values[1]);
  }
}

}  // namespace
}  // namespace atto::lanes_test

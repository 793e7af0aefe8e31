// Wide linear maps and the gradients of their weights against plain loops in double.
#include <gtest/gtest.h>

#include <tuple>

#include "kernels/kernel_testing.h"
#include "kernels/wide/wide_kernels.h"

namespace atto {
namespace {

struct Shape {
  int out, in, positions, n;

  size_t weights() const { return static_cast<size_t>(out) * in; }
  int inputs() const { return positions * in * n; }
  int outputs() const { return positions * out * n; }
  int input(int p, int i, int b) const { return (p * in + i) * n + b; }
  int output(int p, int o, int b) const { return (p * out + o) * n + b; }
};

// The parameters are `in` and `out`; positions and lanes are looped over.
class ProjectKernels : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  template <class Check>
  void for_shapes(const Check& check) const {
    const auto [out, in] = GetParam();
    for (const int positions : {0, 1, 2, 5})
      for (const int n : {0, 16, 32, 48}) {
        SCOPED_TRACE("positions " + std::to_string(positions) + ", lanes " + std::to_string(n));
        check(Shape{out, in, positions, n});
        if (HasFatalFailure()) return;
      }
  }
};
INSTANTIATE_TEST_SUITE_P(Widths, ProjectKernels,
                         testing::Combine(testing::Values(1, 3, 8, 15, 33), testing::Values(1, 2, 7, 33)));

TEST_P(ProjectKernels, ForwardIsTheProductAndTheBias) {
  for_shapes([](const Shape& shape) {
    const auto [out, in, positions, n] = shape;
    const auto w = draw(out * in, 1), x = draw(shape.inputs(), 2), bias = draw(out, 3),
               start = draw(shape.outputs(), 4);
    for (const bool add : {false, true})
      for (const bool biased : {false, true}) {
        std::vector<Sum> y(shape.outputs());
        for (int p = 0; p < positions; ++p)
          for (int o = 0; o < out; ++o)
            for (int b = 0; b < n; ++b) {
              Sum& sum = y[shape.output(p, o, b)];
              if (add) sum.add(start[shape.output(p, o, b)]);
              if (biased) sum.add(bias[o]);
              for (int i = 0; i < in; ++i) sum.add(static_cast<double>(w[o * in + i]) * x[shape.input(p, i, b)]);
            }
        expect_sums(y, [&, out = out, in = in, positions = positions, n = n](Memory& memory) {
          float* result = add ? memory.result(start) : memory.result(shape.outputs());
          project_forward(memory.input(w), biased ? memory.input(bias) : nullptr, out, in, memory.input(x), result,
                          positions, n, add);
        });
      }
  });
}

TEST_P(ProjectKernels, BackwardIsTheTransposedProduct) {
  for_shapes([](const Shape& shape) {
    const auto [out, in, positions, n] = shape;
    const auto w = draw(out * in, 5), dy = draw(shape.outputs(), 6), start = draw(shape.inputs(), 7);
    for (const bool add : {false, true}) {
      std::vector<Sum> dx(shape.inputs());
      for (int p = 0; p < positions; ++p)
        for (int i = 0; i < in; ++i)
          for (int b = 0; b < n; ++b) {
            Sum& sum = dx[shape.input(p, i, b)];
            if (add) sum.add(start[shape.input(p, i, b)]);
            for (int o = 0; o < out; ++o) sum.add(static_cast<double>(w[o * in + i]) * dy[shape.output(p, o, b)]);
          }
      expect_sums(dx, [&, out = out, in = in, positions = positions, n = n](Memory& memory) {
        float* result = add ? memory.result(start) : memory.result(shape.inputs());
        project_backward(memory.input(w), out, in, memory.input(dy), result, positions, n, add);
      });
    }
  });
}

void check_weight_gradients(const Shape& shape) {
  const auto [out, in, positions, n] = shape;
  const auto dy = draw(shape.outputs(), 8), x = draw(shape.inputs(), 9);
  const auto dw_start = draw(out * in, 10), db_start = draw(out, 11);
  for (const bool biased : {false, true}) {
    std::vector<Sum> expected;
    for (const float value : dw_start) expected.emplace_back(value);
    for (int p = 0; p < positions; ++p)
      for (int o = 0; o < out; ++o)
        for (int i = 0; i < in; ++i)
          for (int b = 0; b < n; ++b)
            expected[o * in + i].add(static_cast<double>(dy[shape.output(p, o, b)]) * x[shape.input(p, i, b)]);
    for (int o = 0; biased && o < out; ++o) {
      expected.emplace_back(db_start[o]);
      for (int p = 0; p < positions; ++p)
        for (int b = 0; b < n; ++b) expected.back().add(dy[shape.output(p, o, b)]);
    }
    expect_sums(expected, [&, out = out, in = in, positions = positions, n = n](Memory& memory) {
      float* dw = memory.result(dw_start);
      float* dbias = biased ? memory.result(db_start) : nullptr;
      project_weights_backward(dw, dbias, out, in, memory.input(dy), memory.input(x), positions, n);
    });
  }
}

TEST_P(ProjectKernels, WeightGradientsAreAddedUp) { for_shapes(check_weight_gradients); }

// Sums long enough to be cut: over inputs, over positions, over the lanes of one position; and large matrices.
TEST(ProjectKernelsLong, SumsAreCutWithoutLoss) {
  const Shape shape{2, 300, 2, 16};
  const auto w = draw(600, 1), x = draw(shape.inputs(), 2), bias = draw(2, 3);
  std::vector<Sum> y;
  for (int i = 0; i < shape.outputs(); ++i) y.emplace_back(bias[i / 16 % 2]);
  for (int p = 0; p < 2; ++p)
    for (int o = 0; o < 2; ++o)
      for (int i = 0; i < 300; ++i)
        for (int b = 0; b < 16; ++b)
          y[shape.output(p, o, b)].add(static_cast<double>(w[o * 300 + i]) * x[shape.input(p, i, b)]);
  expect_sums(y, [&](Memory& memory) {
    project_forward(memory.input(w), memory.input(bias), 2, 300, memory.input(x), memory.result(shape.outputs()), 2, 16,
                    false);
  });
  for (const Shape& cut : {Shape{3, 7, 101, 32}, Shape{270, 3, 2, 16}, Shape{5, 70, 3, 16}, Shape{3, 2, 2, 1600}})
    check_weight_gradients(cut);
}

// A row's sum does not depend on the rows, positions and lanes computed beside it.
TEST(ProjectKernelsLong, ResultsDoNotDependOnTheirNeighbours) {
  const Shape shape{33, 140, 5, 48};
  const auto w = draw(33 * 140, 1), bias = draw(33, 2), x = draw(shape.inputs(), 3);
  std::vector<float> whole(shape.outputs()), one(16);
  project_forward(w.data(), bias.data(), 33, 140, x.data(), whole.data(), 5, 48, false);
  for (const int p : {0, 3, 4})
    for (const int o : {0, 7, 8, 31, 32}) {
      std::vector<float> lanes(140 * 16);
      for (int i = 0; i < 140; ++i)
        for (int b = 0; b < 16; ++b) lanes[i * 16 + b] = x[shape.input(p, i, 32 + b)];
      project_forward(w.data() + o * 140, bias.data() + o, 1, 140, lanes.data(), one.data(), 1, 16, false);
      for (int b = 0; b < 16; ++b) EXPECT_EQ(one[b], whole[shape.output(p, o, 32 + b)]);
    }
}

}  // namespace
}  // namespace atto

// Rotations, norms of heads and gates against scalar references in double.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/kernel_testing.h"
#include "kernels/wide/wide_kernels.h"

namespace atto::query_key_test {
namespace {

struct Shape {
  int positions, heads, width, n;
  int rows() const { return positions * heads * width; }
};
const Shape kShapes[] = {{1, 1, 1, 16}, {3, 2, 2, 32}, {2, 3, 5, 48}, {4, 1, 16, 16}, {2, 2, 7, 64}};

TEST(RotatePairs, TurnsPairsAndBack) {
  for (const Shape& s : kShapes) {
    const int pairs = s.width / 2;
    const auto x = draw(s.rows() * s.n, 1);
    std::vector<float> angles;
    for (int i = 0; i < s.positions * pairs; ++i) {
      angles.push_back(static_cast<float>(std::cos(0.7 * i)));
      angles.push_back(static_cast<float>(std::sin(0.7 * i)));
    }
    for (const bool back : {false, true}) {
      std::vector<Sum> expected(x.size());
      for (int row = 0; row < s.rows(); ++row)
        for (int b = 0; b < s.n; ++b) {
          const int f = row % s.width, p = row / s.width / s.heads, even = row - f % 2;
          Sum& y = expected[row * s.n + b];
          if (f == s.width - 1 && s.width % 2 == 1) {
            y.add(x[row * s.n + b]);
            continue;
          }
          const double c = angles[(p * pairs + f / 2) * 2], sine = angles[(p * pairs + f / 2) * 2 + 1];
          const double sn = back ? -sine : sine, x0 = x[even * s.n + b], x1 = x[(even + 1) * s.n + b];
          y.add(f % 2 == 0 ? x0 * c : x0 * sn);
          y.add(f % 2 == 0 ? -x1 * sn : x1 * c);
        }
      expect_sums(expected, [&](Memory& memory) {
        rotate_pairs(memory.input(angles), s.heads, s.width, memory.result(x), s.positions, s.n, back);
      });
    }
  }
}

TEST(HeadNorm, ForwardAndBackward) {
  for (const Shape& s : kShapes) {
    const int groups = s.positions * s.heads;
    const auto x = draw(s.rows() * s.n, 1), w = draw(s.width, 2), dy = draw(s.rows() * s.n, 3),
               start = draw(s.width, 4);
    std::vector<Sum> y(x.size()), dx(x.size()), dw, kept(groups * s.n);
    std::vector<float> inverses(groups * s.n);
    for (const float value : start) dw.emplace_back(value);
    for (int g = 0; g < groups; ++g)
      for (int b = 0; b < s.n; ++b) {
        const auto at = [&](int f) { return (g * s.width + f) * s.n + b; };
        double square = 0;
        for (int f = 0; f < s.width; ++f) square += static_cast<double>(x[at(f)]) * x[at(f)] / s.width;
        const double inverse = 1 / std::sqrt(square + static_cast<double>(kNormEpsilon));
        kept[g * s.n + b].add(inverse);
        inverses[g * s.n + b] = static_cast<float>(inverse);
        const double r = inverses[g * s.n + b];
        Sum along;
        for (int f = 0; f < s.width; ++f) {
          y[at(f)].add(w[f] * x[at(f)] * inverse);
          along.add(static_cast<double>(w[f]) * dy[at(f)] * x[at(f)] * r * r / s.width);
          dw[f].add(static_cast<double>(dy[at(f)]) * x[at(f)] * r);
        }
        for (int f = 0; f < s.width; ++f) {
          dx[at(f)].add(static_cast<double>(w[f]) * dy[at(f)] * r);
          dx[at(f)].add(-x[at(f)] * along.value * r, std::abs(x[at(f)]) * along.size * r);
        }
      }
    std::vector<Sum> forward = y, backward = dx;
    forward.insert(forward.end(), kept.begin(), kept.end());
    backward.insert(backward.end(), dw.begin(), dw.end());
    expect_sums(forward, [&](Memory& memory) {
      float* out = memory.result(s.rows() * s.n);
      head_norm_forward(memory.input(w), s.heads, s.width, memory.input(x), out, memory.result(groups * s.n),
                        s.positions, s.n);
    });
    for (const bool in_place : {false, true})
      expect_sums(backward, [&](Memory& memory) {
        float* to = in_place ? memory.result(dy) : memory.result(s.rows() * s.n);
        head_norm_backward(memory.input(w), s.heads, s.width, memory.input(x), memory.input(inverses),
                           in_place ? to : memory.input(dy), to, memory.result(start), s.positions, s.n);
      });
  }
}

TEST(Gates, ForwardAndBackward) {
  for (const int count : {16, 64, 144}) {
    auto x = draw(count, 1);
    for (float& value : x) value *= 8;
    x[0] = 200, x[1] = -200;
    const auto mixed = draw(count, 2), dy = draw(count, 3);
    std::vector<Sum> gate(count), y(count), dmixed(count), dx(count);
    std::vector<float> open(count);
    for (int i = 0; i < count; ++i) {
      const double g = 1 / (1 + std::exp(-static_cast<double>(x[i])));
      gate[i].add(g < 1e-37 ? 0 : g, g * 10);
      y[i].add(g < 1e-37 ? 0 : g * mixed[i], std::abs(g * mixed[i]) * 10);
      open[i] = static_cast<float>(g < 1e-37 ? 0 : g);
      dmixed[i].add(static_cast<double>(open[i]) * dy[i]);
      dx[i].add(static_cast<double>(dy[i]) * mixed[i] * open[i] * (1.0 - open[i]),
                std::abs(dy[i] * mixed[i] * open[i]));
    }
    gate.insert(gate.end(), y.begin(), y.end());
    expect_sums(gate, [&](Memory& memory) {
      float* to = memory.result(x);
      gate_forward(to, memory.input(mixed), to, memory.result(count), count);
    });
    dmixed.insert(dmixed.end(), dx.begin(), dx.end());
    expect_sums(dmixed, [&](Memory& memory) {
      float* to = memory.result(dy);
      gate_backward(memory.input(open), memory.input(mixed), to, to, memory.result(count), count);
    });
  }
}

}  // namespace
}  // namespace atto::query_key_test

// Layer norm against its formula in double, and its gradients against slopes.
#include <gtest/gtest.h>

#include "kernels/kernel_testing.h"
#include "kernels/wide/wide_kernels.h"

namespace atto {
namespace {

// The features of one position and lane.
struct Features {
  std::vector<double> x, w, b;

  double mean() const {
    double sum = 0;
    for (const double value : x) sum += value;
    return sum / static_cast<double>(x.size());
  }
  double inverse() const {
    double sum = 0;
    for (const double value : x) sum += (value - mean()) * (value - mean());
    return 1 / std::sqrt(sum / static_cast<double>(x.size()) + static_cast<double>(kNormEpsilon));
  }
  std::vector<double> normal() const {
    const double m = mean(), r = inverse();
    std::vector<double> y(x.size());
    for (size_t f = 0; f < x.size(); ++f) y[f] = w[f] * (x[f] - m) * r + b[f];
    return y;
  }
};

struct Batch {
  int width, positions, n;
  std::vector<float> x = draw(positions * width * n, 1), w = draw(width, 2), b = draw(width, 3);
  std::vector<float> dy = draw(positions * width * n, 4);

  int at(int p, int f, int lane) const { return (p * width + f) * n + lane; }
  Features features(int p, int lane) const {
    Features one{{}, {w.begin(), w.end()}, {b.begin(), b.end()}};
    for (int f = 0; f < width; ++f) one.x.push_back(x[at(p, f, lane)]);
    return one;
  }
  std::vector<float> statistics() const {
    std::vector<float> both(positions * 2 * n);
    for (int p = 0; p < positions; ++p)
      for (int lane = 0; lane < n; ++lane) {
        both[2 * p * n + lane] = static_cast<float>(features(p, lane).mean());
        both[(2 * p + 1) * n + lane] = static_cast<float>(features(p, lane).inverse());
      }
    return both;
  }
};

class NormKernels : public testing::TestWithParam<int> {
 protected:
  template <class Check>
  void for_shapes(const Check& check) const {
    for (const int positions : {0, 1, 2, 5})
      for (const int n : {0, 16, 32, 48}) {
        SCOPED_TRACE("positions " + std::to_string(positions) + ", lanes " + std::to_string(n));
        check(Batch{GetParam(), positions, n});
        if (HasFatalFailure()) return;
      }
  }
};
INSTANTIATE_TEST_SUITE_P(Width, NormKernels, testing::Values(1, 2, 3, 8, 33));

TEST_P(NormKernels, ForwardFollowsTheFormula) {
  for_shapes([](const Batch& batch) {
    std::vector<Sum> y(batch.x.size()), statistics(batch.positions * 2 * batch.n);
    for (int p = 0; p < batch.positions; ++p)
      for (int lane = 0; lane < batch.n; ++lane) {
        const Features one = batch.features(p, lane);
        const auto normal = one.normal();
        for (int f = 0; f < batch.width; ++f)
          y[batch.at(p, f, lane)].add(normal[f], one.inverse() + std::abs(normal[f]));
        statistics[2 * p * batch.n + lane].add(one.mean(), 1);
        statistics[(2 * p + 1) * batch.n + lane].add(one.inverse(), one.inverse() * one.inverse());
      }
    y.insert(y.end(), statistics.begin(), statistics.end());
    expect_sums(y, [&](Memory& memory) {
      float* result = memory.result(static_cast<int>(batch.x.size()));
      norm_forward(memory.input(batch.w), memory.input(batch.b), batch.width, memory.input(batch.x), result,
                   memory.result(batch.positions * 2 * batch.n), batch.positions, batch.n);
    });
  });
}

TEST_P(NormKernels, BackwardIsTheSlopeOfForward) {
  for_shapes([](const Batch& batch) {
    const auto dx_start = draw(static_cast<int>(batch.x.size()), 5), dw_start = draw(batch.width, 6),
               db_start = draw(batch.width, 7), statistics = batch.statistics();
    for (const bool add : {false, true}) {
      std::vector<Sum> dx(batch.x.size()), dw, db;
      for (int f = 0; f < batch.width; ++f) dw.emplace_back(dw_start[f]), db.emplace_back(db_start[f]);
      for (int p = 0; p < batch.positions; ++p)
        for (int lane = 0; lane < batch.n; ++lane) {
          Features one = batch.features(p, lane);
          const double r = one.inverse();
          const auto loss = [&] {  // Σ dy · y
            double sum = 0;
            const auto y = one.normal();
            for (int f = 0; f < batch.width; ++f) sum += batch.dy[batch.at(p, f, lane)] * y[f];
            return sum;
          };
          for (int f = 0; f < batch.width; ++f) {
            Sum& sum = dx[batch.at(p, f, lane)];
            if (add) sum.add(dx_start[batch.at(p, f, lane)]);
            sum.add(slope(one.x[f], loss), 10 * (1 + r * r));
            dw[f].add(batch.dy[batch.at(p, f, lane)] * (one.x[f] - one.mean()) * r, 1 + r);
            db[f].add(batch.dy[batch.at(p, f, lane)]);
          }
        }
      dx.insert(dx.end(), dw.begin(), dw.end());
      dx.insert(dx.end(), db.begin(), db.end());
      expect_sums(dx, [&](Memory& memory) {
        float* d_input = add ? memory.result(dx_start) : memory.result(batch.dy);  // unless adding, dx may be dy
        float* d_weights = memory.result(dw_start);
        norm_backward(memory.input(batch.w), batch.width, memory.input(batch.x), memory.input(statistics),
                      add ? memory.input(batch.dy) : d_input, d_input, d_weights, memory.result(db_start),
                      batch.positions, batch.n, add);
      });
    }
  });
}

// More positions than a chunk of the sums over positions.
TEST(NormKernelsLong, WeightGradientsAreCutWithoutLoss) {
  const Batch batch{700, 11, 16};
  const auto statistics = batch.statistics();
  std::vector<Sum> expected(2 * 700);
  for (int p = 0; p < 11; ++p)
    for (int f = 0; f < 700; ++f)
      for (int lane = 0; lane < 16; ++lane) {
        const double dy = batch.dy[batch.at(p, f, lane)];
        const double x = batch.x[batch.at(p, f, lane)];
        expected[f].add(dy * (x - statistics[2 * p * 16 + lane]) * statistics[(2 * p + 1) * 16 + lane]);
        expected[700 + f].add(dy);
      }
  expect_sums(expected, [&](Memory& memory) {
    float* dw = memory.result(std::vector<float>(700));
    norm_backward(memory.input(batch.w), 700, memory.input(batch.x), memory.input(statistics), memory.input(batch.dy),
                  memory.scratch(static_cast<int>(batch.x.size())), dw, memory.result(std::vector<float>(700)), 11, 16,
                  false);
  });
}

}  // namespace
}  // namespace atto

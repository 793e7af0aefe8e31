// Transition matrices: which tokens a chain comes back to, and how often.
#include "data/chain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/random.h"

namespace atto::chain_test {
namespace {

double distance_from_stationary(const std::vector<double>& p, const std::vector<double>& pi) {
  const size_t v = pi.size();
  double most = 0, total = 0;
  for (size_t j = 0; j < v; ++j) {
    double next = 0;
    for (size_t i = 0; i < v; ++i) next += pi[i] * p[i * v + j];
    most = std::max(most, std::abs(next - pi[j]));
    total += pi[j];
  }
  return std::max(most, std::abs(total - 1));
}

TEST(Chain, SolvesForTheStationaryDistribution) {
  for (const size_t v : {1u, 2u, 7u, 40u}) {
    std::vector<double> p(v * v);
    for (size_t i = 0; i < v; ++i) {
      double sum = 0;
      for (size_t j = 0; j < v; ++j)
        sum += p[i * v + j] =
            std::pow(unit_real(random_block(3, Purpose::table, i, static_cast<uint32_t>(j), 0)[0]), 6);
      for (size_t j = 0; j < v; ++j) p[i * v + j] /= sum;
    }
    EXPECT_LT(distance_from_stationary(p, solve_stationary(p, v)), 1e-14);
  }
}

TEST(Chain, SolvesChainsThatAlternate) {
  // A walk on a path of four, reflected at both ends: even and odd places take turns.
  const std::vector<double> p = {0, 1, 0, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0, 0.5, 0, 0, 1, 0};
  const std::vector<double> pi = solve_stationary(p, 4);
  const double expected[] = {1.0 / 6, 2.0 / 6, 2.0 / 6, 1.0 / 6};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(pi[i], expected[i], 1e-15);
  const std::vector<double> swap = {0, 1, 1, 0};
  EXPECT_EQ(solve_stationary(swap, 2), (std::vector<double>{0.5, 0.5}));
}

TEST(Chain, LeavesTransientTokensBehind) {
  // 0 and 3 lead to {1, 2} and are never seen again.
  const std::vector<double> p = {0.5, 0.5, 0, 0, 0, 0.2, 0.8, 0, 0, 0.4, 0.6, 0, 0.1, 0, 0.9, 0};
  EXPECT_EQ(closed_class(p, 4), (std::vector<size_t>{1, 2}));
  const std::vector<double> pi = solve_stationary(p, 4);
  EXPECT_EQ(pi[0], 0);
  EXPECT_EQ(pi[3], 0);
  EXPECT_LT(distance_from_stationary(p, pi), 1e-15);
}

TEST(Chain, SeesWhereTheStartDecides) {
  const std::vector<double> apart = {1, 0, 0, 1};
  EXPECT_TRUE(closed_class(apart, 2).empty());
  // From 0 to either of two traps.
  const std::vector<double> traps = {0, 0.5, 0.5, 0, 1, 0, 0, 0, 1};
  EXPECT_TRUE(closed_class(traps, 3).empty());
}

TEST(Chain, CountsPaths) {
  const std::vector<double> p = {0, 1, 0, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0, 0.5, 0, 0, 1, 0};
  const std::vector<double> all(4, 1.0), first = {1, 0, 0, 0};
  EXPECT_EQ(count_paths(p, all, 0), 1);
  EXPECT_EQ(count_paths(p, all, 1), 4);
  EXPECT_EQ(count_paths(p, all, 2), 6);
  EXPECT_EQ(count_paths(p, all, 3), 10);
  EXPECT_EQ(count_paths(p, first, 3), 2);
  const std::vector<double> dense(100 * 100, 0.01);
  EXPECT_EQ(count_paths(dense, std::vector<double>(100, 1.0), 4), 1e8);
  EXPECT_EQ(count_paths(dense, std::vector<double>(100, 1.0), 4000), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace atto::chain_test

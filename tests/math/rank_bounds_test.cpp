// Bounds of a rank correlation against every completion of the unknown values, for lists so short that all can be
// tried: an unknown value may lie in any gap between the known ones, on any of them, and in any order and any ties with
// the other unknown ones.
#include "math/rank_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace atto::rank_bounds_test {
namespace {

using Seen = std::vector<SeenValue>;
using List = std::vector<double>;

// Calls `use` with every completion: known values are 10, 20, ...; unknown ones take any of these, and in each gap as
// many places as there are unknown values.
void complete(const Seen& seen, const std::function<void(const List&)>& use) {
  std::vector<size_t> open;
  List values, places;
  for (size_t i = 0; i < seen.size(); ++i) {
    values.push_back(seen[i].value);
    if (seen[i].known) places.push_back(seen[i].value);
    else open.push_back(i);
  }
  for (int gap = 0; gap <= 10; ++gap)
    for (size_t k = 1; k <= open.size(); ++k) places.push_back(10 * gap + static_cast<double>(k));
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  const std::function<void(size_t)> fill = [&](size_t next) {
    if (next == open.size()) return use(values);
    for (const double place : places) {
      if (place <= seen[open[next]].value) continue;
      values[open[next]] = place;
      fill(next + 1);
    }
  };
  fill(0);
}

struct Extremes {
  double low = 2, high = -2, unbiased_low = 2, unbiased_high = -2;
};

double unbiased(const RankCorrelation& one) {
  const auto n = static_cast<double>(one.pairs);
  return ((n + 1) * one.rho - 3 * one.tau) / (n - 2);
}

Extremes brute_force(const Seen& x, const Seen& y) {
  Extremes found;
  complete(x, [&](const List& a) {
    complete(y, [&](const List& b) {
      const RankCorrelation one = rank_correlation(a, b);
      if (std::isnan(one.rho)) return;
      found.low = std::min(found.low, one.rho);
      found.high = std::max(found.high, one.rho);
      found.unbiased_low = std::min(found.unbiased_low, unbiased(one));
      found.unbiased_high = std::max(found.unbiased_high, unbiased(one));
    });
  });
  return found;
}

// A list of n values from a few, so that some are tied, of which `open` are missing or cut off.
Seen draw(size_t n, size_t open, std::mt19937_64& random) {
  Seen seen;
  for (size_t i = 0; i < n; ++i) seen.push_back({10.0 * static_cast<double>(1 + random() % 7), true});
  for (size_t k = 0; k < open; ++k) {
    SeenValue& one = seen[random() % n];
    one.known = false;
    if (random() % 2 == 0) one.value = -std::numeric_limits<double>::infinity();
  }
  return seen;
}

void expect_held(const Seen& x, const Seen& y) {
  const RankBounds bounds = rank_correlation_bounds(x, y);
  const Extremes found = brute_force(x, y);
  EXPECT_LE(bounds.lowest.rho, found.low + 1e-9);
  EXPECT_GE(bounds.highest.rho, found.high - 1e-9);
  EXPECT_LE(unbiased(bounds.lowest), found.unbiased_low + 1e-9);
  EXPECT_GE(unbiased(bounds.highest), found.unbiased_high - 1e-9);
}

TEST(RankBounds, HoldEveryCompletionOfOneSide) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 150; ++trial) {
    const size_t n = 4 + random() % 4;
    expect_held(draw(n, 1 + random() % 2, random), draw(n, 0, random));
    expect_held(draw(n, 0, random), draw(n, 1 + random() % 2, random));
  }
}

TEST(RankBounds, HoldEveryCompletionOfBothSides) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 100; ++trial) {
    const size_t n = 4 + random() % 3;
    expect_held(draw(n, 1, random), draw(n, 1 + random() % 2, random));
  }
  for (int trial = 0; trial < 3; ++trial) expect_held(draw(6, 2, random), draw(6, 2, random));
}

// Without ties the bounds are those of some completion: no narrower ones would hold.
TEST(RankBounds, AreAttained) {
  std::mt19937_64 random(3);
  const auto distinct = [&](size_t n) {
    Seen seen;
    for (size_t i = 0; i < n; ++i) seen.push_back({10.0 * static_cast<double>(i + 1), true});
    std::shuffle(seen.begin(), seen.end(), random);
    return seen;
  };
  const auto orders_only = [](const Seen& x, const Seen& y, double sign) {
    double most = -2;
    complete(x, [&](const List& a) {
      List sorted = a;
      std::sort(sorted.begin(), sorted.end());
      if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return;
      complete(y, [&](const List& b) {
        List other = b;
        std::sort(other.begin(), other.end());
        if (std::adjacent_find(other.begin(), other.end()) != other.end()) return;
        most = std::max(most, sign * spearman(a, b));
      });
    });
    return most;
  };
  for (int trial = 0; trial < 40; ++trial) {
    const size_t n = 5 + random() % 3;
    Seen x = distinct(n), y = distinct(n);
    if (trial % 2 == 0) {
      x[0].known = false;  // cut off
      x[1] = {};
    } else {
      x[0] = y[0] = {};  // the whole run is missing
    }
    const RankBounds bounds = rank_correlation_bounds(x, y);
    // Bounds are divided by the least the denominator can be: by no more than the tie of all unknown values.
    const double slack = trial % 2 == 0 ? std::sqrt(1 - 24.0 / static_cast<double>(n * n * n - n))
                                        : 1 - 6.0 / static_cast<double>(n * n * n - n);
    const double high = orders_only(x, y, 1), low = -orders_only(x, y, -1);
    EXPECT_NEAR(bounds.highest.rho, high > 0 ? std::min(1.0, high / slack) : high, 1e-9);
    EXPECT_NEAR(bounds.lowest.rho, low < 0 ? std::max(-1.0, low / slack) : low, 1e-9);
  }
}

TEST(RankBounds, AreTheCorrelationWhereAllIsKnown) {
  std::mt19937_64 random(4);
  const Seen x = draw(8, 0, random), y = draw(8, 0, random);
  List a, b;
  for (const SeenValue& one : x) a.push_back(one.value);
  for (const SeenValue& one : y) b.push_back(one.value);
  const RankBounds bounds = rank_correlation_bounds(x, y);
  EXPECT_EQ(bounds.lowest.rho, spearman(a, b));
  EXPECT_EQ(bounds.highest.rho, spearman(a, b));
  EXPECT_EQ(bounds.lowest.tau, kendall(a, b));
}

// A run of which nothing is known moves the rho of n by about 3/n at most.
TEST(RankBounds, OfOneMissingRunAreNear) {
  Seen x, y;
  for (int i = 0; i < 32; ++i) {
    x.push_back({static_cast<double>(i), true});
    y.push_back({static_cast<double>((7 * i) % 32), true});
  }
  const double rho = rank_correlation_bounds(x, y).lowest.rho;
  x.push_back({});
  y.push_back({});
  const RankBounds bounds = rank_correlation_bounds(x, y);
  EXPECT_GT(bounds.lowest.rho, rho - 0.1);
  EXPECT_LT(bounds.highest.rho, rho + 0.1);
}

}  // namespace
}  // namespace atto::rank_bounds_test

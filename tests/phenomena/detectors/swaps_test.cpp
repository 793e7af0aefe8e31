#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numbers>
#include <numeric>

#include "phenomena/detectors/cyclic_order.h"
#include "synthetic.h"

namespace atto::swaps_test {
namespace {

using synthetic::value_of;
using Order = std::vector<int>;

Order identity(int count) {
  Order order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// The one name of an order that all its rotations and its mirror images share: 0 first, then the smaller neighbour.
Order canonical(Order order) {
  std::rotate(order.begin(), std::find(order.begin(), order.end(), 0), order.end());
  if (order[1] > order.back()) std::reverse(order.begin() + 1, order.end());
  return order;
}

TEST(CyclicSwaps, AreTheFewestExchangesOfNeighbours) {
  for (const int count : {4, 5, 6, 7}) {
    // Breadth first over all cyclic orders from 0, 1, 2 ...
    std::map<Order, int64_t> fewest = {{identity(count), 0}};
    std::deque<Order> open = {identity(count)};
    while (!open.empty()) {
      const Order order = open.front();
      open.pop_front();
      for (size_t i = 0; i < order.size(); ++i) {
        Order next = order;
        std::swap(next[i], next[(i + 1) % next.size()]);
        if (fewest.emplace(canonical(next), fewest.at(order) + 1).second) open.push_back(canonical(next));
      }
    }
    Order order = identity(count);
    do {
      ASSERT_EQ(cyclic_swaps(identity(count), order), fewest.at(canonical(order))) << testing::PrintToString(order);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(CyclicSwaps, DoNotSeeRotationsAndMirrorImages) {
  std::mt19937_64 random(1);
  for (const int count : {4, 9, 30}) {
    Order before = identity(count), after = before;
    std::shuffle(before.begin(), before.end(), random);
    std::shuffle(after.begin(), after.end(), random);
    const int64_t swaps = cyclic_swaps(before, after);
    EXPECT_EQ(cyclic_swaps(after, before), swaps);
    std::rotate(after.begin(), after.begin() + 3, after.end());
    EXPECT_EQ(cyclic_swaps(before, after), swaps);
    std::reverse(after.begin(), after.end());
    EXPECT_EQ(cyclic_swaps(before, after), swaps);
    EXPECT_EQ(cyclic_swaps(before, before), 0);
  }
}

TEST(CyclicSwaps, SeparateExchangesAddUp) {
  for (int exchanges = 0; exchanges <= 10; ++exchanges) {
    Order after = identity(100);
    for (int i = 0; i < exchanges; ++i)
      std::swap(after[static_cast<size_t>(7 * i)], after[static_cast<size_t>(7 * i + 1)]);
    EXPECT_EQ(cyclic_swaps(identity(100), after), exchanges);
  }
  Order hop = identity(100);  // one token passes five others, over the seam
  std::rotate(hop.begin(), hop.begin() + 1, hop.begin() + 6);
  std::rotate(hop.begin(), hop.begin() + 50, hop.end());
  EXPECT_EQ(cyclic_swaps(identity(100), hop), 5);
}

TEST(CyclicSwaps, ThreeTokensHaveOneOrder) { EXPECT_EQ(cyclic_swaps(Order{0, 1, 2}, Order{1, 0, 2}), 0); }

// Embeddings of `order.size()` tokens evenly on a ring of radius 2 about (5, 5), in this order, turned.
std::vector<double> ring(const Order& order, double turn = 0, int width = 2) {
  std::vector<double> points(order.size() * static_cast<size_t>(width));
  for (size_t place = 0; place < order.size(); ++place) {
    const double angle = turn + 2 * std::numbers::pi * static_cast<double>(place) / static_cast<double>(order.size());
    const size_t at = static_cast<size_t>(order[place]) * static_cast<size_t>(width);
    points[at] = 5 + 2 * std::cos(angle);
    if (width > 1) points[at + 1] = 5 + 2 * std::sin(angle);
    for (int k = 2; k < width; ++k)
      points[at + static_cast<size_t>(k)] = 0.01 * std::sin(17.0 * order[place] * k);  // little, but not nothing
  }
  return points;
}

Finding detect(const std::vector<std::vector<double>>& embeddings, int64_t vocab, const std::string& from = "0",
               int64_t every = 100) {
  const int64_t width = std::ssize(embeddings.at(0)) / vocab;
  return synthetic::detector("swaps", {{"from", from}})
      ->detect(synthetic::finished({synthetic::snapshots("embedding", {vocab, width}, embeddings, every)}),
               synthetic::with_vocabulary(vocab));
}

TEST(Swaps, CountsExchangesAndSaysWhen) {
  for (const int width : {2, 4}) {
    Order order = identity(20);
    std::vector<std::vector<double>> embeddings;
    for (int snapshot = 0; snapshot <= 30; ++snapshot) {  // steps 0 .. 3000
      if (snapshot == 5) std::swap(order[3], order[4]);
      if (snapshot == 12) std::rotate(order.begin(), order.begin() + 1, order.begin() + 4);  // one passes three
      if (snapshot == 25) std::swap(order[19], order[0]);
      embeddings.push_back(ring(order, 0.3 * snapshot, width));
    }
    const Finding finding = detect(embeddings, 20);
    EXPECT_EQ(value_of(finding, "total"), 5);
    EXPECT_EQ(value_of(finding, "any"), 1);
    EXPECT_EQ(value_of(finding, "intervals"), 3);
    EXPECT_EQ(value_of(finding, "late"), 1);
    EXPECT_EQ(value_of(finding, "largest"), 3);
    EXPECT_EQ(value_of(finding, "largest_step"), 1200);
    EXPECT_EQ(value_of(detect(embeddings, 20, "1500"), "total"), 1);
  }
}

TEST(Swaps, TheFirstOfEquallyLargeOnesIsNamed) {
  Order order = identity(20);
  std::vector<std::vector<double>> embeddings;
  for (int snapshot = 0; snapshot <= 6; ++snapshot) {
    if (snapshot == 2 || snapshot == 5) std::swap(order[3], order[4]);
    embeddings.push_back(ring(order));
  }
  const Finding finding = detect(embeddings, 20);
  EXPECT_EQ(value_of(finding, "largest"), 1);
  EXPECT_EQ(value_of(finding, "largest_step"), 200);
}

TEST(Swaps, TurningAndBreathingIsNone) {
  std::vector<std::vector<double>> embeddings;
  for (int snapshot = 0; snapshot < 20; ++snapshot) {
    embeddings.push_back(ring(identity(30), 0.7 * snapshot));
    for (double& value : embeddings.back()) value *= 1 + 0.2 * snapshot;
  }
  const Finding finding = detect(embeddings, 30);
  EXPECT_EQ(value_of(finding, "total"), 0);
  EXPECT_EQ(value_of(finding, "any"), 0);
  EXPECT_EQ(value_of(finding, "late"), 0);
  EXPECT_EQ(value_of(finding, "largest"), 0);
  EXPECT_FALSE(value_of(finding, "largest_step"));
}

// Two tokens that change places back and forth: how many swaps there are is a matter of how often one looks, what is
// left of them is not.
TEST(Swaps, NetDoesNotHangOnTheInterval) {
  Order order = identity(20);
  std::vector<std::vector<double>> often, seldom;
  for (int snapshot = 0; snapshot <= 40; ++snapshot) {
    if (snapshot > 0) std::swap(order[3], order[4]);
    if (snapshot == 10) std::swap(order[12], order[13]);
    often.push_back(ring(order));
    if (snapshot % 4 == 0) seldom.push_back(ring(order));
  }
  EXPECT_EQ(value_of(detect(often, 20, "0", 100), "total"), 41);
  EXPECT_EQ(value_of(detect(seldom, 20, "0", 400), "total"), 1);
  for (const Finding& finding : {detect(often, 20, "0", 100), detect(seldom, 20, "0", 400)}) {
    EXPECT_EQ(value_of(finding, "net"), 1);
    EXPECT_EQ(value_of(finding, "moved"), 1);
  }
  const auto compared = synthetic::detector("swaps", {{"from", "0"}, {"every", "400"}, {"least", "2"}});
  const Finding thinned = compared->detect(
      synthetic::finished({synthetic::snapshots("embedding", {20, 2}, often, 100)}), synthetic::with_vocabulary(20));
  EXPECT_EQ(value_of(thinned, "total"), 1);
  EXPECT_EQ(value_of(thinned, "any"), 0) << "one is fewer than two";
}

TEST(Swaps, LeavesOutBos) {
  std::vector<std::vector<double>> embeddings;
  for (int snapshot = 0; snapshot < 4; ++snapshot) {
    embeddings.push_back(ring(identity(10)));
    embeddings.back().insert(embeddings.back().end(), {5 + std::cos(2.0 * snapshot), 5 + std::sin(2.0 * snapshot)});
  }
  RunConfig config = synthetic::with_vocabulary(10);
  config.data.bos = true;
  const auto recording = synthetic::finished({synthetic::snapshots("embedding", {11, 2}, embeddings)});
  EXPECT_EQ(value_of(synthetic::detector("swaps", {{"from", "0"}})->detect(recording, config), "total"), 0);
}

TEST(Swaps, CoincidentTokensStayInOrder) {
  const std::vector<double> same(20, 0.3);
  EXPECT_EQ(value_of(detect({same, same, same}, 10), "total"), 0);
}

TEST(Swaps, TwoLooksAreEnough) {
  Order other = identity(8);
  std::swap(other[3], other[4]);
  const Finding finding = detect({ring(identity(8)), ring(other)}, 8);
  EXPECT_EQ(value_of(finding, "total"), 1);
  EXPECT_EQ(value_of(finding, "late"), 1);
  EXPECT_EQ(value_of(finding, "largest_step"), 100);
}

TEST(Swaps, AreMissingWithoutARingOrWithoutTwoLooks) {
  const auto some = ring(identity(8)), narrow = ring(identity(8), 0, 1);
  auto broken = some;
  broken[3] = NAN;
  for (const auto& finding : {detect({narrow, narrow}, 8), detect({some}, 8), detect({some, some}, 8, "100"),
                              detect({some, broken, some}, 8)})
    for (const Quantity& one : finding) EXPECT_FALSE(one.value) << one.name;
}

}  // namespace
}  // namespace atto::swaps_test

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/error.h"
#include "synthetic.h"

namespace atto::continuity_test {
namespace {

using synthetic::value_of;
using Point = std::vector<double>;

std::vector<double> tokens(int64_t count, const std::function<Point(double share)>& place, double noise = 0,
                           unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, noise > 0 ? noise : 1);
  std::vector<double> result;
  for (int64_t i = 0; i < count; ++i)
    for (const double x : place(static_cast<double>(i) / static_cast<double>(count - 1)))
      result.push_back(x + (noise > 0 ? normal(random) : 0));
  return result;
}

Finding detect(const std::vector<double>& embedding, int64_t vocab, bool bos = false,
               const std::vector<std::pair<std::string, std::string>>& settings = {}) {
  const int64_t rows = vocab + (bos ? 1 : 0), width = std::ssize(embedding) / rows;
  RunConfig config = synthetic::with_vocabulary(vocab);
  config.data.bos = bos;
  return synthetic::detector("continuity", settings)
      ->detect(synthetic::finished({synthetic::snapshots("embedding", {rows, width}, {embedding})}), config);
}

TEST(Continuity, OfALineIsPerfect) {
  const Finding finding = detect(tokens(65, [](double t) { return Point{t, 2 * t, -t}; }), 65);  // exact in binary
  EXPECT_NEAR(*value_of(finding, "local"), 1, 1e-9);
  EXPECT_NEAR(*value_of(finding, "global"), 1, 1e-9);
  EXPECT_NEAR(*value_of(finding, "neighbour_ratio"), 3.0 / 66, 1e-9);
  EXPECT_EQ(value_of(finding, "continuous"), 1);
  EXPECT_NEAR(*value_of(finding, "planarity"), 1, 1e-9);
  EXPECT_NEAR(*value_of(finding, "order"), 1, 1e-9);
}

TEST(Continuity, OfAClosedCurveIsLocalOnly) {
  const auto ring = [](double t) { return Point{std::cos(6 * t), std::sin(6 * t)}; };
  const Finding finding = detect(tokens(100, ring, 0.01), 100);
  EXPECT_GT(*value_of(finding, "local"), 0.95);
  EXPECT_LT(*value_of(finding, "global"), 0.85);
  EXPECT_LT(*value_of(finding, "order"), 0.9);
  EXPECT_EQ(value_of(finding, "continuous"), 1);
}

TEST(Continuity, OfAnArcIsOrderedFromEndToEnd) {
  const auto arc = [](double t) { return Point{std::cos(3 * t), std::sin(3 * t), 0, 0, 0}; };
  const Finding finding = detect(tokens(100, arc, 0.05), 100);
  EXPECT_GT(*value_of(finding, "order"), 0.98);
  EXPECT_GT(*value_of(finding, "global"), 0.9);
  EXPECT_GT(*value_of(finding, "planarity"), 0.95);
}

// 100 sets of tokens placed at random: none is continuous, and the correlations scatter about 0.
TEST(Continuity, OfRandomPlacesIsNone) {
  double sum = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const Finding finding = detect(tokens(
                                       30,
                                       [](double) {
                                         return Point{0, 0};
                                       },
                                       1, seed),
                                   30);
    EXPECT_EQ(value_of(finding, "continuous"), 0) << "seed " << seed;
    EXPECT_NEAR(*value_of(finding, "neighbour_ratio"), 1, 0.4);
    EXPECT_LT(std::abs(*value_of(finding, "local")), 0.5);
    sum += *value_of(finding, "local");
  }
  EXPECT_NEAR(sum / 100, 0, 0.05);
}

TEST(Continuity, LeavesOutBos) {
  std::vector<double> embedding = tokens(20, [](double t) { return Point{t, 0}; });
  const double without = *value_of(detect(embedding, 20), "neighbour_ratio");
  embedding.insert(embedding.end(), {-1000, 1000});
  EXPECT_EQ(value_of(detect(embedding, 20, true), "neighbour_ratio"), without);
}

TEST(Continuity, InOneDimension) {
  const Finding finding = detect(tokens(10, [](double t) { return Point{t * t}; }), 10);
  EXPECT_NEAR(*value_of(finding, "order"), 1, 1e-12);
  EXPECT_NEAR(*value_of(finding, "planarity"), 1, 1e-12);
}

TEST(Continuity, TheReachIsANeighbourhood) {
  // Zigzag: even tokens on one line, odd ones on another far away. The nearest in number are far, the next near.
  const auto zigzag = [](double t) { return Point{t, std::lround(t * 40) % 2 == 0 ? 0.0 : 100.0}; };
  const auto embedding = tokens(41, zigzag);
  EXPECT_LT(*value_of(detect(embedding, 41, false, {{"reach", "2"}}), "local"), -0.8);
  EXPECT_GT(*value_of(detect(embedding, 41), "local"),
            *value_of(detect(embedding, 41, false, {{"reach", "2"}}), "local"));
}

TEST(Continuity, APictureOfTheFirstComponentsShowsAnArcThatNoiseHides) {
  const auto arc = [](double t) {
    Point place(20, 0.0);
    place[0] = 3 * std::cos(3 * t);
    place[1] = 3 * std::sin(3 * t);
    return place;
  };
  const auto embedding = tokens(100, arc, 0.8);
  EXPECT_EQ(value_of(detect(embedding, 100), "continuous"), 0);
  const Finding pictured = detect(embedding, 100, false, {{"components", "2"}});
  EXPECT_EQ(value_of(pictured, "continuous"), 1);
  EXPECT_GT(*value_of(pictured, "global"), *value_of(detect(embedding, 100), "global"));
  // All components are the whole space.
  EXPECT_NEAR(*value_of(detect(embedding, 100, false, {{"components", "20"}}), "neighbour_ratio"),
              *value_of(detect(embedding, 100), "neighbour_ratio"), 1e-9);
}

TEST(Continuity, IsMissingWhereThereIsNoGeometry) {
  for (const auto& finding : {detect(tokens(20,
                                            [](double) {
                                              return Point{0.1, 0.7};
                                            }),
                                     20),
                              detect(tokens(3,
                                            [](double t) {
                                              return Point{t, t};
                                            }),
                                     3),
                              detect({NAN, 1, 2, 3, 4, 5, 6, 7}, 4)})
    for (const Quantity& one : finding) EXPECT_FALSE(one.value) << one.name;
}

// The moment looked at, which all detectors of geometry share.
TEST(Continuity, LooksAtTheMomentAskedFor) {
  const auto line = tokens(10, [](double t) { return Point{t, 0}; });
  const auto mess = tokens(10, [](double t) { return Point{std::sin(1e3 * t * t), std::cos(7e3 * t)}; });
  RunConfig config = synthetic::with_vocabulary(10, 300);
  Recording recording =
      synthetic::finished({synthetic::snapshots("embedding", {10, 2}, {mess, line, mess, mess})});  // 0, 100, 200, 300
  const auto order = [&](const std::string& at) {
    return value_of(synthetic::detector("continuity", {{"at", at}})->detect(recording, config), "order").value_or(-1);
  };
  EXPECT_NEAR(order("100"), 1, 1e-9);
  EXPECT_NEAR(order("199"), 1, 1e-9);
  EXPECT_LT(order("200"), 0.9);
  EXPECT_LT(order("-1"), 0.9);
  EXPECT_THROW(order("301"), Error);

  recording.diverged_at = 150;
  recording.steps_done = 150;
  recording.series[0].steps.resize(2);
  recording.series[0].values.resize(40);
  EXPECT_NEAR(order("120"), 1, 1e-9);  // known before the end
  EXPECT_EQ(order("150"), -1);
  EXPECT_EQ(order("-1"), -1);
}

TEST(Continuity, CanBeStoppedAtEveryToken) {
  const auto line = tokens(10, [](double t) { return Point{t, 0}; });
  const Recording recording = synthetic::finished({synthetic::snapshots("embedding", {10, 2}, {line})});
  const auto detector = synthetic::detector("continuity");
  struct Enough {};
  int64_t polled = 0;
  const auto poll_until = [&](int64_t last) {
    polled = 0;
    return detector->detect_polling(recording, synthetic::with_vocabulary(10), [&polled, last] {
      if (++polled == last) throw Enough();
    });
  };
  EXPECT_THROW(poll_until(1), Enough);
  EXPECT_THROW(poll_until(10), Enough);
  const Finding whole = poll_until(-1);
  EXPECT_GE(polled, 10) << "once for each token";
  EXPECT_EQ(value_of(whole, "order"), value_of(detector->detect(recording, synthetic::with_vocabulary(10)), "order"));
}

TEST(Continuity, NeedsAMatrix) {
  const Recording recording = synthetic::finished({synthetic::snapshots("embedding", {3}, {{1, 2, 3}})});
  EXPECT_THROW(synthetic::detector("continuity")->detect(recording, synthetic::with_vocabulary(3)), Error);
}

}  // namespace
}  // namespace atto::continuity_test

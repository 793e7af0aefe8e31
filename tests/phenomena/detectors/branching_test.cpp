#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <numbers>

#include "base/error.h"
#include "synthetic.h"

namespace atto::branching_test {
namespace {

using synthetic::censored;
using synthetic::fall;
using synthetic::value_of;

using Points = std::vector<std::array<double, 2>>;

double leaves_at_1600(double t) {
  return std::log(4.0) + fall(t, std::log(2.0), 300, 20) + fall(t, std::log(2.0), 1600, 20);
}
double never_leaves(double t) { return std::log(4.0) + fall(t, std::log(2.0), 300, 20); }

// The embeddings are `early` until step 1650 and `late` from then on.
Recording run(const synthetic::Curve& perplexity, const Points& early, const Points& late) {
  Recording recording = synthetic::run(perplexity);
  Series series{"embedding", {static_cast<int64_t>(early.size()), 2}, {}, {}};
  for (int64_t step = 0; step <= 3000; step += 50) {
    series.steps.push_back(step);
    for (const auto& point : step < 1650 ? early : late)
      series.values.insert(series.values.end(), point.begin(), point.end());
  }
  recording.series.push_back(series);
  return recording;
}

Finding detect(const Recording& recording) {
  return synthetic::detector("branching")->detect(recording, synthetic::with_vocabulary(4));
}

const Points kPairs = {{1, 1}, {-1, -1.1}, {1.1, 0.9}, {-1.2, -1}};
const Points kSquare = {{1, 0}, {0, -1}, {0, 1}, {-1, 0}};

TEST(Branching, SeesPairsThatCoincideAndThenSplit) {
  const Finding finding = detect(run(leaves_at_1600, kPairs, kSquare));
  EXPECT_EQ(value_of(finding, "pairs_coincide"), 1);
  EXPECT_EQ(value_of(finding, "splits"), 1);
  EXPECT_EQ(value_of(finding, "two_stages"), 1);
  // Looser pair: (-1, -1.1), (-1.2, -1), sqrt(0.05) apart; the pairs are about sqrt(8.6) apart.
  EXPECT_NEAR(*value_of(finding, "within_to_between"), std::sqrt(0.05 / 8.6), 0.005);
  EXPECT_NEAR(*value_of(finding, "within_to_between_end"), 2 / (1 + std::numbers::sqrt2), 1e-9);
  EXPECT_GT(*value_of(finding, "axis_share"), 0.98);
}

// The state on the plateau as published: (-1.25, -0.9), (-1.1, -1.1), (0.25, 1.3), (0.87, 0.78), then spread out.
TEST(Branching, SeesThePublishedTrajectory) {
  const Finding finding = detect(run(leaves_at_1600, {{-1.25, -0.9}, {-1.1, -1.1}, {0.25, 1.3}, {0.87, 0.78}},
                                     {{-1.85, -0.2}, {-0.4, -1.9}, {-0.4, 1.9}, {1.5, 0.55}}));
  EXPECT_EQ(value_of(finding, "two_stages"), 1);
}

TEST(Branching, ResolvedTokensOnThePlateauAreNoPairs) {
  const Finding finding = detect(run(leaves_at_1600, kSquare, kSquare));
  EXPECT_EQ(value_of(finding, "pairs_coincide"), 0);
  EXPECT_EQ(value_of(finding, "splits"), 1);
  EXPECT_EQ(value_of(finding, "two_stages"), 0);
  EXPECT_NEAR(*value_of(finding, "axis_share"), 0.5, 1e-9);
}

TEST(Branching, ThreeAgainstOneAreNoPairs) {
  const Finding finding = detect(run(leaves_at_1600, {{1, 1}, {1.05, 1}, {1, 1.05}, {-1, -1}}, kSquare));
  EXPECT_EQ(value_of(finding, "pairs_coincide"), 0);
  EXPECT_LT(*value_of(finding, "within_to_between"), 0.1);
}

TEST(Branching, OnePairThatStaysTogetherHasNotSplit) {
  const Finding finding = detect(run(leaves_at_1600, kPairs, {{1, 0}, {-1, -1}, {0, 1}, {-1, -1.05}}));
  EXPECT_EQ(value_of(finding, "pairs_coincide"), 1);
  EXPECT_EQ(value_of(finding, "splits"), 0);
  EXPECT_FALSE(censored(finding, "splits"));
}

// A split may still come, but within the run it has not: most seeds that stay on the plateau refute "most split".
TEST(Branching, ARunThatEndsOnThePlateauHasNotSplit) {
  const Finding finding = detect(run(never_leaves, kPairs, kPairs));
  EXPECT_EQ(value_of(finding, "pairs_coincide"), 1);
  EXPECT_EQ(value_of(finding, "splits"), 0);
  EXPECT_EQ(value_of(finding, "two_stages"), 0);
  EXPECT_FALSE(censored(finding, "splits"));
  EXPECT_FALSE(censored(finding, "two_stages"));
}

// How often points at random lie in two pairs as tight as that.
TEST(Branching, SaysHowOftenChanceIsAsTight) {
  EXPECT_EQ(value_of(detect(run(leaves_at_1600, kPairs, kSquare)), "p"), 1.0 / 200);
  const Points loose = {{1, 0.35}, {1, -0.35}, {-1, 0.35}, {-1, -0.35}};  // within/between 0.34
  const Finding finding = detect(run(leaves_at_1600, loose, kSquare));
  EXPECT_EQ(value_of(finding, "pairs_coincide"), 1);
  EXPECT_GT(*value_of(finding, "p"), 0.02);
  EXPECT_LT(*value_of(finding, "p"), 0.4);
  const auto strict = synthetic::detector("branching", {{"significance", "0.01"}});
  EXPECT_EQ(
      value_of(strict->detect(run(leaves_at_1600, loose, kSquare), synthetic::with_vocabulary(4)), "pairs_coincide"),
      0);
}

TEST(Branching, WithoutAPlateauThereIsNoFirstStage) {
  const Finding finding = detect(run([](double t) { return std::log(4.0) * std::exp(-t / 200); }, kPairs, kSquare));
  EXPECT_EQ(value_of(finding, "two_stages"), 0);
  EXPECT_EQ(value_of(finding, "pairs_coincide"), 0);
  EXPECT_FALSE(value_of(finding, "within_to_between"));
}

TEST(Branching, EmbeddingsNotMeasuredOnThePlateauSayNothing) {
  Recording recording = run(leaves_at_1600, kPairs, kSquare);
  recording.series[1].steps = {0, 3000};
  recording.series[1].values.resize(16);
  for (const Quantity& quantity : detect(recording)) EXPECT_FALSE(quantity.value) << quantity.name;
}

TEST(Branching, TokensAllInOnePlaceAreNotGrouped) {
  const Finding finding = detect(run(leaves_at_1600, Points(4, {0.5, 0.5}), kSquare));
  EXPECT_EQ(value_of(finding, "pairs_coincide"), 0);
  EXPECT_EQ(value_of(finding, "within_to_between"), 1) << "as far from their own as from the others";
}

TEST(Branching, TokensThatEndInOnePlaceAreNotGrouped) {
  const Finding finding = detect(run(leaves_at_1600, kPairs, Points(4, {0.5, 0.5})));
  EXPECT_EQ(value_of(finding, "pairs_coincide"), 1);
  EXPECT_EQ(value_of(finding, "within_to_between_end"), 1);
}

TEST(Branching, HalvesOfALargerVocabulary) {
  Points early, late;
  for (int token = 0; token < 10; ++token) {
    const double angle = 2 * std::numbers::pi * token / 10;
    early.push_back({token % 2 ? 1 + 0.01 * token : -1, 0.02 * token});
    late.push_back({std::cos(angle), std::sin(angle)});
  }
  EXPECT_EQ(value_of(detect(run(leaves_at_1600, early, late)), "two_stages"), 1);
}

TEST(Branching, RefusesASeriesThatIsNoMatrix) {
  Recording recording = run(leaves_at_1600, kPairs, kSquare);
  EXPECT_THROW(synthetic::detector("branching", {{"series", "perplexity"}})->detect(recording, RunConfig{}), Error);
}

// Neither the frame nor the names of the tokens matter.
TEST(Branching, DoesNotDependOnScaleRotationShiftOrOrder) {
  const Finding plain = detect(run(leaves_at_1600, kPairs, kSquare));
  EXPECT_TRUE(rc::check([&](unsigned turn, unsigned size, int shift, unsigned roll) {
    const double angle = 2 * std::numbers::pi * (turn % 360) / 360, scale = 0.01 * (1 + size % 10000);
    const auto move = [&](const Points& points) {
      Points moved;
      for (size_t i = 0; i < points.size(); ++i) {
        const auto [x, y] = points[(i + roll) % points.size()];
        moved.push_back({scale * (std::cos(angle) * x - std::sin(angle) * y) + shift % 10,
                         scale * (std::sin(angle) * x + std::cos(angle) * y) - shift % 7});
      }
      return moved;
    };
    const Finding moved = detect(run(leaves_at_1600, move(kPairs), move(kSquare)));
    for (const Quantity& quantity : plain)
      RC_ASSERT(std::abs(*value_of(moved, quantity.name) - *quantity.value) < 1e-6);
  }));
}

}  // namespace
}  // namespace atto::branching_test

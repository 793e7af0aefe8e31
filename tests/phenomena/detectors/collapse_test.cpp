#include <gtest/gtest.h>

#include "math/statistics.h"
#include "synthetic.h"

namespace atto::collapse_test {
namespace {

using synthetic::fall;
using synthetic::value_of;

double perplexity_curve(double t) {
  return std::log(4.0) + fall(t, std::log(2.0), 300, 20) + fall(t, std::log(2.0), 1600, 20);
}

Finding detect(const std::function<double(double)>& rank, const synthetic::Curve& curve = perplexity_curve) {
  Recording recording = synthetic::run(curve);
  Series series{"layer.0.query.effective_rank", {}, recording.series[0].steps, {}};
  for (const int64_t step : series.steps) series.values.push_back(rank(static_cast<double>(step)));
  recording.series.push_back(series);
  return synthetic::detector("collapse", {{"series", series.address}})
      ->detect(recording, synthetic::with_vocabulary(4));
}

// 2 at the start, down to 1 with the first fall of the loss, there until the loss leaves, then up to 3.
TEST(Collapse, FollowsARankThatIsStuckWithTheLoss) {
  const Finding finding = detect([](double t) { return 2 + fall(t, 1, 250, 10) - fall(t, 2, 1650, 20); });
  EXPECT_NEAR(*value_of(finding, "start"), 2, 1e-6);
  EXPECT_NEAR(*value_of(finding, "minimum"), 1, 1e-3);
  EXPECT_NEAR(*value_of(finding, "final"), 3, 1e-6);
  EXPECT_NEAR(*value_of(finding, "drop"), 0.5, 1e-3);
  EXPECT_NEAR(*value_of(finding, "recovery"), 3, 1e-2);
  EXPECT_GT(*value_of(finding, "minimum_step"), 350);
  EXPECT_LT(*value_of(finding, "minimum_step"), 1500);
  EXPECT_NEAR(*value_of(finding, "on_plateau"), 1, 1e-3);
  EXPECT_NEAR(*value_of(finding, "entry"), 0.5, 1e-2);
  EXPECT_LT(*value_of(finding, "flatness"), 0.01);
  EXPECT_NEAR(*value_of(finding, "rise_on_plateau"), 0, 0.01);
  EXPECT_GT(*value_of(finding, "exit"), 1);
  EXPECT_NEAR(*value_of(finding, "departure"), 3, 1e-2);
}

// Falls with the loss, rises while the loss waits, falls again with it.
TEST(Collapse, FollowsARankThatRisesWhileTheLossWaits) {
  const Finding finding = detect([](double t) {
    return 9 + fall(t, 5, 250, 10) + 0.001 * std::clamp(t - 300, 0.0, 1300.0) + fall(t, 1, 1700, 20);
  });
  EXPECT_NEAR(*value_of(finding, "entry"), 4.1 / 9, 0.02);
  EXPECT_NEAR(*value_of(finding, "rise_on_plateau"), 0.9, 0.05);  // three quarters of 1200 steps
  EXPECT_NEAR(*value_of(finding, "flatness"), 0.8 * 1.2 / 4.65, 0.02);
  EXPECT_LT(*value_of(finding, "exit"), 0.9);
}

// One odd measurement is no minimum, and fluctuations are no fall.
TEST(Collapse, NoiseIsNoFall) {
  int exits = 0, leaves = 0;
  std::vector<double> minima;
  constexpr int kSeeds = 60;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const Finding finding = detect([&](double) { return 3 + 0.1 * normal(random); });
    exits += *value_of(finding, "exit") < 1;
    leaves += *value_of(finding, "leaving") < 1;
    minima.push_back(*value_of(finding, "minimum"));
  }
  EXPECT_GT(quantile(minima, 0.5), 2.82) << "the smallest of 151 measurements lies at 2.74";
  EXPECT_GT(exits, 0.9 * kSeeds) << "the least of many is low by chance, which is why there is `leaving`";
  EXPECT_GT(leaves, 0.3 * kSeeds);
  EXPECT_LT(leaves, 0.7 * kSeeds);
}

TEST(Collapse, LeavingLooksRightAfterThePlateau) {
  const Finding finding = detect([](double t) { return t < 1500 ? 4.0 : t < 2100 ? 3.0 : 6.0; });
  EXPECT_NEAR(*value_of(finding, "leaving"), 0.75, 1e-9);
  EXPECT_NEAR(*value_of(finding, "exit"), 0.75, 1e-9);
}

TEST(Collapse, WithoutAPlateauOnlyTheWholeRunIsDescribed) {
  const Finding finding =
      detect([](double t) { return 2 - t / 6000; }, [](double t) { return std::log(4.0) * std::exp(-t / 300); });
  EXPECT_NEAR(*value_of(finding, "drop"), 0.75, 1e-9);
  EXPECT_EQ(value_of(finding, "minimum_step"), 3000);
  for (const char* name : {"on_plateau", "entry", "flatness", "rise_on_plateau", "exit", "departure"})
    EXPECT_FALSE(value_of(finding, name)) << name;
}

TEST(Collapse, WhereTheRunEndsOnThePlateauThereIsNoAfter) {
  const Finding finding =
      detect([](double) { return 1.5; }, [](double t) { return std::log(4.0) + fall(t, std::log(2.0), 300, 20); });
  EXPECT_EQ(value_of(finding, "on_plateau"), 1.5);
  EXPECT_EQ(value_of(finding, "flatness"), 0.0);
  EXPECT_FALSE(value_of(finding, "exit"));
  EXPECT_FALSE(value_of(finding, "departure"));
}

// Nobody knows whether the loss has left its plateau after its last measurement.
TEST(Collapse, WhatIsMeasuredAfterTheLossIsNoAfter) {
  Recording recording =
      synthetic::run([](double t) { return std::log(4.0) + fall(t, std::log(2.0), 300, 20); }, {}, 2000);
  recording.series.push_back({"rank", {}, {}, {}});
  for (int64_t step = 0; step <= 3000; step += 20) {
    recording.series[1].steps.push_back(step);
    recording.series[1].values.push_back(step <= 2000 ? 1.5 : 4);
  }
  const Finding finding =
      synthetic::detector("collapse", {{"series", "rank"}})->detect(recording, synthetic::with_vocabulary(4));
  EXPECT_EQ(value_of(finding, "on_plateau"), 1.5);
  for (const char* name : {"exit", "leaving", "departure"}) EXPECT_FALSE(value_of(finding, name)) << name;
}

TEST(Collapse, ARatioToNothingIsMissing) {
  const Finding finding = detect([](double) { return 0.0; });
  EXPECT_EQ(value_of(finding, "minimum"), 0.0);
  EXPECT_FALSE(value_of(finding, "drop"));
  EXPECT_FALSE(value_of(finding, "recovery"));
}

TEST(Collapse, NeedsThePerplexityForThePlateauOnly) {
  const auto detector = synthetic::detector("collapse", {{"series", "rank"}});
  EXPECT_EQ(detector->needs(), SeriesNeeds{SeriesNeed::scalar("rank")});
  EXPECT_EQ(detector->needs_for("drop"), SeriesNeeds{});
  EXPECT_EQ(detector->needs_for("exit"), SeriesNeeds{SeriesNeed::scalar("perplexity")});
  Recording recording = synthetic::finished({{"rank", {}, {0, 100, 200}, {2, 1, 3}}});
  const Finding finding = detector->detect(recording, synthetic::with_vocabulary(4));
  EXPECT_EQ(value_of(finding, "drop"), 0.5);
  EXPECT_EQ(value_of(finding, "final"), 3);
  for (const auto& [name, help, yes_or_no] : detector->quantities())
    EXPECT_EQ(value_of(finding, name).has_value(), detector->needs_for(name).empty()) << name;
}

}  // namespace
}  // namespace atto::collapse_test

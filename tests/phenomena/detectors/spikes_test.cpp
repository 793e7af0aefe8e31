#include <gtest/gtest.h>

#include <cmath>

#include "synthetic.h"

namespace atto::spikes_test {
namespace {

using synthetic::value_of;

// A loss measured at every step, with normal noise in proportion `noise` to the loss.
Finding detect(const std::function<double(double)>& loss, double noise = 0, unsigned seed = 1, int64_t steps = 5000,
               const std::vector<std::pair<std::string, std::string>>& settings = {}) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Series series{"loss", {}, {}, {}};
  for (int64_t step = 0; step <= steps; ++step) {
    const double value = loss(static_cast<double>(step));
    series.steps.push_back(step);
    series.values.push_back(std::max(0.0, value * (1 + noise * normal(random))));
  }
  return synthetic::detector("spikes", settings)
      ->detect(synthetic::finished({series}), synthetic::with_vocabulary(100, steps));
}

double decay(double t) { return 0.5 + 4 * std::exp(-t / 200); }

// Jumps up by `height` at `at` and falls back within some `width` steps.
double spike(double t, double at, double height, double width) {
  return t < at ? 0 : height * std::exp(-(t - at) / width);
}

TEST(Spikes, AreCountedWithTheirHeightAndStep) {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    const Finding finding = detect(
        [](double t) { return decay(t) + spike(t, 1500, 3, 5) + spike(t, 3000, 16, 20) + spike(t, 4500, 1.5, 50); },
        0.05, seed);
    EXPECT_EQ(value_of(finding, "count"), 3) << "seed " << seed;
    EXPECT_EQ(value_of(finding, "any"), 1);
    EXPECT_EQ(value_of(finding, "late"), 1);
    EXPECT_NEAR(*value_of(finding, "height"), 16, 3);
    EXPECT_NEAR(*value_of(finding, "peak"), 16.5, 3);
    EXPECT_NEAR(*value_of(finding, "step"), 3001, 5);
  }
}

TEST(Spikes, ASingleMeasurementIsEnough) {
  const Finding finding = detect([](double t) { return decay(t) + (t == 2000 ? 5 : 0); });
  EXPECT_EQ(value_of(finding, "count"), 1);
  EXPECT_EQ(value_of(finding, "step"), 2000);
  EXPECT_NEAR(*value_of(finding, "height"), 5, 1e-3);
}

// Half way back to what counts as a spike it is over: with a usual loss of 1 that is 1.5.
TEST(Spikes, AreOverHalfWayBack) {
  const auto count_with = [](double between) {
    return value_of(detect([=](double t) {
                      return t == 2000 ? 4 : t == 2001 ? between : t == 2002 ? 10 : 1;
                    }),
                    "count");
  };
  EXPECT_EQ(count_with(1.5), 2);
  EXPECT_EQ(count_with(1.51), 1);
}

TEST(Spikes, AShoulderBelongsToItsSpike) {
  const Finding finding = detect([](double t) {
    const double shoulder = t > 2000 && t < 2300 ? 1.2 + 0.3 * std::sin(t) : 0;
    return decay(t) + spike(t, 2000, 12, 3) + shoulder;
  });
  EXPECT_EQ(value_of(finding, "count"), 1);
}

// 200 runs of 5,000 steps with the noise of a batch: no false alarm, on a descent or near 0, where the relative noise
// is huge and the absolute floor protects.
TEST(Spikes, NoiseIsNone) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const Finding noisy = detect(decay, 0.15, seed);
    EXPECT_EQ(value_of(noisy, "count"), 0) << "seed " << seed;
    EXPECT_FALSE(value_of(noisy, "height"));
    EXPECT_FALSE(value_of(noisy, "step"));
    const Finding tiny =
        detect([](double t) { return 1e-4 + 4 * std::exp(-t / 200); }, 3, seed, 5000, {{"from", "2000"}});
    EXPECT_EQ(value_of(tiny, "count"), 0) << "seed " << seed;
  }
}

// A run that always fluctuates by half a nat has no spikes, whatever the floor says.
TEST(Spikes, WhatARunDoesAllTheTimeIsNone) {
  const auto restless = [](double) { return 0.8; };
  int with = 0, without = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    with += *value_of(detect(restless, 0.5, seed), "any") > 0;
    without += *value_of(detect(restless, 0.5, seed, 5000, {{"noise", "0"}}), "any") > 0;
  }
  EXPECT_LE(with, 1) << "in one of 400 runs, by simulation";
  EXPECT_EQ(without, 20);
}

TEST(Spikes, LargestHasNoCut) {
  const auto small = [](double t) { return decay(t) + spike(t, 2000, 0.3, 5); };
  const Finding finding = detect(small);
  EXPECT_EQ(value_of(finding, "any"), 0);
  EXPECT_NEAR(*value_of(finding, "largest"), 0.3, 0.01);
  EXPECT_NEAR(*value_of(detect([](double t) { return decay(t) + spike(t, 2000, 3, 5); }), "largest"), 3, 0.01);
}

// The longest spike is a number of steps: the same rise counts, or does not, in a run of any length.
TEST(Spikes, DoNotHangOnTheLengthOfTheRun) {
  const auto shelf = [](double t) { return t > 1000 && t < 1600 ? 3.0 : 0.5; };
  for (const int64_t steps : {3000, 6000, 12000}) EXPECT_EQ(value_of(detect(shelf, 0, 1, steps), "count"), 1) << steps;
  EXPECT_EQ(value_of(detect(shelf, 0, 1, 6000, {{"longest_steps", "300"}}), "count"), 0);
  EXPECT_EQ(value_of(detect(shelf, 0, 1, 3000, {{"longest", "0.1"}}), "count"), 0);
}

TEST(Spikes, AWindowOfStepsIsAWindowOfMeasurements) {
  const auto rising = [](double t) { return 0.5 + t / 2500 + spike(t, 3000, 2, 5); };
  const Finding by_steps = detect(rising, 0.02, 1, 5000, {{"window_steps", "50"}});
  const Finding by_count = detect(rising, 0.02, 1, 5000, {{"window", "51"}});
  for (const Quantity& one : by_count) EXPECT_EQ(value_of(by_steps, one.name), one.value) << one.name;
}

TEST(Spikes, NearZeroTheFloorDecides) {
  const auto near_zero = [](double height) {
    return [height](double t) { return 1e-5 + (t > 2000 && t < 2010 ? height : 0); };
  };
  EXPECT_EQ(value_of(detect(near_zero(0.1)), "count"), 0);
  EXPECT_EQ(value_of(detect(near_zero(0.1), 0, 1, 5000, {{"rise", "0.05"}}), "count"), 1);
  EXPECT_EQ(value_of(detect(near_zero(0.6)), "count"), 1);
}

TEST(Spikes, AChangeOfLevelIsNone) {
  EXPECT_EQ(value_of(detect([](double t) { return t < 2000 ? 0.5 : 3.0; }, 0.05), "count"), 0);
  // Afterwards spikes are measured from the new level.
  const Finding finding = detect([](double t) { return (t < 2000 ? 0.5 : 3.0) + spike(t, 4000, 9, 5); }, 0.05);
  EXPECT_EQ(value_of(finding, "count"), 1);
  EXPECT_NEAR(*value_of(finding, "height"), 9, 1.5);
}

TEST(Spikes, ASlowRecoveryIsOneSpike) {
  EXPECT_EQ(value_of(detect([](double t) { return 0.5 + spike(t, 2000, 10, 20) + (t > 2000 ? 1.0 : 0); }), "count"), 1);
}

TEST(Spikes, ARiseTheRunEndsOnHasNotComeBack) {
  EXPECT_EQ(value_of(detect([](double t) { return t < 4990 ? 0.5 : 5.0; }), "count"), 0);
  EXPECT_EQ(value_of(detect([](double t) { return t < 4990 || t > 4995 ? 0.5 : 5.0; }), "count"), 1);
}

TEST(Spikes, TheFirstDescentIsLeftOut) {
  const auto early = [](double t) { return decay(t) + spike(t, 100, 20, 5); };
  EXPECT_EQ(value_of(detect(early), "count"), 0);
  EXPECT_EQ(value_of(detect(early, 0, 1, 5000, {{"from", "50"}}), "count"), 1);
}

TEST(Spikes, ARunThatEndsBeforeItsStartTellsNothing) {
  for (const Quantity& one : detect(decay, 0, 1, 400)) EXPECT_FALSE(one.value) << one.name;
}

}  // namespace
}  // namespace atto::spikes_test

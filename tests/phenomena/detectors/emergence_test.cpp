#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "synthetic.h"

namespace atto::emergence_test {
namespace {

using synthetic::censored;
using synthetic::value_of;

Recording with_values(std::vector<double> values) {
  Recording recording;
  Series series{"accuracy", {}, {}, std::move(values)};
  for (size_t i = 0; i < series.values.size(); ++i) series.steps.push_back(static_cast<int64_t>(10 * i));
  recording.steps_done = series.steps.empty() ? 0 : series.steps.back();
  recording.series.push_back(series);
  return recording;
}

Finding detect(const Recording& recording, std::vector<std::pair<std::string, std::string>> settings) {
  settings.push_back({"series", "accuracy"});
  return synthetic::detector("emergence", settings)->detect(recording, RunConfig{});
}

TEST(Emergence, IsTheFirstStepThatStays) {
  const Recording recording = with_values({0, 0.6, 0, 0.7, 0.8, 0.4, 0.5, 0.9, 1});
  const auto above = [&](const char* hold) {
    return detect(recording, {{"threshold", "0.5"}, {"direction", "above"}, {"hold", hold}});
  };
  EXPECT_EQ(value_of(above("1"), "step"), 10);
  EXPECT_EQ(value_of(above("2"), "step"), 30);
  EXPECT_EQ(value_of(above("3"), "step"), 60);  // the threshold itself counts
  EXPECT_EQ(value_of(above("3"), "emerged"), 1);
  EXPECT_FALSE(censored(above("3"), "step"));
}

TEST(Emergence, IsCensoredAtTheEndWhenItDoesNotCome) {
  const Recording never = with_values({5, 4, 4, 3, 4});
  const Finding finding = detect(never, {{"threshold", "1"}, {"direction", "below"}});
  EXPECT_EQ(value_of(finding, "step"), 40);
  EXPECT_TRUE(censored(finding, "step"));
  // Whether it came within the run is known, so that "most learn by the end" can be refuted.
  EXPECT_EQ(value_of(finding, "emerged"), 0);
  EXPECT_FALSE(censored(finding, "emerged"));
  // Two measurements beyond do not show that it stays for three ...
  Recording late = with_values({5, 4, 4, 1, 1});
  EXPECT_TRUE(censored(detect(late, {{"threshold", "1"}, {"hold", "3"}}), "step"));
  // ... unless the run ended because it had reached its goal.
  late.stopped_early = true;
  EXPECT_EQ(value_of(detect(late, {{"threshold", "1"}, {"hold", "3"}}), "step"), 30);
  EXPECT_FALSE(censored(detect(late, {{"threshold", "1"}, {"hold", "3"}}), "step"));
  const Finding strict = detect(late, {{"threshold", "1"}, {"hold", "3"}, {"stop_suffices", "false"}});
  EXPECT_TRUE(censored(strict, "step"));
  EXPECT_EQ(value_of(strict, "emerged"), 0);
}

// The same curve measured three times as often: a hold in steps means the same, one in measurements does not.
TEST(Emergence, HoldsForStepsHoweverOftenItIsMeasured) {
  const auto at = [](int64_t step) { return step >= 30 && step < 45 ? 1.0 : step >= 90 ? 1.0 : 5.0; };
  Recording coarse = with_values({}), fine = coarse;
  for (int64_t step = 0; step <= 180; step += 5) {
    fine.series[0].steps.push_back(step);
    fine.series[0].values.push_back(at(step));
    if (step % 15 != 0) continue;
    coarse.series[0].steps.push_back(step);
    coarse.series[0].values.push_back(at(step));
  }
  const auto step_of = [](const Recording& recording, const char* key, const char* value) {
    return value_of(detect(recording, {{"threshold", "1"}, {key, value}}), "step");
  };
  EXPECT_EQ(step_of(coarse, "hold_steps", "30"), 90);
  EXPECT_EQ(step_of(fine, "hold_steps", "30"), 90);
  EXPECT_EQ(step_of(coarse, "hold", "3"), 90);
  EXPECT_EQ(step_of(fine, "hold", "3"), 30) << "three measurements are ten steps here";
  EXPECT_EQ(step_of(fine, "hold_steps", "90"), 90) << "up to its last measurement";
  EXPECT_TRUE(censored(detect(fine, {{"threshold", "1"}, {"hold_steps", "91"}}), "step"));
}

TEST(Emergence, ARunningMedianKnowsNoLuckyBatch) {
  const Recording lucky = with_values({5, 5, 1, 5, 5, 5, 1, 1, 1, 1, 1});
  EXPECT_EQ(value_of(detect(lucky, {{"threshold", "1"}, {"hold", "1"}}), "step"), 20);
  EXPECT_EQ(value_of(detect(lucky, {{"threshold", "1"}, {"hold", "1"}, {"smooth", "20"}}), "step"), 60);
}

TEST(Emergence, ThresholdMayBeAFractionOfTheStart) {
  const Recording recording = with_values({8, 6, 4, 2, 1, 1, 1});
  EXPECT_EQ(value_of(detect(recording, {{"threshold", "0.25"}, {"relative", "true"}, {"hold", "2"}}), "step"), 30);
  EXPECT_EQ(value_of(detect(recording, {{"threshold", "0.25"}, {"hold", "1"}}), "emerged"), 0);
}

TEST(Emergence, MayFallBetweenMeasurements) {
  const Recording falling = with_values({1.0, 0.8, 0.2, 0.1, 0.0});
  const auto below = [&](const char* threshold, const char* interpolate) {
    return value_of(detect(falling, {{"threshold", threshold}, {"hold", "2"}, {"interpolate", interpolate}}), "step");
  };
  EXPECT_EQ(below("0.5", "false"), 20);
  EXPECT_NEAR(below("0.5", "true").value(), 15, 1e-12);
  EXPECT_NEAR(below("0.8", "true").value(), 10, 1e-12);
  EXPECT_EQ(below("1", "true"), 0) << "there from the start: nothing to interpolate";
}

TEST(Emergence, BeforeADivergenceStands) {
  Recording recording = with_values({8, 1, 1, 1, 90});
  recording.diverged_at = 45;
  EXPECT_EQ(value_of(detect(recording, {{"threshold", "1"}}), "step"), 10);
  const Finding none = detect(recording, {{"threshold", "0.5"}});
  EXPECT_FALSE(value_of(none, "step"));
  EXPECT_FALSE(value_of(none, "emerged"));
}

TEST(Emergence, WhatIsNotANumberHasNotEmerged) {
  const Recording recording = with_values({8, std::nan(""), std::nan(""), std::nan(""), 8});
  for (const char* direction : {"below", "above"})
    EXPECT_EQ(value_of(detect(recording, {{"threshold", direction[0] == 'b' ? "1" : "9"}, {"direction", direction}}),
                       "emerged"),
              0);
}

// Restates the definition by brute force.
TEST(Emergence, AgreesWithItsDefinition) {
  EXPECT_TRUE(rc::check([](const std::vector<bool>& beyond, unsigned raw_hold) {
    RC_PRE(!beyond.empty());
    const size_t hold = 1 + raw_hold % 4;
    std::optional<double> expected;
    for (size_t i = 0; i + hold <= beyond.size() && !expected; ++i) {
      bool all = true;
      for (size_t j = i; j < i + hold; ++j) all = all && beyond[j];
      if (all) expected = static_cast<double>(10 * i);
    }
    std::vector<double> values;
    for (const bool one : beyond) values.push_back(one ? 0.0 : 1.0);
    const Finding finding = detect(with_values(values), {{"threshold", "0.5"}, {"hold", std::to_string(hold)}});
    RC_ASSERT(censored(finding, "step") == !expected.has_value());
    if (expected) RC_ASSERT(value_of(finding, "step") == expected);
  }));
}

}  // namespace
}  // namespace atto::emergence_test

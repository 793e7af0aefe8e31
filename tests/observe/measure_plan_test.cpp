#include "observe/measure_plan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace atto {
namespace {

using Steps = std::vector<int64_t>;

MeasureSteps every(int64_t steps) { return {steps, 0, 0, {}}; }
MeasureSteps linear(int64_t points) { return {0, points, 0, {}}; }
MeasureSteps logarithmic(int64_t points) { return {0, 0, points, {}}; }
MeasureSteps at(Steps steps) { return {0, 0, 0, std::move(steps)}; }

TEST(ScheduleSteps, EveryTakesTheMultiplesAndTheEnd) {
  EXPECT_EQ(every(5).resolve(20), (Steps{0, 5, 10, 15, 20}));
  EXPECT_EQ(every(6).resolve(20), (Steps{0, 6, 12, 18, 20}));
  EXPECT_EQ(every(100).resolve(20), (Steps{0, 20}));
  EXPECT_EQ(every(1).resolve(3), (Steps{0, 1, 2, 3}));
}

TEST(ScheduleSteps, LinearSpreadsFromStartToEnd) {
  EXPECT_EQ(linear(5).resolve(100), (Steps{0, 25, 50, 75, 100}));
  EXPECT_EQ(linear(4).resolve(10), (Steps{0, 3, 6, 10}));
  EXPECT_EQ(linear(2).resolve(10), (Steps{0, 10}));
  EXPECT_EQ(linear(1).resolve(10), (Steps{10}));
  EXPECT_EQ(linear(50).resolve(3), (Steps{0, 1, 2, 3})) << "more points than steps";
}

TEST(ScheduleSteps, LogSpacedHasZeroOneAndEqualRatios) {
  EXPECT_EQ(logarithmic(6).resolve(10000), (Steps{0, 1, 10, 100, 1000, 10000}));
  EXPECT_EQ(logarithmic(3).resolve(64), (Steps{0, 1, 64}));
  const Steps many = logarithmic(40).resolve(3000);
  EXPECT_EQ(many.front(), 0);
  EXPECT_EQ(many[1], 1);
  EXPECT_EQ(many.back(), 3000);
  EXPECT_LE(many.size(), 40u);
}

TEST(ScheduleSteps, NamedStepsAreTakenWithinTheRun) {
  EXPECT_EQ(at({7, 3, 3, 500}).resolve(20), (Steps{3, 7, 20}));
  EXPECT_EQ(at({-1}).resolve(20), (Steps{20}));
}

TEST(ScheduleSteps, PartsAddUp) {
  const MeasureSteps both{10, 3, 0, {1, 2}};
  EXPECT_EQ(both.resolve(20), (Steps{0, 1, 2, 10, 20}));
}

TEST(ScheduleSteps, DefaultIsAHundredEvenSteps) {
  const Steps steps = MeasureSteps().resolve(2970);
  ASSERT_EQ(steps.size(), 100u);
  for (size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i], static_cast<int64_t>(30 * i));
  EXPECT_EQ(MeasureSteps().resolve(4), (Steps{0, 1, 2, 3, 4}));
}

TEST(ScheduleSteps, ARunOfNoStepsIsMeasuredOnce) {
  for (const MeasureSteps& schedule : {MeasureSteps(), every(3), linear(7), logarithmic(7), at({0, 1})})
    EXPECT_EQ(schedule.resolve(0), Steps{0});
}

RC_GTEST_PROP(ScheduleSteps, AreSortedUniqueInsideAndReachTheEnd, ()) {
  const int64_t steps = *rc::gen::inRange<int64_t>(0, 5000);
  MeasureSteps schedule;
  schedule.every = *rc::gen::inRange<int64_t>(0, 300);
  schedule.linear = *rc::gen::inRange<int64_t>(0, 300);
  schedule.log = *rc::gen::inRange<int64_t>(0, 300);
  schedule.at = *rc::gen::container<Steps>(rc::gen::inRange<int64_t>(-10, 6000));
  const Steps chosen = schedule.resolve(steps);
  RC_ASSERT(!chosen.empty() && chosen.back() == steps && chosen.front() >= 0);
  RC_ASSERT(std::adjacent_find(chosen.begin(), chosen.end(), std::greater_equal<>()) == chosen.end());
  for (const int64_t named : schedule.at)
    if (named >= 0 && named <= steps) RC_ASSERT(std::binary_search(chosen.begin(), chosen.end(), named));
}

// The bound that memory is planned by: each kind of schedule adds its steps, and the ends two more.
TEST(ScheduleSteps, AskForAtMostTheSumOfItsParts) {
  const MeasureSteps all{10, 5, 4, {1, 2}};
  EXPECT_EQ(all.at_most(100), 5 + 11 + 4 + 2 + 2);
  EXPECT_LE(all.resolve(100).size(), 24u);
  EXPECT_EQ((MeasureSteps{10, 0, 0, {}}).at_most(100), 11 + 2);
  EXPECT_EQ((MeasureSteps{0, 0, 4, {}}).at_most(100), 4 + 2);
}

}  // namespace
}  // namespace atto

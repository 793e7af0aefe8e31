// Two curves that are known to move together, apart, or not at all.
#include <gtest/gtest.h>

#include "synthetic.h"

namespace atto::comovement_test {
namespace {

using synthetic::value_of;

// Falls from 100 to 50 around step 300, rests, and falls to 1 around step 1,500.
double two_falls(double step) {
  return std::log(100.0) + synthetic::fall(step, std::log(2.0), 300, 40) +
         synthetic::fall(step, std::log(50.0), 1500, 60);
}

Finding detect(const synthetic::Curve& rank, double nats = 0) {
  Recording recording = synthetic::run(two_falls, {nats, 5});
  Series series{"rank", {}, {}, {}};
  for (int64_t step = 0; step <= 3000; step += 20) {
    series.steps.push_back(step);
    series.values.push_back(rank(static_cast<double>(step)));
  }
  recording.series.push_back(series);
  return synthetic::detector("comovement", {{"series", "rank"}})->detect(recording, RunConfig{});
}

// The published picture: the rank falls in both falls, and rises slowly at all other times.
double with_the_loss(double step) {
  return 10 + synthetic::fall(step, 5, 300, 40) + synthetic::fall(step, 2, 1500, 60) + step / 1000;
}

TEST(Comovement, OfARankThatFallsWithTheLoss) {
  for (const double nats : {0.0, 0.015}) {
    const Finding finding = detect(with_the_loss, nats);
    EXPECT_GT(*value_of(finding, "correlation"), nats > 0 ? 0.3 : 0.7) << nats;
    EXPECT_LT(*value_of(finding, "while_falling"), -0.2) << nats;
    EXPECT_NEAR(*value_of(finding, "while_resting"), 0.1, 0.03) << "a thousandth a step, over 100 steps";
    EXPECT_GT(*value_of(finding, "contrast"), 0.3) << nats;
  }
}

TEST(Comovement, OfARankThatGoesTheOtherWay) {
  const Finding finding = detect([](double step) { return 20 - with_the_loss(step); });
  EXPECT_LT(*value_of(finding, "correlation"), -0.7);
  EXPECT_LT(*value_of(finding, "contrast"), -0.3);
}

// A rank that falls at another time than the loss: nothing in common, and the fall itself is counted as a rest.
TEST(Comovement, OfARankThatFallsOnThePlateau) {
  const Finding finding = detect([](double step) { return 10 + synthetic::fall(step, 5, 900, 30); });
  EXPECT_LT(std::abs(*value_of(finding, "while_falling")), 0.05);
  EXPECT_LT(*value_of(finding, "correlation"), 0.3);
}

TEST(Comovement, RestsLieBetweenFallsOnly) {
  // After the last fall the rank runs away; that is the end of learning and no plateau.
  const Finding finding = detect([](double step) { return step < 2200 ? 5.0 : 5 + (step - 2200); });
  EXPECT_EQ(*value_of(finding, "while_resting"), 0);
}

// Windows end where the first of the two series does: after that nothing is known of its changes.
TEST(Comovement, LooksAtBothSeriesOnlyWhereBothAre) {
  const auto up_to = [](int64_t rank_end, int64_t loss_end) {
    Recording recording = synthetic::run(two_falls, {}, loss_end);
    recording.series.push_back(synthetic::sample("rank", with_the_loss, rank_end, 20));
    return synthetic::detector("comovement", {{"series", "rank"}})->detect(recording, RunConfig{});
  };
  const Finding both = up_to(1400, 1400);
  for (const Finding& one : {up_to(1400, 3000), up_to(3000, 1400)})
    for (const Quantity& quantity : both) EXPECT_EQ(value_of(one, quantity.name), quantity.value) << quantity.name;
  EXPECT_NE(value_of(up_to(3000, 3000), "contrast"), value_of(both, "contrast"));
}

TEST(Comovement, IsMissingWhereThereIsNothingToCompare) {
  const Finding constant = detect([](double) { return 3.0; });
  EXPECT_FALSE(find(constant, "correlation")->value) << "a constant goes with nothing";
  Recording flat = synthetic::run([](double) { return 1.0; });
  flat.series.push_back({"rank", {}, flat.series[0].steps, flat.series[0].values});
  const Finding never = synthetic::detector("comovement", {{"series", "rank"}})->detect(flat, RunConfig{});
  EXPECT_FALSE(find(never, "while_falling")->value) << "nothing falls";
  EXPECT_FALSE(find(never, "contrast")->value);
}

}  // namespace
}  // namespace atto::comovement_test

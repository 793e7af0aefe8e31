// The short form of `make calibrate`: every kind of claim, judged as a study judges it.
#include <gtest/gtest.h>

#include "calibration/worlds.h"

namespace atto::calibration {
namespace {

class Judged : public testing::TestWithParam<size_t> {};

TEST_P(Judged, HoldsTheTruthAndDecidesRight) {
  const World world = worlds()[GetParam()];
  const int64_t trials = world.slow ? 24 : 200;
  const Rates rates = simulate(world, 0, trials);
  EXPECT_GE(rates.coverage(), 0.95 - chance(trials)) << world.statistic << ", " << world.what;
  EXPECT_LE(rates.errors(), 0.05 + chance(trials)) << world.statistic << ", " << world.what;
}

INSTANTIATE_TEST_SUITE_P(IntervalsCoverTheTruth, Judged, testing::Range(size_t{0}, worlds().size()));

}  // namespace
}  // namespace atto::calibration

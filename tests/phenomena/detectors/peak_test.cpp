#include <gtest/gtest.h>

#include <limits>

#include "synthetic.h"

namespace atto::peak_test {
namespace {

using synthetic::value_of;

Finding detect(std::vector<double> values) {
  Recording recording;
  Series series{"weight", {}, {}, std::move(values)};
  for (size_t i = 0; i < series.values.size(); ++i) series.steps.push_back(static_cast<int64_t>(5 * i));
  recording.series.push_back(series);
  return synthetic::detector("peak", {{"series", "weight"}})->detect(recording, RunConfig{});
}

TEST(Peak, IsTheHighestMeasurement) {
  const Finding finding = detect({0, 1, 4, 3, 4, 2});
  EXPECT_EQ(value_of(finding, "step"), 10) << "the first of equals";
  EXPECT_EQ(value_of(finding, "value"), 4);
  EXPECT_EQ(value_of(finding, "final"), 2);
  EXPECT_EQ(value_of(finding, "over_final"), 2);
}

TEST(Peak, OfARisingCurveIsItsEnd) {
  const Finding finding = detect({0, 1, 2});
  EXPECT_EQ(value_of(finding, "step"), 10);
  EXPECT_EQ(value_of(finding, "over_final"), 1);
}

TEST(Peak, PassesOverWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(value_of(detect({nan, 3, nan, 1}), "step"), 5);
  EXPECT_FALSE(find(detect({nan, nan}), "step")->value);
  EXPECT_FALSE(find(detect({1, 0}), "over_final")->value) << "a ratio to nothing";
}

}  // namespace
}  // namespace atto::peak_test

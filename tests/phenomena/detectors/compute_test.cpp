#include <gtest/gtest.h>

#include "spec/flops.h"
#include "synthetic.h"

namespace atto::compute_test {
namespace {

using synthetic::censored;
using synthetic::value_of;

// Measured every 10 steps.
Recording with_losses(std::vector<double> values) {
  Recording recording;
  Series series{"loss", {}, {}, std::move(values)};
  for (size_t i = 0; i < series.values.size(); ++i) series.steps.push_back(static_cast<int64_t>(10 * i));
  recording.steps_done = series.steps.back();
  recording.series.push_back(series);
  return recording;
}

RunConfig of_width(int64_t width) {
  RunConfig config;
  config.network.width = width;
  return config;
}

Finding detect(const Recording& recording, const RunConfig& config) {
  return synthetic::detector("compute", {{"threshold", "0.5"}, {"hold", "2"}})->detect(recording, config);
}

TEST(Compute, IsTheStepOfTheCrossingTimesTheCostOfAStep) {
  const Recording falls = with_losses({1, 0.8, 0.4, 0.9, 0.6, 0.2, 0.1});  // for good between steps 40 and 50
  for (const int64_t width : {2, 8}) {
    const double each = *flops_per_step(RunSpec(of_width(width)));
    const Finding finding = detect(falls, of_width(width));
    EXPECT_DOUBLE_EQ(*value_of(finding, "flop"), 42.5 * each);
    EXPECT_DOUBLE_EQ(*value_of(finding, "flop_per_step"), each);
    EXPECT_FALSE(censored(finding, "flop"));
  }
}

TEST(Compute, IsALowerBoundWhereItDoesNotCome) {
  const Finding finding = detect(with_losses({1, 0.9, 0.8}), of_width(2));
  EXPECT_TRUE(censored(finding, "flop"));
  EXPECT_DOUBLE_EQ(*value_of(finding, "flop"), 20 * *flops_per_step(RunSpec(of_width(2))));
}

TEST(Compute, IsMissingAfterDivergence) {
  Recording recording = with_losses({1, 0.9, 0.8});
  recording.diverged_at = 25;
  EXPECT_FALSE(find(detect(recording, of_width(2)), "flop")->value);
}

}  // namespace
}  // namespace atto::compute_test

// The detector of docs/adding-a-detector.md on curves whose answer is known.
#include <gtest/gtest.h>

#include "phenomena/detectors/detector.h"

namespace atto {
namespace {

Finding overshoot(std::vector<double> values, bool diverged = false) {
  Recording recording;
  recording.series = {{"gradient.norm", {}, {}, std::move(values)}};
  for (size_t i = 0; i < recording.series[0].values.size(); ++i)
    recording.series[0].steps.push_back(static_cast<int64_t>(i));
  if (diverged) recording.diverged_at = 3;
  return make_detector("overshoot")->detect(recording, {});
}

TEST(ExampleDetector, ComparesTheMaximumWithTheEnd) {
  EXPECT_EQ(find(overshoot({1, 6, 2}), "height")->value, 3);
  EXPECT_EQ(find(overshoot({1, 6, 2}), "present")->value, 1);
  EXPECT_EQ(find(overshoot({1, 1.9, 1}), "present")->value, 0);
  EXPECT_EQ(find(overshoot({1, 2, 4}), "height")->value, 1) << "a rise to the end is none";
}

TEST(ExampleDetector, SaysNothingWhereThereIsNoEndToCompareWith) {
  for (const Finding& finding : {overshoot({}), overshoot({1, 2, 0}), overshoot({1, 2, 1}, true)}) {
    EXPECT_FALSE(find(finding, "present")->value);
    EXPECT_FALSE(find(finding, "height")->value);
  }
}

}  // namespace
}  // namespace atto

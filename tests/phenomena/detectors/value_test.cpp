#include <gtest/gtest.h>

#include "base/error.h"
#include "synthetic.h"

namespace atto {
namespace {

using synthetic::fall;
using synthetic::value_of;

// Perplexity with a plateau at 5 and a rank that rises one unit per thousand steps.
Recording sticky_run() {
  Recording recording = synthetic::run(
      [](double t) { return std::log(10.0) + fall(t, std::log(2.0), 300, 20) + fall(t, std::log(5.0), 1600, 20); });
  Series rank{"rank", {}, {}, {}};
  for (int64_t step = 0; step <= 3000; step += 50) {
    rank.steps.push_back(step);
    rank.values.push_back(1 + static_cast<double>(step) / 1000);
  }
  recording.series.push_back(rank);
  return recording;
}

std::optional<double> read(const Recording& recording, const std::string& series, const std::string& at,
                           const std::string& step = "0") {
  return value_of(synthetic::detector("value", {{"series", series}, {"at", at}, {"step", step}})
                      ->detect(recording, synthetic::with_vocabulary(10)),
                  "value");
}

TEST(ValueDetector, ReadsTheNamedPlace) {
  const Recording recording = sticky_run();
  EXPECT_EQ(read(recording, "rank", "first"), 1.0);
  EXPECT_EQ(read(recording, "rank", "final"), 4.0);
  EXPECT_EQ(read(recording, "rank", "min"), 1.0);
  EXPECT_EQ(read(recording, "rank", "max"), 4.0);
  EXPECT_DOUBLE_EQ(*read(recording, "rank", "step", "1000"), 2.0);
  EXPECT_DOUBLE_EQ(*read(recording, "rank", "step", "1049"), 2.0);  // the last measurement at or before
}

TEST(ValueDetector, ReadsTheMedianOverThePlateau) {
  const Recording recording = sticky_run();
  EXPECT_NEAR(*read(recording, "perplexity", "plateau"), 5, 0.02);
  EXPECT_NEAR(*read(recording, "rank", "plateau"), 1.95, 0.05);  // the plateau lasts from about 350 to 1550
  const Recording none = synthetic::run([](double t) { return std::log(10.0) * std::exp(-t / 300); });
  EXPECT_FALSE(read(none, "perplexity", "plateau"));
  Recording sparse = recording;  // the rank was not looked at while on it
  sparse.series[1].steps = {0, 3000};
  sparse.series[1].values = {1, 4};
  EXPECT_FALSE(read(sparse, "rank", "plateau"));
}

TEST(ValueDetector, AsksForThePerplexityOnlyWhereItUsesIt) {
  EXPECT_EQ(synthetic::detector("value", {{"series", "rank"}})->needs(), SeriesNeeds{SeriesNeed::scalar("rank")});
  EXPECT_EQ(synthetic::detector("value", {{"series", "rank"}, {"at", "plateau"}})->needs(),
            (SeriesNeeds{SeriesNeed::scalar("rank"), SeriesNeed::scalar("perplexity")}));
}

TEST(ValueDetector, IsMissingAfterADivergence) {
  Recording recording = sticky_run();
  recording.diverged_at = 1000;
  recording.steps_done = 1000;
  for (Series& series : recording.series) {
    const auto kept = static_cast<size_t>(series.address == "rank" ? 20 : 50);
    series.steps.resize(kept);
    series.values.resize(kept);
  }
  EXPECT_EQ(read(recording, "rank", "first"), 1.0);
  EXPECT_DOUBLE_EQ(*read(recording, "rank", "step", "900"), 1.9);
  EXPECT_FALSE(read(recording, "rank", "step", "1000"));
  for (const char* at : {"final", "min", "max", "plateau"}) EXPECT_FALSE(read(recording, "rank", at)) << at;
}

TEST(ValueDetector, IsMissingWhereTheRunStoppedBeforeTheStep) {
  Recording recording = sticky_run();
  recording.stopped_early = true;
  recording.steps_done = 2000;
  EXPECT_FALSE(read(recording, "rank", "step", "2500"));
  EXPECT_THROW(read(recording, "rank", "step", "3001"), Error);  // no run of this study gets there
}

}  // namespace
}  // namespace atto

// The two detectors that compare training data with data that repeat nothing.
#include <gtest/gtest.h>

#include "synthetic.h"

namespace atto {
namespace {

using synthetic::value_of;

Recording record(const std::string& train, const std::vector<double>& seen, const std::string& test,
                 const std::vector<double>& held_out) {
  Recording recording;
  for (const auto& [address, values] : {std::pair{train, seen}, std::pair{test, held_out}}) {
    Series series{address, {}, {}, values};
    for (size_t i = 0; i < values.size(); ++i) series.steps.push_back(static_cast<int64_t>(10 * i));
    recording.series.push_back(series);
  }
  return recording;
}

Finding grokking(const std::vector<double>& seen, const std::vector<double>& held_out) {
  return synthetic::detector("grokking", {{"hold", "2"}})
      ->detect(record("accuracy", seen, "accuracy.test", held_out), RunConfig{});
}

TEST(Grokking, MeasuresTheDelayFromTrainingToTest) {
  const Finding finding = grokking({0, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 1, 1});
  EXPECT_EQ(value_of(finding, "train_step"), 5) << "on the line between 0 and 10";
  EXPECT_EQ(value_of(finding, "test_step"), 45);
  EXPECT_EQ(value_of(finding, "delay"), 40);
  EXPECT_NEAR(value_of(finding, "ratio").value(), 46.0 / 6, 1e-12);
  EXPECT_EQ(value_of(finding, "late"), 1);
  EXPECT_EQ(value_of(finding, "never"), 0);
}

TEST(Grokking, IsNotLateWhenBothRiseTogether) {
  const Finding finding = grokking({0, 0, 1, 1, 1}, {0, 0, 1, 1, 1});
  EXPECT_EQ(value_of(finding, "delay"), 0);
  EXPECT_EQ(value_of(finding, "late"), 0);
}

TEST(Grokking, IsCensoredWhenTheTestNeverComes) {
  const Finding finding = grokking({0, 1, 1, 1}, {0, 0, 0, 1});
  EXPECT_TRUE(find(finding, "delay")->censored) << "one measurement is not two on end";
  EXPECT_EQ(value_of(finding, "delay"), 25);
  EXPECT_EQ(value_of(finding, "never"), 1);
  EXPECT_EQ(value_of(finding, "late"), 0);
}

TEST(Grokking, HasNoDelayWithoutTraining) {
  const Finding finding = grokking({0, 0, 0}, {0, 1, 1});
  EXPECT_TRUE(find(finding, "train_step")->censored);
  EXPECT_FALSE(find(finding, "delay")->value);
  EXPECT_EQ(value_of(finding, "never"), 0);
}

TEST(Grokking, SaysNothingOfADivergedRun) {
  Recording recording = record("accuracy", {0, 1, 1}, "accuracy.test", {0, 1, 1});
  recording.diverged_at = 20;
  EXPECT_FALSE(find(synthetic::detector("grokking", {})->detect(recording, RunConfig{}), "late")->value);
}

Finding overfitting(const std::vector<double>& seen, const std::vector<double>& held_out) {
  return synthetic::detector("overfitting", {})->detect(record("loss", seen, "loss.test", held_out), RunConfig{});
}

TEST(Overfitting, IsARiseAfterTheBestAndAGap) {
  const Finding finding = overfitting({1, 0.5, 0.2, 0.1}, {1, 0.6, 0.7, 0.9});
  EXPECT_EQ(value_of(finding, "best"), 0.6);
  EXPECT_EQ(value_of(finding, "best_step"), 10);
  EXPECT_NEAR(value_of(finding, "rise").value(), 0.3, 1e-12);
  EXPECT_NEAR(value_of(finding, "gap").value(), 0.8, 1e-12);
  EXPECT_NEAR(value_of(finding, "largest_gap").value(), 0.8, 1e-12);
  EXPECT_EQ(value_of(finding, "rises"), 1);
  EXPECT_EQ(value_of(finding, "gapes"), 1);
}

TEST(Overfitting, PassesWithTheGap) {
  const Finding finding = overfitting({1, 0.2, 0.1, 0.1}, {1, 1, 0.5, 0.12});
  EXPECT_EQ(value_of(finding, "rises"), 0);
  EXPECT_EQ(value_of(finding, "gapes"), 0);
  EXPECT_NEAR(value_of(finding, "largest_gap").value(), 0.8, 1e-12);
}

}  // namespace
}  // namespace atto

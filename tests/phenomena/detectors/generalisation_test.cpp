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

// Training takes 35 steps and the run ends at 50: a test series that is on time may still be to come.
TEST(Grokking, ARunThatEndsTooSoonCannotSayNever) {
  const Finding finding = grokking({0, 0, 0, 0, 1, 1}, {0, 0, 0, 0, 0, 0});
  for (const char* name : {"never", "late"}) {
    EXPECT_EQ(value_of(finding, name), 0) << name;
    EXPECT_TRUE(find(finding, name)->censored) << name;
  }
  // One that was long enough can, and has not seen it come late either.
  const Finding longer = grokking({0, 0, 0, 0, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(value_of(longer, "never"), 1);
  EXPECT_EQ(value_of(longer, "late"), 0);
  for (const char* name : {"never", "late"}) EXPECT_FALSE(find(longer, name)->censored) << name;
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

Finding overfitting(const std::vector<double>& seen, const std::vector<double>& held_out,
                    const std::vector<std::pair<std::string, std::string>>& settings = {}) {
  return synthetic::detector("overfitting", settings)
      ->detect(record("loss", seen, "loss.test", held_out), synthetic::with_vocabulary(4));
}

// A blind answer has a loss of log 4, so 0.139 counts, whatever the network said before it had learnt anything.
TEST(Overfitting, DoesNotHangOnTheFirstLoss) {
  for (const double first : {0.7, 1.4, 14.0}) {
    EXPECT_EQ(value_of(overfitting({first, 0.3, 0.3, 0.3}, {first, 0.5, 0.6, 0.65}), "rises"), 1) << first;
    EXPECT_EQ(value_of(overfitting({first, 0.5, 0.5, 0.5}, {first, 0.5, 0.6, 0.63}), "rises"), 0) << first;
    EXPECT_EQ(value_of(overfitting({first, 0.5, 0.5, 0.5}, {first, 0.5, 0.6, 0.63}), "gapes"), 0) << first;
  }
}

TEST(Overfitting, ARunningMedianKnowsNoLuckyTest) {
  const std::vector<double> seen(9, 0.5);
  std::vector<double> held_out(9, 0.5);
  held_out[3] = 0.1;  // one lucky test is the lowest loss, and one unlucky one the largest gap
  held_out[6] = 1.5;
  EXPECT_EQ(value_of(overfitting(seen, held_out), "rises"), 1);
  const Finding calm = overfitting(seen, held_out, {{"smooth", "20"}});
  EXPECT_EQ(value_of(calm, "rises"), 0);
  EXPECT_EQ(value_of(calm, "best"), 0.5);
  EXPECT_EQ(value_of(calm, "largest_gap"), 0);
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

// Curves whose power law is known, curves that only look like one, and intervals over simulated ones.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "synthetic.h"

namespace atto::power_law_detector_test {
namespace {

using synthetic::value_of;
using Settings = std::vector<std::pair<std::string, std::string>>;

// ln y as a function of the step, measured every `every` steps.
Finding detect(const synthetic::Curve& curve, const Settings& settings = {}, synthetic::Noise noise = {},
               int64_t steps = 10000, int64_t every = 10) {
  const Recording recording = synthetic::finished({synthetic::sample("loss", curve, steps, every, noise)});
  return synthetic::detector("power_law", settings)->detect(recording, synthetic::with_vocabulary(4, steps));
}

double falling(double step) { return -0.5 * std::log(std::max(step, 1.0)); }

TEST(PowerLawDetector, FindsTheExponentAndTheWholeRange) {
  const Finding found = detect(falling);
  EXPECT_EQ(value_of(found, "present"), 1);
  EXPECT_NEAR(value_of(found, "exponent").value(), -0.5, 1e-3) << "a bin's mean is not quite on the line";
  EXPECT_LE(value_of(found, "low").value(), -0.5);
  EXPECT_GE(value_of(found, "high").value(), -0.5);
  EXPECT_LT(value_of(found, "high").value() - value_of(found, "low").value(), 0.01);
  EXPECT_NEAR(value_of(found, "r2").value(), 1, 1e-6);
  EXPECT_EQ(value_of(found, "begin"), 10);
  EXPECT_EQ(value_of(found, "end"), 10000);
  EXPECT_DOUBLE_EQ(value_of(found, "decades").value(), 3);
}

TEST(PowerLawDetector, GrowthHasAPositiveExponent) {
  EXPECT_NEAR(value_of(detect([](double t) { return 2 * std::log(std::max(t, 1.0)); }), "exponent").value(), 2, 5e-3);
}

// A plateau to step 100, a power law, and a floor from step 2000 on: only the middle is a line.
TEST(PowerLawDetector, LeavesOutThePlateauBeforeAndTheFloorAfter) {
  const Finding found = detect([](double t) { return -1.5 * std::log(std::clamp(t, 100.0, 2000.0)); }, {}, {0.01});
  EXPECT_NEAR(value_of(found, "exponent").value(), -1.5, 0.1);
  EXPECT_GE(value_of(found, "begin").value(), 70);
  EXPECT_LE(value_of(found, "begin").value(), 130);
  EXPECT_GE(value_of(found, "end").value(), 1600);
  EXPECT_LE(value_of(found, "end").value(), 3000);
  EXPECT_LE(value_of(found, "low").value(), -1.5);
  EXPECT_GE(value_of(found, "high").value(), -1.5);
}

// An exponential bends everywhere in these coordinates: no decade of it is straight once it falls.
TEST(PowerLawDetector, DoesNotTakeAnExponentialForALine) {
  EXPECT_EQ(value_of(detect([](double t) { return -t / 1000; }), "present"), 0);
  EXPECT_EQ(value_of(detect([](double t) { return -t / 1000; }, {{"bend", "10"}, {"r2", "0.8"}}), "present"), 1)
      << "unless bends are allowed";
}

TEST(PowerLawDetector, NoiseAloneIsNoPowerLaw) {
  for (uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_EQ(value_of(detect([](double) { return 0.0; }, {}, {0.1, seed}), "present"), 0) << seed;
}

TEST(PowerLawDetector, AGivenRangeIsFittedWhateverItLooksLike) {
  const auto broken = [](double t) { return t < 1000 ? falling(t) : falling(1000) - 2 * std::log(t / 1000); };
  const Finding early = detect(broken, {{"from", "10"}, {"to", "900"}});
  EXPECT_NEAR(value_of(early, "exponent").value(), -0.5, 1e-3);
  EXPECT_EQ(value_of(early, "begin"), 10);
  EXPECT_EQ(value_of(early, "end"), 900);
  const Finding late = detect(broken, {{"from", "1000"}});
  EXPECT_NEAR(value_of(late, "exponent").value(), -2, 0.01);
  EXPECT_EQ(value_of(late, "end"), 10000);
  const Finding both = detect(broken, {{"from", "100"}});
  EXPECT_LT(value_of(both, "r2").value(), 0.98);
  EXPECT_GT(value_of(both, "high").value() - value_of(both, "low").value(), 1) << "a bend widens the interval";
}

TEST(PowerLawDetector, IsAbsentWhereTheSeriesIsNotPositive) {
  Series series = synthetic::sample("loss", falling, 10000, 10);
  for (double& value : series.values) value -= 0.02;  // below 0 from step 2500 on
  const Recording recording = synthetic::finished({series});
  const RunConfig config = synthetic::with_vocabulary(4, 10000);
  const Finding given = synthetic::detector("power_law", {{"from", "100"}})->detect(recording, config);
  EXPECT_EQ(value_of(given, "present"), 0);
  EXPECT_FALSE(value_of(given, "exponent"));
  const Finding looked_for = synthetic::detector("power_law")->detect(recording, config);
  EXPECT_EQ(value_of(looked_for, "present"), 1);
  EXPECT_LT(value_of(looked_for, "end").value(), 2500) << "no range reaches across what has no logarithm";
}

TEST(PowerLawDetector, NeedsEnoughMeasurements) {
  EXPECT_EQ(value_of(detect(falling, {}, {}, 10000, 2000), "present"), 0) << "six steps";
  EXPECT_EQ(value_of(detect(falling, {{"from", "9000"}}), "present"), 0) << "too short a range";
}

TEST(PowerLawDetector, RefusesRangesThatRunsDoNotHave) {
  const RunConfig config = synthetic::with_vocabulary(4, 3000);
  EXPECT_THROW(synthetic::detector("power_law", {{"from", "4000"}})->check(config), Error);
  EXPECT_THROW(synthetic::detector("power_law", {{"to", "4000"}})->check(config), Error);
  EXPECT_THROW(synthetic::detector("power_law", {{"from", "100"}, {"to", "100"}})->check(config), Error);
  EXPECT_NO_THROW(synthetic::detector("power_law", {{"from", "100"}, {"to", "3000"}})->check(config));
}

// The contract of the interval: with noise that forgets at once, slowly or never, 95 % intervals hold the truth in at
// least 95 %, up to the noise of so many trials.
TEST(PowerLawDetector, IntervalsCoverTheTruth) {
  constexpr int kTrials = 400;
  for (const double memory : {0.0, 0.6, 0.9, 1.0}) {
    int held = 0;
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    for (int trial = 0; trial < kTrials; ++trial) {
      Series series{"loss", {}, {}, {}};
      double error = memory < 1 ? 0.05 * normal(random) / std::sqrt(1 - memory * memory) : 0;
      for (int bin = 0; bin < 60; ++bin) {  // one measurement a bin, from step 100 on
        const double step = std::round(100 * std::pow(10, (bin + 0.5) / 20));
        series.steps.push_back(static_cast<int64_t>(step));
        series.values.push_back(std::exp(-0.5 * std::log(step) + error));
        error = memory * error + 0.05 * normal(random);
      }
      const auto detector = synthetic::detector("power_law", {{"from", "100"}});
      const Finding found = detector->detect(synthetic::finished({series}), synthetic::with_vocabulary(4, 1'000'000));
      held += value_of(found, "low").value() <= -0.5 && -0.5 <= value_of(found, "high").value();
    }
    EXPECT_GE(static_cast<double>(held) / kTrials, 0.95 - 0.022) << memory;
  }
}

}  // namespace
}  // namespace atto::power_law_detector_test

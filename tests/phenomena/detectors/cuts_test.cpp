// The settings that verdicts hang on, of every detector.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "base/error.h"
#include "synthetic.h"

namespace atto::cuts_test {
namespace {

using synthetic::value_of;

TEST(Cuts, SpanAFactorOfTwoEitherWay) {
  const Cut cut = cut_by_factor("contrast", 5);
  ASSERT_EQ(cut.values.size(), 9u);
  EXPECT_DOUBLE_EQ(cut.values.front(), 2.5);
  EXPECT_EQ(cut.values[4], 5);
  EXPECT_DOUBLE_EQ(cut.values.back(), 10);
  EXPECT_TRUE(cut.log);
  EXPECT_EQ(cut_by_factor("factor", 1.2, 1).values.front(), 1.2 * std::exp2(-0.25));
  EXPECT_EQ(cut_by_factor("threshold", -4).values.front(), -8);
}

TEST(Cuts, BetweenTwoNumbersHoldTheirOwn) {
  const Cut cut = cut_between("threshold", 0.5, 0.25, 0.75);
  EXPECT_EQ(cut.values.size(), 9u);
  EXPECT_EQ(std::count(cut.values.begin(), cut.values.end(), 0.5), 1);
  const Cut uneven = cut_between("threshold", 0.3, 0.1, 0.9);
  EXPECT_EQ(std::count(uneven.values.begin(), uneven.values.end(), 0.3), 1);
  EXPECT_TRUE(std::is_sorted(uneven.values.begin(), uneven.values.end()));
}

class CutsOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Registry, CutsOf, testing::ValuesIn(detector_names()),
                         [](const auto& one) { return one.param; });

TEST_P(CutsOf, AreSettingsWithTheirOwnValueAmongThoseShown) {
  const auto detector = make_detector(GetParam());
  Fields fields;
  detector->describe(fields);
  for (const auto& [quantity, help, yes_or_no] : detector->quantities()) {
    for (const Cut& cut : detector->cuts(quantity)) {
      const Field* field = fields.find(cut.setting);
      ASSERT_NE(field, nullptr) << cut.setting;
      ASSERT_TRUE(field->is_number()) << cut.setting;
      const Value value = field->get();
      const auto* whole = std::get_if<int64_t>(&value);
      EXPECT_EQ(whole ? static_cast<double>(*whole) : std::get<double>(value), cut.own) << cut.setting;
      EXPECT_EQ(std::count(cut.values.begin(), cut.values.end(), cut.own), 1) << cut.setting;
      EXPECT_TRUE(std::is_sorted(cut.values.begin(), cut.values.end())) << cut.setting;
      EXPECT_GE(cut.values.size(), 5u) << cut.setting;
      for (const double one : cut.values)
        EXPECT_NO_THROW(make_detector(GetParam(), {{cut.setting, Value(one)}})) << cut.setting << " = " << one;
    }
  }
}

// A yes or no that is no mere sign hangs on something.
TEST(Cuts, EveryYesOrNoHasOne) {
  for (const std::string& name : detector_names()) {
    if (name == "separation") continue;  // its three are signs of numbers that it reports
    const auto detector = make_detector(name);
    for (const auto& [quantity, help, yes_or_no] : detector->quantities()) {
      if (yes_or_no) {
        EXPECT_FALSE(detector->cuts(quantity).empty()) << name << "." << quantity;
      }
    }
  }
}

// A share, or a fraction of the first value, is cut within 0 and 1; 0 has neither a half nor a double.
TEST(Cuts, OfAnEmergenceStayBetweenItsThresholdAndItsEnd) {
  const auto cuts = [](double threshold, const char* direction, bool relative = false) {
    return make_detector("emergence", {{"series", "accuracy"},
                                       {"threshold", Value(threshold)},
                                       {"direction", direction},
                                       {"relative", relative}})
        ->cuts("step");
  };
  EXPECT_TRUE(cuts(0, "above").empty());
  EXPECT_TRUE(cuts(0, "below").empty());
  const std::vector<Cut> share = cuts(0.8, "above"), fraction = cuts(0.8, "below", true), level = cuts(0.8, "below");
  for (const std::vector<Cut>& one : {share, fraction}) {
    ASSERT_EQ(one.size(), 1u);
    EXPECT_NEAR(one[0].values.front(), 0.4, 1e-12);
    EXPECT_NEAR(one[0].values.back(), 0.9, 1e-12);
  }
  EXPECT_NEAR(cuts(0.3, "above")[0].values.back(), 0.6, 1e-12);
  EXPECT_NEAR(level[0].values.back(), 1.6, 1e-12);
  EXPECT_NEAR(cuts(1, "above")[0].values.back(), 2, 1e-12) << "no share";
  const std::vector<Cut> perplexity = make_detector("emergence")->cuts("step");  // 1.5: half of 1 is left to 1
  EXPECT_NEAR(perplexity[0].values.front(), 1.25, 1e-12);
  EXPECT_NEAR(perplexity[0].values.back(), 2, 1e-12);
}

TEST(DetectorSettings, MakeAnotherDetectorOfTheSame) {
  const auto copy = make_detector("emergence", {{"threshold", Value(0.25)}, {"hold", Value(7.0)}});
  Fields fields;
  copy->describe(fields);
  EXPECT_EQ(fields.at("threshold").get(), Value(0.25));
  EXPECT_EQ(fields.at("hold").get(), Value(int64_t{7})) << "a whole number, however it is written";
  EXPECT_EQ(fields.at("hold_steps").get(), Value(int64_t{0}));
  EXPECT_THROW(make_detector("emergence", {{"treshold", Value(1.0)}}), Error);
  EXPECT_THROW(make_detector("plateau", {{"contrast", Value(0.5)}}), Error);
}

// decide() must say what detect() would: of random embeddings and attention, at every cut.
void expect_same(const std::string& name, const Recording& recording, const RunConfig& config) {
  const auto detector = make_detector(name);
  const Finding finding = detector->detect(recording, config);
  int decided = 0;
  for (const auto& [quantity, help, yes_or_no] : detector->quantities())
    for (const Cut& cut : detector->cuts(quantity))
      for (const double value : cut.values) {
        const auto said = detector->decide(finding, quantity, cut.setting, value);
        if (!said) continue;
        ++decided;
        const Finding seen = make_detector(name, {{cut.setting, Value(value)}})->detect(recording, config);
        EXPECT_EQ(said->value, value_of(seen, quantity)) << name << "." << quantity << " at " << value;
      }
  EXPECT_GT(decided, 0) << name;
}

TEST(Decide, AgreesWithDetect) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::vector<std::vector<double>> embeddings;
    std::vector<double> received;
    for (int time = 0; time < 15; ++time) {
      std::vector<double>& points = embeddings.emplace_back();
      for (int token = 0; token < 20; ++token) {
        const double angle = 2 * std::numbers::pi * token / 20, loose = 0.02 * seed;
        points.push_back(std::cos(angle) + loose * normal(random));
        points.push_back(std::sin(angle) + loose * normal(random));
      }
    }
    for (int token = 0; token < 20; ++token)
      received.push_back((token < 3 ? 0.2 * seed : 1) * std::exp(0.3 * normal(random)));
    RunConfig config = synthetic::with_vocabulary(20);
    config.data.task = "unigram";
    config.data.exponent = 1;
    const Recording recording =
        synthetic::finished({synthetic::snapshots("embedding", {20, 2}, embeddings),
                             synthetic::snapshots("layer.0.attention.received_by_token", {20}, {received})});
    for (const char* name : {"continuity", "swaps", "sinks"}) expect_same(name, recording, config);
  }
}

TEST(Decide, OfAMissingFindingNothingIsKnown) {
  for (const char* name : {"continuity", "swaps", "sinks"}) {
    const auto detector = make_detector(name);
    Finding missing;
    for (const auto& [quantity, help, yes_or_no] : detector->quantities()) missing.push_back({quantity, std::nullopt});
    for (const auto& [quantity, help, yes_or_no] : detector->quantities())
      for (const Cut& cut : detector->cuts(quantity)) {
        const auto said = detector->decide(missing, quantity, cut.setting, cut.own);
        EXPECT_FALSE(said && said->value) << name;
      }
  }
}

}  // namespace
}  // namespace atto::cuts_test

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.h"
#include "synthetic.h"

namespace atto {
namespace {

TEST(Registry, KnowsEveryDetectorByName) {
  EXPECT_EQ(detector_names(),
            (std::vector<std::string>{"branching", "circle", "collapse", "comovement", "compute", "continuity",
                                      "emergence", "frequency_geometry", "grokking", "overfitting", "peak", "plateau",
                                      "power_law", "separation", "sinks", "spikes", "swaps", "value"}));
  try {
    make_detector("platau");
    FAIL() << "made an unknown detector";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_NE(std::string(error.what()).find("did you mean 'plateau'?"), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("emergence"), std::string::npos);
  }
}

// What holds for every detector, so also for the next one.
class EveryDetector : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Registry, EveryDetector, testing::ValuesIn(detector_names()),
                         [](const auto& one) { return one.param; });

TEST_P(EveryDetector, DescribesItselfOnce) {
  const auto detector = make_detector(GetParam());
  Fields fields;
  detector->describe(fields);
  std::set<std::string> keys, names;
  for (const Field& field : fields.all()) {
    EXPECT_TRUE(keys.insert(field.key).second) << field.key;
    EXPECT_FALSE(field.help.empty()) << field.key;
    EXPECT_NO_THROW(field.set(field.get())) << field.key << ": its default is out of its own range";
  }
  for (const auto& [name, help, yes_or_no] : detector->quantities()) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_FALSE(help.empty()) << name;
    EXPECT_EQ(yes_or_no, help.starts_with("1 if")) << name << ": readers take \"" << help << "\" for yes or no";
  }
  EXPECT_FALSE(detector->needs().empty());
}

// A recording of what it needs, with embeddings and positions on the corners of a square.
Recording everything(const Detector& detector) {
  Recording recording =
      synthetic::run([](double t) { return std::log(4.0) + synthetic::fall(t, std::log(2.0), 300, 20); });
  const std::vector<int64_t> steps = recording.series[0].steps;
  recording.series.clear();
  for (const std::string& address : addresses_of(detector.needs())) {
    static const std::map<std::string, Series> kShapes = {
        {"embedding", {"", {4, 2}, {}, {1, 1, 1, -1, -1, 1, -1, -1}}},
        {"positions", {"", {4, 2}, {}, {1, 1, 1, -1, -1, 1, -1, -1}}},
        {"layer.0.query", {"", {2, 2}, {}, {1, 0, 0, 1}}},
        {"layer.0.key", {"", {2, 2}, {}, {0, 1, -1, 0}}},
        {"layer.0.attention.received_by_token", {"", {4}, {}, {2, 1, 0.5, 0.5}}}};
    if (const auto shape = kShapes.find(address); shape != kShapes.end()) {
      Series series{address, shape->second.shape, steps, {}};
      for (size_t i = 0; i < steps.size(); ++i)
        series.values.insert(series.values.end(), shape->second.values.begin(), shape->second.values.end());
      recording.series.push_back(series);
    } else {
      recording.series.push_back(synthetic::sample(
          address, [](double t) { return std::log(4.0) + synthetic::fall(t, std::log(2.0), 300, 20); }, 3000, 20));
    }
  }
  return recording;
}

TEST_P(EveryDetector, ReportsExactlyTheQuantitiesItNames) {
  const auto detector = make_detector(GetParam());
  Recording recording = everything(*detector);
  for (const bool diverged : {false, true}) {
    if (diverged) {
      recording.diverged_at = 400;
      for (Series& series : recording.series) {
        const size_t block = series.block();
        series.steps.resize(21);
        series.values.resize(21 * block);
      }
    }
    const Finding finding = detector->detect(recording, synthetic::with_vocabulary(4));
    const auto names = detector->quantities();
    ASSERT_EQ(finding.size(), names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(finding[i].name, names[i].name);
      EXPECT_FALSE(diverged && finding[i].value) << finding[i].name;
    }
  }
}

TEST_P(EveryDetector, SurvivesARunThatDivergedBeforeItsFirstMeasurement) {
  const auto detector = make_detector(GetParam());
  Recording recording = everything(*detector);
  recording.diverged_at = 0;
  for (Series& series : recording.series) {
    series.steps.clear();
    series.values.clear();
  }
  for (const Quantity& quantity : detector->detect(recording, synthetic::with_vocabulary(4)))
    EXPECT_FALSE(quantity.value);
}

TEST_P(EveryDetector, NamesTheSeriesItMisses) {
  const auto detector = make_detector(GetParam());
  for (const std::string& address : addresses_of(detector->needs())) {
    Recording recording = everything(*detector);
    std::erase_if(recording.series, [&](const Series& series) { return series.address == address; });
    try {
      detector->detect(recording, synthetic::with_vocabulary(4));
      FAIL() << "did not miss " << address;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config);
      EXPECT_NE(std::string(error.what()).find("'" + address + "'"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace atto

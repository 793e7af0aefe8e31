// Detectors on series of a shape that they cannot read: refused when the study is read, where the phenomenon stands.
#include "lab/study/check_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "lab/study/study.h"

namespace atto::check_shapes_test {
namespace {

// Everything that any detector reads unless it is told otherwise.
constexpr const char* kStudy = R"([data]
task = "copy"
vocab = 4
context = 3
offset = 1
[network]
positions = "learned"
[training]
steps = 10
[[observe]]
what = ["loss", "loss.test", "perplexity", "accuracy", "accuracy.test", "embedding", "embedding.effective_dimension"]
[[observe]]
what = ["positions", "layer.0.query", "layer.0.key", "layer.0.attention.received_by_token"]
[[observe]]
what = ["layer.0.attention.received_by_position"]
)";
constexpr const char* kPlace = "a.toml:16:1: ";  // of the phenomenon below it

std::string phenomenon(const std::string& detector, const std::string& settings) {
  return kStudy + std::string("[[phenomenon]]\ndetector = \"") + detector + "\"\n" + settings;
}

// Message and remedy, "" when the study is read.
std::pair<std::string, std::string> complaint(const std::string& text, const StudyOptions& options = {}) {
  try {
    parse_study(text, "a.toml", options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return {error.what(), error.remedy()};
  }
  return {};
}

// All that the detector may read.
SeriesNeeds all_needs(const Detector& detector) {
  SeriesNeeds needs = detector.needs();
  for (const QuantityHelp& one : detector.quantities())
    for (const SeriesNeed& need : detector.needs_for(one.name)) needs.push_back(need);
  return needs;
}

class DetectorShapes : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Registry, DetectorShapes, testing::ValuesIn(detector_names()),
                         [](const auto& one) { return one.param; });

TEST_P(DetectorShapes, ItsOwnSeriesFit) { EXPECT_EQ(complaint(phenomenon(GetParam(), "")).first, ""); }

TEST(DetectorLevels, AreRefusedWhereTheStudyNamesThem) {
  EXPECT_EQ(complaint(phenomenon("plateau", "near = \"data.vocab / 2\"\n")).first, "");
  const auto [message, remedy] = complaint(phenomenon("collapse", "plateau_near = \"data.vocb / 2\"\n"));
  EXPECT_TRUE(message.starts_with(kPlace)) << message;
  EXPECT_NE(message.find("did you mean 'data.vocab'?"), std::string::npos) << message;
}

TEST_P(DetectorShapes, EveryAddressItTakesIsRefusedWithAnotherShape) {
  const auto detector = make_detector(GetParam());
  Fields fields;
  detector->describe(fields);
  if (const Field* at = fields.find("at"); at && at->type == FieldType::word) at->set(std::string("plateau"));
  const std::string reads_all = GetParam() == "value" ? "at = \"plateau\"\n" : "";
  const SeriesNeeds needs = all_needs(*detector);
  size_t addresses = 0;
  for (const Field& field : fields.all()) {
    if (field.type != FieldType::word || !field.choices.empty()) continue;
    if (field.key.ends_with("near")) continue;  // a level, no address
    const auto need = std::find_if(needs.begin(), needs.end(),
                                   [&](const SeriesNeed& one) { return one.address == to_text(field.get()); });
    ASSERT_NE(need, needs.end()) << field.key << " is no address that it reads";
    ++addresses;
    const bool scalar = need->text() == "one number";
    const std::string wrong = scalar ? "embedding" : "loss";
    const auto [message, remedy] = complaint(phenomenon(GetParam(), reads_all + field.key + " = \"" + wrong + "\"\n"));
    EXPECT_TRUE(message.starts_with(kPlace + ("the detector '" + GetParam()) + "' reads '" + wrong + "', which is "))
        << field.key << ": " << message;
    EXPECT_TRUE(message.ends_with(", not " + need->text())) << field.key << ": " << message;
    EXPECT_NE(message.find(scalar ? "which is [" : "which is one number,"), std::string::npos) << message;
    EXPECT_TRUE(remedy.starts_with("name an address of that shape, such as '")) << remedy;
  }
  EXPECT_GT(addresses, 0u);
}

TEST(DetectorShapes, TheRemedyNamesAnAddressThatFits) {
  EXPECT_EQ(complaint(phenomenon("value", "series = \"embedding\"\n")).second,
            "name an address of that shape, such as 'embedding.effective_dimension'");
  EXPECT_EQ(complaint(phenomenon("circle", "series = \"perplexity\"\n")).second,
            "name an address of that shape, such as 'embedding'");
}

TEST(DetectorShapes, LengthsThatDoNotBelongTogetherAreRefused) {
  const auto refused = [](const std::string& detector, const std::string& setting, const std::string& need) {
    const std::string message = complaint(phenomenon(detector, setting)).first;
    EXPECT_TRUE(message.starts_with(kPlace)) << message;
    EXPECT_TRUE(message.ends_with(", not " + need)) << message;
  };
  refused("sinks", "series = \"layer.0.attention.received_by_position\"\n", "[tokens]");
  refused("frequency_geometry", "series = \"positions\"\n", "[tokens][width]");
  refused("separation", "query = \"embedding\"\n", "[features][width]");
}

TEST(DetectorShapes, TheCellIsNamedWhereThereAreSeveral) {
  const std::string sweep = "[sweep.grid]\ndata.vocab = [4, 10]\n";
  EXPECT_NE(complaint(phenomenon("value", "series = \"embedding\"\n") + sweep).first.find(" in cell data.vocab=4, not"),
            std::string::npos);
}

TEST(DetectorShapes, WhatIsReadForAQuantityIsLookedAtWhereItIsObserved) {
  EXPECT_NE(complaint(phenomenon("collapse", "perplexity_series = \"embedding\"\n")).first, "");
  EXPECT_EQ(complaint(phenomenon("collapse", "perplexity_series = \"perplexity.test\"\n")).first, "");
}

TEST(DetectorShapes, SettingsOfTheCommandLineAreLookedAtToo) {
  // With as many positions as tokens the two cannot be told apart.
  const std::string text = phenomenon("sinks", "series = \"layer.0.attention.received_by_position\"\n");
  std::string same = text;
  same.replace(same.find("vocab = 4"), 9, "vocab = 3");
  EXPECT_EQ(complaint(same).first, "");
  StudyOptions options;
  options.set = {"data.vocab=4"};
  EXPECT_TRUE(complaint(same, options).first.starts_with("--set: the detector 'sinks' reads "));
}

// A step beyond the end of a run is refused like a shape, and so is one that --set leaves beyond it.
TEST(DetectorShapes, StepsBeyondTheEndAreRefused) {
  for (const auto& [detector, settings, key] :
       {std::tuple{"value", "at = \"step\"\nstep = ", "step"}, std::tuple{"circle", "at = ", "at"},
        std::tuple{"continuity", "at = ", "at"}, std::tuple{"frequency_geometry", "at = ", "at"},
        std::tuple{"separation", "at = ", "at"}, std::tuple{"sinks", "at = ", "at"}}) {
    EXPECT_EQ(complaint(phenomenon(detector, settings + std::string("10"))).first, "") << detector;
    EXPECT_EQ(complaint(phenomenon(detector, settings + std::string("11"))).first,
              kPlace + std::string(key) + " = 11 lies beyond the run's 10 steps")
        << detector;
    StudyOptions shorter;
    shorter.set = {"training.steps=9"};
    EXPECT_EQ(complaint(phenomenon(detector, settings + std::string("10")), shorter).first,
              "--set: " + std::string(key) + " = 10 lies beyond the run's 9 steps")
        << detector;
  }
}

TEST(DetectorShapes, CellsOfTheSameBuildShareAnOffer) {
  const Study study = parse_study(
      phenomenon("value", "") + "[sweep.grid]\ntraining.rate = [0.1, 0.01, 0.001]\ndata.vocab = [20, 100]\n", "a.toml",
      {});
  const std::vector<Cell> cells = expand_cells(study);
  const std::vector<Offer> offers = offers_of(cells, study.observe);
  size_t members = 0;
  for (const Offer& offer : offers) members += offer.cells.size();
  EXPECT_EQ(members, 6u);
  EXPECT_LT(offers.size(), 6u);
}

}  // namespace
}  // namespace atto::check_shapes_test

#include "lab/figures/numbers/reference_lines.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/figures/vega/spec.h"

namespace atto {
namespace {

const Json kAxis = {{"scale", {{"type", "linear"}, {"domain", {0, 1}}}}};
constexpr int64_t kHeight = 200;

std::vector<PlacedLabel> placed(const std::vector<Level>& levels) {
  const std::vector<PlacedLabel> labels = place_labels(levels, kAxis, kHeight);
  for (size_t i = 0; i < labels.size(); ++i) {
    EXPECT_LE(labels[i].place + kLabelHeight, kHeight + 1e-9);
    EXPECT_TRUE(i == 0 || labels[i].place - labels[i - 1].place >= kLabelHeight - 1e-9);
  }
  return labels;
}

TEST(ReferenceLabels, StandOnTheirLinesWhereTheyMay) {
  const auto labels = placed({{0.8, "best"}, {0.2, "guess"}});
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels[0].level.label, "guess");
  EXPECT_DOUBLE_EQ(labels[0].place, 40);
  EXPECT_DOUBLE_EQ(labels[1].place, 160);
}

TEST(ReferenceLabels, MoveApartWhereLinesAreClose) {
  EXPECT_EQ(placed({{0.5, "a"}, {0.5, "b"}, {0.51, "c"}}).size(), 3u);
  EXPECT_EQ(placed({{0.99, "a"}, {0.98, "b"}, {1.0, "c"}}).size(), 3u) << "down where there is no room above";
}

TEST(ReferenceLabels, RepeatForEveryLineThatHasOne) {
  EXPECT_EQ(placed({{0.2, "V/2"}, {0.6, "V/2"}}).size(), 2u);
  std::vector<Level> many;
  for (int i = 0; i < 50; ++i) many.push_back({i / 50.0, "V/2"});
  many.push_back({0.5, "other"});
  const auto labels = placed(many);
  EXPECT_EQ(labels.size(), 14u) << "as many as fit";
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const auto& one) { return one.level.label == "other"; }));
}

TEST(ReferenceLabels, PlacesAreTurnedBackIntoValues) {
  EXPECT_DOUBLE_EQ(value_at(kAxis, place_on(kAxis, 0.3, kHeight), kHeight), 0.3);
  const Json logarithmic = {{"scale", {{"type", "log"}, {"domain", {1, 100}}}}};
  EXPECT_NEAR(value_at(logarithmic, 100, kHeight), 10, 1e-12);
}

}  // namespace
}  // namespace atto

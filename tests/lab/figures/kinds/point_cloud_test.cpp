// Embeddings at one moment: numbers, colours, and labels that do not overlap.
#include <cmath>

#include "lab/figures/figure_samples.h"
#include "lab/figures/vega/labels.h"

namespace atto {
namespace {

class PointsTest : public FigureTest {
 protected:
  static std::vector<double> on_circle(int64_t step, int64_t row) {
    const double angle = 0.3 * static_cast<double>(row), radius = 1 + static_cast<double>(step);
    return {radius * std::cos(angle), radius * std::sin(angle)};
  }
  static Recording circle(int64_t rows, const std::vector<int64_t>& steps = {0, 10, 20}) {
    return recording_of({matrix_series("embedding", rows, 2, steps, on_circle)});
  }
};

TEST_F(PointsTest, DrawsTheMomentAskedFor) {
  add_cell({}, {circle(5)});
  const Figure last = draw("points");
  const auto rows = rows_of(last.spec["data"]);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].at("name"), "0");
  EXPECT_EQ(rows[0].at("x"), "21");
  EXPECT_NEAR(std::stod(rows[1].at("y")), 21 * std::sin(0.3), 0.01);
  EXPECT_NE(last.drawing.caption.find("at step 20"), std::string::npos);
  EXPECT_TRUE(last.drawing.frames.empty());
  EXPECT_EQ(rows_of(draw("points", "at = 15").spec["data"])[0].at("x"), "11");
  EXPECT_EQ(rows_of(draw("points", "at = 0").spec["data"])[0].at("x"), "1");
}

TEST_F(PointsTest, MomentBeforeTheFirstMeasurementHasNothing) {
  add_cell({}, {circle(5, {10, 20})});
  const Figure figure = draw("points", "at = 5");
  EXPECT_TRUE(figure.spec.is_null());
  EXPECT_NE(figure.drawing.notice.find("step 5"), std::string::npos);
}

TEST_F(PointsTest, ColoursByNumberOrFrequency) {
  study_.base.data.task = "unigram";
  study_.base.data.vocab = 4;
  study_.base.data.exponent = 1;
  study_.base.data.bos = true;
  add_cell({}, {circle(5)});
  const Json plain = draw("points").spec;
  EXPECT_FALSE(plain["layer"][0]["encoding"].contains("color"));
  EXPECT_FALSE(rows_of(plain["data"])[0].contains("value"));

  const Json numbered = draw("points", "color = \"token\"").spec;
  EXPECT_EQ(numbered["layer"][0]["encoding"]["color"]["field"], "value");
  const Json frequent = draw("points", "color = \"frequency\"").spec;
  EXPECT_EQ(frequent["layer"][0]["encoding"]["color"]["scale"]["type"], "log");
  double total = 0;
  for (const DataRow& row : rows_of(frequent["data"])) {
    if (row.at("name") == "BOS") {
      EXPECT_EQ(row.at("value"), "");
      continue;
    }
    total += std::stod(row.at("value"));
    if (row.at("name") == "1") {
      EXPECT_NEAR(std::stod(row.at("value")), 0.24, 1e-4);  // (1/2) / (1 + 1/2 + 1/3 + 1/4)
    }
  }
  EXPECT_NEAR(total, 1, 1e-3);
}

TEST_F(PointsTest, EqualFrequenciesHaveNoColour) {
  add_cell({}, {circle(10)});
  const Figure figure = draw("points", "color = \"frequency\"");
  EXPECT_FALSE(figure.spec["layer"][0]["encoding"].contains("color"));
  EXPECT_NE(figure.drawing.notice.find("same frequency"), std::string::npos);
}

TEST_F(PointsTest, SeedsAndCellsHavePanels) {
  add_cell({{"data.vocab", int64_t{4}}}, {circle(4), circle(4), circle(4)});
  add_cell({{"data.vocab", int64_t{6}}}, {circle(6)});
  const auto views = views_of(draw("points", "seeds = 2").spec);
  ASSERT_EQ(views.size(), 3u);
  EXPECT_EQ(views[0]["title"], "vocab 4, seed 1");
  EXPECT_EQ(views[1]["title"], "vocab 4, seed 3");
  EXPECT_EQ(views[2]["title"], "vocab 6, seed 1");
  EXPECT_EQ(views_of(draw("points", "", {{"data.vocab", int64_t{6}}}).spec).size(), 1u);
}

// Text of a study in a title stays text.
TEST_F(PointsTest, TitlesAreNotRead) {
  const std::string nasty = "1, \"0.5\"";
  study_.base.data.task = "bigram";
  add_cell({{"data.rank_weights", nasty}}, {circle(4)});
  add_cell({{"data.rank_weights", std::string()}}, {circle(4)});
  const Json spec = draw("points").spec;
  EXPECT_NE(views_of(spec)[0]["title"].get<std::string>().find(nasty), std::string::npos);
  EXPECT_EQ(Json::parse(spec.dump()), spec);
}

TEST_F(PointsTest, ThousandsOfTokensAreThinned) {
  add_cell({}, {circle(5000)});
  const Figure figure = draw("points");
  EXPECT_EQ(rows_of(figure.spec["data"]).size(), 2000u);
  EXPECT_LT(figure.drawing.marks, kMostMarks);
  EXPECT_NE(figure.drawing.notice.find("2,000"), std::string::npos);
}

// Of points in a heap two are labelled, [BOS] first, on the right, and the next one on the left.
TEST_F(PointsTest, LabelsNeverOverlap) {
  study_.base.data.task = "unigram";
  study_.base.data.vocab = 3;
  study_.base.data.bos = true;
  add_cell({}, {recording_of({matrix_series("embedding", 4, 2, {0}, [](int64_t, int64_t row) {
             return std::vector<double>{row == 1 ? 5.0 : 0.0, 0.0};
           })})});
  std::map<std::string, std::string> labelled;
  for (const DataRow& row : rows_of(draw("points").spec["data"])) labelled[row.at("name")] = row.at("label");
  EXPECT_EQ(labelled, (std::map<std::string, std::string>{{"BOS", "1"}, {"0", "2"}, {"1", "1"}, {"2", "0"}}));
  for (const DataRow& row : rows_of(draw("points", "labels = false").spec["data"])) EXPECT_EQ(row.at("label"), "0");
}

TEST(Labels, KeepTheirDistance) {
  constexpr auto none = LabelSide::none, right = LabelSide::right, left = LabelSide::left;
  using Sides = std::vector<LabelSide>;
  const std::vector<LabelSpot> close{{0, 0, 2}, {0, 5, 2}, {0, 30, 2}};
  EXPECT_EQ(place_labels(close, false), (Sides{right, none, right}));
  EXPECT_EQ(place_labels(close, true), (Sides{right, left, right}));
  // The label of the first would lie on the second point.
  EXPECT_EQ(place_labels({{0, 0, 2}, {10, 0, 2}}, false), (Sides{none, right}));
  EXPECT_EQ(place_labels({{0, 0, 2}, {10, 0, 2}}, true), (Sides{left, right}));
  EXPECT_EQ(place_labels({{0, 0, 2, left}, {100, 0, 2}, {kNotANumber, 0, 2}}, true), (Sides{left, right, none}));
  EXPECT_EQ(place_labels({{0, 0, 2, none}, {0, 5, 2}}, true), (Sides{none, right}));
}

}  // namespace
}  // namespace atto

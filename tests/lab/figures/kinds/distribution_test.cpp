// Dots of every seed: where they stand, the groups they fall into, and what is counted instead.
#include <gtest/gtest.h>

#include "lab/figures/laws_samples.h"
#include "lab/figures/numbers/strips.h"
#include "lab/figures/vega/spec.h"

namespace atto {
namespace {

Overrides vocab(int64_t value) { return {{"data.vocab", value}}; }

class DistributionTest : public NumbersTest {};

TEST_F(DistributionTest, HasADotForEverySeedAndTheMedianOfEachGroup) {
  add_clues(vocab(10), {1, 1.01, 1.02, 1.01, 1, 1.02, 50, 50.5});
  add_clues(vocab(4), {7});
  const Figure figure = draw("distribution", "quantity = \"clue\"\nacross = \"data.vocab\"\nscale = \"log\"");
  const auto dots = rows_with(figure.spec, "seed");
  ASSERT_EQ(dots.size(), 9u);
  EXPECT_EQ(number(dots[0], "x"), 0) << "vocab 4 comes first on the axis";
  EXPECT_EQ(dots[0].at("value"), "7");
  EXPECT_EQ(dots[1].at("seed"), "1");
  for (size_t i = 1; i < dots.size(); ++i) EXPECT_NEAR(number(dots[i], "x"), 1, 0.4);
  const auto bars = rows_with(figure.spec, "several");
  ASSERT_EQ(bars.size(), 3u);
  EXPECT_EQ(bars[1].at("count"), "6");
  EXPECT_EQ(bars[1].at("median"), "1.01");
  EXPECT_EQ(bars[2].at("count"), "2");
  EXPECT_EQ(bars[2].at("low"), "50");
  EXPECT_EQ(bars[2].at("high"), "50.5");
  EXPECT_EQ(bars[0].at("several"), "0");
  EXPECT_EQ(bars[1].at("several"), "1");
  EXPECT_EQ(figure.drawing.marks, 9u + 3 * 3);
  EXPECT_TRUE(figure.drawing.caption.starts_with("Each dot one of 1 to 8 seeds a cell: final clue"));
  EXPECT_EQ(json_text(figure.spec),
            json_text(draw("distribution", "quantity = \"clue\"\nacross = \"data.vocab\"\nscale = \"log\"").spec));
}

TEST_F(DistributionTest, CensoredValuesPointUpAndTheRestIsCounted) {
  add_clues(vocab(4), {10, 1000, -1, -1, kNotANumber, INFINITY, 0});
  const Figure figure = draw("distribution", "quantity = \"event.step\"\nscale = \"log\"");
  const auto dots = rows_with(figure.spec, "seed");
  ASSERT_EQ(dots.size(), 2u);
  EXPECT_EQ(dots[1].at("above"), "1");
  EXPECT_EQ(dots[1].at("value"), "1000");
  for (const char* mark : {"circle", "triangle-up"})
    EXPECT_NE(json_text(figure.spec).find(mark), std::string::npos) << "values and lower bounds are both drawn";
  EXPECT_EQ(rows_with(figure.spec, "several").at(0).at("median"), "10") << "a censored value is no outcome";
  EXPECT_EQ(
      figure.drawing.notice,
      "1 run diverged; 2 runs without the quantity; 1 run with a value that is not finite; 1 run with a value of 0 "
      "or less, which has no logarithm");
  EXPECT_NE(figure.drawing.caption.find("Triangles"), std::string::npos);
  EXPECT_EQ(rows_with(draw("distribution", "quantity = \"event.step\"").spec, "seed").size(), 3u) << "0 is drawn";
}

TEST_F(DistributionTest, NegativeAndConstantValuesAreDrawnToo) {
  add_clues(vocab(4), {-3, -3, -3});
  const Figure figure = draw("distribution", "quantity = \"clue\"");
  const auto bars = rows_with(figure.spec, "several");
  ASSERT_EQ(bars.size(), 1u);
  EXPECT_EQ(bars[0].at("median"), "-3");
  const auto dots = rows_with(figure.spec, "seed");
  ASSERT_EQ(dots.size(), 3u);
  EXPECT_LT(number(dots[0], "x"), number(dots[2], "x")) << "seeds stand from left to right";
  EXPECT_TRUE(draw("distribution", "quantity = \"clue\"\nscale = \"log\"").spec.is_null());
}

// Basins are found by logarithms, which a 0 has not: one group of all, with the median of all.
TEST_F(DistributionTest, ValuesOfZeroAreInTheMedian) {
  add_clues(vocab(4), {0, 0, 0, 0, 5, 5});
  const auto bars = rows_with(draw("distribution", "quantity = \"clue\"").spec, "several");
  ASSERT_EQ(bars.size(), 1u);
  EXPECT_EQ(bars[0].at("median"), "0");
  EXPECT_EQ(bars[0].at("count"), "6");
  EXPECT_EQ(bars[0].at("low"), "0");
  EXPECT_EQ(bars[0].at("high"), "5");
}

TEST_F(DistributionTest, NothingToDrawIsSaid) {
  add_clues(vocab(4), {});
  EXPECT_TRUE(draw("distribution", "quantity = \"clue\"").spec.is_null());
  EXPECT_EQ(draw("distribution", "quantity = \"clue\"").drawing.notice, kNoRuns);
  add_clues(vocab(5), {kNotANumber, kNotANumber});
  const Figure figure = draw("distribution", "quantity = \"clue\"");
  EXPECT_TRUE(figure.spec.is_null());
  EXPECT_NE(figure.drawing.notice.find("clue"), std::string::npos);
}

TEST_F(DistributionTest, RegionsOfClaimsAboutOneCellAreShaded) {
  add_clues(vocab(4), {3, 3.1});
  add_clues(vocab(10), {6, 6.1});
  add_claim("event.step", Statistic::median, vocab(4), 2, 5).statement = "a, \"b\"\n<script>";
  add_claim("event.step", Statistic::median, {}, 0, 1);       // of both cells
  add_claim("event.shown", Statistic::rate, vocab(4), 0, 1);  // of another number
  add_claim("event.step", Statistic::median, vocab(10), 0.5, INFINITY).relative_to = "data.vocab";
  EXPECT_TRUE(rows_with(draw("distribution", "quantity = \"event.step\"").spec, "claim").empty());
  const auto rows = rows_with(draw("distribution", "quantity = \"event.step\"\nregions = true").spec, "claim");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("low"), "2");
  EXPECT_EQ(rows[0].at("high"), "5");
  EXPECT_EQ(rows[0].at("claim"), "C1: a, \"b\"\n<script>");
  EXPECT_NEAR(number(rows[0], "left"), -0.45, 1e-9);
  EXPECT_EQ(rows[1].at("low"), "5") << "0.5 of a vocabulary of 10";
  EXPECT_EQ(rows[1].at("high"), "6.1") << "an open side ends with the values";
}

TEST_F(DistributionTest, ManySeedsAreThinned) {
  for (int64_t cell = 0; cell < 5; ++cell) {
    std::vector<double> clues;
    for (int i = 0; i < 1000; ++i) clues.push_back(i);
    add_clues(vocab(4 + cell), clues);
  }
  const Figure figure = draw("distribution", "quantity = \"clue\"");
  EXPECT_LE(figure.drawing.marks, kMostMarks);
  EXPECT_EQ(rows_with(figure.spec, "seed").size(), 4000u);
  EXPECT_NE(figure.drawing.notice.find("1,000 runs not drawn"), std::string::npos) << figure.drawing.notice;
}

TEST_F(DistributionTest, ManyCellsAreThinned) {
  std::vector<std::pair<Overrides, double>> clues;
  for (int64_t i = 0; i < 3000; ++i) clues.emplace_back(vocab(4 + i), static_cast<double>(i));
  StudyResult result = result_of(study_, clues);
  // Ten seeds that fall into five groups in every cell.
  for (CellResult& cell : result.cells) {
    cell.seeds = 10;
    cell.runs.assign(10, {"run", 1, false});
    Outcomes& finals = cell.observables[0].finals;
    finals.clear();
    for (const double value : {1, 1, 10, 10, 100, 100, 1000, 1000, 10000, 10000}) finals.push_back({value});
  }
  for (const std::string panels : {"", "\npanels = \"data.vocab\""}) {
    const Drawing drawing = draw_result(*kind("distribution", "quantity = \"clue\"" + panels), result, store_);
    EXPECT_LE(drawing.marks, kMostMarks);
    EXPECT_GE(drawing.marks, 350u * (10 + 3 * 5)) << "some are drawn";
    EXPECT_NE(drawing.notice.find("2,650 cells not shown"), std::string::npos) << drawing.notice;
  }
}

TEST(Spread, SetsEqualValuesApartAndKeepsThemInTheStrip) {
  std::vector<SwarmDot> dots;
  for (int64_t i = 0; i < 101; ++i) dots.push_back({5, 0, i, false});
  dots.push_back({9, 0, 101, false});
  spread(dots, 5, 9, false, 0.3);
  EXPECT_DOUBLE_EQ(dots[0].offset, -0.3);
  EXPECT_NEAR(dots[50].offset, 0, 1e-12);
  EXPECT_NEAR(dots[100].offset, 0.3, 1e-12);
  EXPECT_EQ(dots[101].offset, 0) << "alone at its height";
  for (size_t i = 1; i < 101; ++i) EXPECT_GT(dots[i].offset, dots[i - 1].offset);
  std::vector<SwarmDot> same{{2, 0, 0, false}, {2, 0, 1, false}};
  spread(same, 2, 2, true, 0.3);  // no length at all
  EXPECT_DOUBLE_EQ(same[0].offset, -same[1].offset);
  EXPECT_LT(same[0].offset, 0);
}

}  // namespace
}  // namespace atto

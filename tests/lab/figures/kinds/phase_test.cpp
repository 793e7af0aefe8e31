// The map of a number over two keys: places, values, texts, the line.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "lab/figures/laws_samples.h"

namespace atto::phase_test {
namespace {

Overrides at(int64_t width, int64_t context) { return {{"network.width", width}, {"data.context", context}}; }

// `shown` of ten seeds in a cell: as many as asked for.
std::vector<double> shown(int count) {
  std::vector<double> clues(10, -1.0);
  std::fill_n(clues.begin(), count, 5.0);
  return clues;
}

DataRow cell_at(const Json& spec, const std::string& x, const std::string& y) {
  for (const DataRow& row : rows_with(spec, "letters"))
    if (row.at("x") == x && row.at("y") == y) return row;
  ADD_FAILURE() << "no cell at " << x << ", " << y;
  return {};
}

class PhaseTest : public NumbersTest {};

TEST_F(PhaseTest, SharesStandAtThePlacesOfTheirKeysWithTheLineAtOneHalf) {
  // Contexts fall in the sweep and rise on the axis.
  for (const int64_t width : {2, 3})
    for (const int64_t context : {8, 4}) add_clues(at(width, context), shown(width == 2 ? 9 : 0));
  const Figure figure = draw("phase", "quantity = \"event.shown\"");
  EXPECT_EQ(rows_with(figure.spec, "letters").size(), 4u);
  const DataRow cell = cell_at(figure.spec, "0", "0");  // context 4, width 2
  EXPECT_EQ(cell.at("text"), "0.90");
  EXPECT_EQ(cell.at("seeds"), "10");
  EXPECT_EQ(cell.at("cell"), "width 2, context 4");
  EXPECT_EQ(cell.at("letters"), "2") << "dark letters on a light cell";
  EXPECT_EQ(cell.at("says"), "0.9 [0.5958, 0.9821]");  // Wilson's interval of 9 in 10
  EXPECT_EQ(cell_at(figure.spec, "1", "1").at("letters"), "1");
  // From 0.9 to 0 the half lies at 4/9.
  const auto line = rows_with(figure.spec, "y2");
  ASSERT_EQ(line.size(), 1u);
  EXPECT_NEAR(number(line[0], "y"), 4.0 / 9, 1e-4);
  EXPECT_NEAR(number(line[0], "y2"), 4.0 / 9, 1e-4);
  EXPECT_EQ(figure.drawing.marks, 3 * 4 + 2u);
  EXPECT_NE(figure.drawing.caption.find("crosses 0.5"), std::string::npos);
  EXPECT_NE(figure.spec.dump().find(R"(\"4\",\"8\")"), std::string::npos) << "values along the axis";
}

TEST_F(PhaseTest, MediansOfTimesSayWhereTheyLieBeyondTheRuns) {
  add_clues(at(2, 4), {10, 20, 30});
  add_clues(at(2, 8), {10, 2000, 3000});
  add_clues(at(3, 4), {-1, -1});
  add_clues(at(3, 8), {kNotANumber});
  const Figure figure = draw("phase", "quantity = \"event.step\"\nscale = \"log\"");
  EXPECT_EQ(cell_at(figure.spec, "0", "0").at("text"), "20");
  EXPECT_EQ(cell_at(figure.spec, "1", "0").at("text"), "> 2000");
  EXPECT_EQ(number(cell_at(figure.spec, "1", "0"), "shade"), 2000);
  for (const std::string x : {"0", "1"}) {
    const DataRow without = cell_at(figure.spec, x, "1");
    EXPECT_EQ(without.at("text"), "-");
    EXPECT_EQ(without.at("shade"), "");
    EXPECT_EQ(without.at("letters"), "0");
  }
  EXPECT_TRUE(rows_with(figure.spec, "y2").empty()) << "no level was asked for";
  EXPECT_NE(figure.drawing.caption.find("beyond the end of the runs"), std::string::npos);
}

TEST_F(PhaseTest, FinalValuesHaveTheLineThatIsAskedFor) {
  for (const int64_t width : {2, 3})
    for (const int64_t context : {4, 8}) add_clues(at(width, context), {width == 2 ? 1.0 : 100.0});
  const auto middle = [&](const std::string& toml) {
    return number(rows_with(draw("phase", "quantity = \"clue\"\nlevel = 10\n" + toml).spec, "y2").at(0), "y");
  };
  EXPECT_NEAR(middle("scale = \"log\""), 0.5, 1e-4);  // between 1 and 100
  EXPECT_NEAR(middle(""), 9.0 / 99, 1e-4);
}

// A median of {10, > 1000} lies somewhere beyond 505: above 500, but who knows about 600?
TEST_F(PhaseTest, TheLineKeepsAwayFromMediansThatMayLieOnEitherSide) {
  for (const int64_t context : {4, 8}) {
    add_clues(at(2, context), {900});
    add_clues(at(3, context), {10, 1000});
    add_clues(at(4, context), {10});
  }
  const std::string toml = "quantity = \"event.step\"\nlevel = ";
  const Figure above = draw("phase", toml + "500");
  const auto line = rows_with(above.spec, "y2");
  ASSERT_EQ(line.size(), 1u) << "between widths 3 and 4 alone";
  EXPECT_NEAR(number(line[0], "y"), 1 + 5.0 / 495, 1e-3);
  EXPECT_NE(above.drawing.caption.find("crosses 500"), std::string::npos);
  const Figure unknown = draw("phase", toml + "600");
  EXPECT_TRUE(rows_with(unknown.spec, "y2").empty());
  EXPECT_EQ(unknown.drawing.caption.find("The line"), std::string::npos) << unknown.drawing.caption;
}

TEST_F(PhaseTest, SharesOnOneSideOfTheLevelHaveNoLine) {
  for (const int64_t width : {2, 3})
    for (const int64_t context : {4, 8}) add_clues(at(width, context), shown(9));
  EXPECT_EQ(draw("phase", "quantity = \"event.shown\"").drawing.caption.find("The line"), std::string::npos);
}

// Colours of viridis as Vega draws it, at these shares of its length.
TEST_F(PhaseTest, LettersHaveContrastOnBothSidesOfTheTurn) {
  struct Shade {
    double share;
    std::array<double, 3> color;
    std::string letters;
  };
  const std::vector<Shade> shades{{0, {68, 1, 84}, "1"},       {0.4, {42, 120, 142}, "1"},  {0.42, {40, 125, 142}, "1"},
                                  {0.43, {39, 128, 142}, "2"}, {0.44, {38, 130, 142}, "2"}, {1, {253, 231, 37}, "2"}};
  int64_t context = 4;
  for (const Shade& shade : shades)
    for (const int64_t width : {2, 3}) add_clues(at(width, width == 2 ? context : context++), {shade.share});
  const Json spec = draw("phase", "quantity = \"clue\"\nlevel = 0.2").spec;
  for (size_t i = 0; i < shades.size(); ++i) {
    const std::string letters = cell_at(spec, std::to_string(i), "0").at("letters");
    EXPECT_EQ(letters, shades[i].letters) << shades[i].share;
    double luminance = 0.05;
    for (size_t c = 0; c < 3; ++c) {
      const double part = shades[i].color[c] / 255;
      luminance += std::array{0.2126, 0.7152, 0.0722}[c] *
                   (part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4));
    }
    EXPECT_GE(letters == "1" ? 1.05 / luminance : luminance / 0.05, 4.5) << shades[i].share;
  }
  const std::string text = spec.dump();
  EXPECT_EQ(text.find("black"), std::string::npos) << "colours are the page's";
  EXPECT_EQ(text.find("white"), std::string::npos);
  EXPECT_NE(text.find(R"("style":"on-map")"), std::string::npos);
  EXPECT_NE(text.find(R"("style":"on-map-rim")"), std::string::npos);
  EXPECT_NE(text.find(R"("strokeWidth":3.5)"), std::string::npos) << "the rim is wider than the line";
}

// Every square of such a board is crossed twice; small maps have their numbers as well.
TEST_F(PhaseTest, ManyCellsStayBelowTheBound) {
  const auto board = [&](int64_t vocabs, int64_t widths, int64_t contexts) {
    std::vector<std::pair<Overrides, double>> clues;
    for (int64_t vocab = 0; vocab < vocabs; ++vocab)
      for (int64_t width = 1; width <= widths; ++width)
        for (int64_t context = 1; context <= contexts; ++context) {
          Overrides cell = at(width, context);
          cell.emplace_back("data.vocab", 10 + vocab);
          clues.emplace_back(cell, (width + context) % 2);
        }
    return result_of(study_, clues);
  };
  const auto figure =
      kind("phase", "quantity = \"clue\"\nlevel = 0.5\nacross = \"data.context\"\ndown = \"network.width\"");
  const Drawing crossed = draw_result(*figure, board(1, 70, 70), store_);
  EXPECT_EQ(crossed.marks, 4900u);
  EXPECT_NE(crossed.notice.find("line is left out"), std::string::npos) << crossed.notice;
  EXPECT_EQ(crossed.caption.find("The line"), std::string::npos);
  const Drawing numbers =
      draw_result(*kind("phase", "quantity = \"clue\"\nacross = \"data.context\"\ndown = \"network.width\""),
                  board(20, 15, 15), store_);
  EXPECT_EQ(numbers.marks, 4500u) << "no room for 9,000 numbers";
  EXPECT_EQ(numbers.caption.find("small number"), std::string::npos) << numbers.caption;
  EXPECT_TRUE(draw_result(*figure, board(1, 71, 71), store_).spec.is_null());
}

TEST_F(PhaseTest, FurtherKeysHaveMapsOfTheirOwn) {
  for (const int64_t vocab : {10, 20})
    for (const int64_t width : {2, 3})
      for (const int64_t context : {4, 8}) {
        Overrides cell = at(width, context);
        cell.emplace_back("data.vocab", vocab);
        add_clues(cell, {1.0 * static_cast<double>(vocab)});
      }
  const Figure figure = draw("phase", "quantity = \"clue\"");
  ASSERT_EQ(views_of(figure.spec).size(), 2u);
  EXPECT_EQ(views_of(figure.spec)[1].at("title"), "vocab = 20");
  EXPECT_EQ(cell_at(views_of(figure.spec)[1], "0", "0").at("text"), "20");
  // Named keys are the axes; the panels that do not tell cells apart leave some out, and say so.
  const Figure named = draw("phase", "quantity = \"clue\"\nacross = \"data.vocab\"\npanels = \"network.width\"");
  EXPECT_NE(named.spec.dump().find(R"(\"10\",\"20\")"), std::string::npos);
  const Figure hidden = draw("phase",
                             "quantity = \"clue\"\npanels = [{ network.width = 2 }]\nacross = \"data.context\"\n"
                             "down = \"network.width\"");
  EXPECT_NE(hidden.drawing.notice.find("2 cells not shown"), std::string::npos) << hidden.drawing.notice;
}

TEST_F(PhaseTest, WhatCannotBeDrawnIsSaid) {
  add_clues(at(2, 4), {});
  add_clues(at(2, 8), {1});
  add_clues(at(3, 4), {1});
  EXPECT_NE(draw("phase", "quantity = \"clue\"").drawing.notice.find("1 cell without runs"), std::string::npos);
  EXPECT_TRUE(draw("phase", "", {{"network.width", int64_t{2}}}).spec.is_null());
  EXPECT_TRUE(draw("phase", "quantity = \"other\"").spec.is_null());
  EXPECT_FALSE(draw("phase", "quantity = \"other\"").drawing.notice.empty());
  // Equal values, on both scales, have colours all the same.
  for (const std::string scale : {"linear", "log"})
    EXPECT_EQ(cell_at(draw("phase", "quantity = \"clue\"\nscale = \"" + scale + "\"").spec, "1", "0").at("letters"),
              "1");
}

TEST_F(PhaseTest, ChecksItsNamesBeforeAnythingIsDrawn) {
  add_clues(at(2, 4), {1});
  add_clues(at(3, 8), {1});
  kind("phase", "quantity = \"event.shown\"")->check(study_, cells_);
  kind("phase", "quantity = \"clue\"")->check(study_, cells_);
  EXPECT_NE(std::string(error_of([&] { kind("phase", "quantity = \"event.shwn\"")->check(study_, cells_); }).what())
                .find("did you mean 'event.shown'?"),
            std::string::npos);
  error_of([&] { kind("phase", "")->check(study_, {cells_[0]}); });
  error_of([&] { kind("phase", "across = \"data.vocab\"\ndown = \"data.vocab\"")->check(study_, cells_); });
}

TEST_F(PhaseTest, ShowsTheClaimsAboutItsNumber) {
  const Claim same = add_claim("event.shown", Statistic::rate, {}, 0, 1);
  const Claim other = add_claim("event.step", Statistic::median, {}, 0, 1);
  EXPECT_TRUE(kind("phase", "quantity = \"event.shown\"")->shows(same, study_));
  EXPECT_FALSE(kind("phase", "quantity = \"event.shown\"")->shows(other, study_));
  EXPECT_TRUE(kind("phase", "quantity = \"clue\"")->shows(other, study_)) << "it was found in the clue";
  EXPECT_TRUE(kind("phase", "")->shows(other, study_)) << "the first quantity is the default";
  EXPECT_FALSE(kind("phase", "")->shows(same, study_));
}

TEST_F(PhaseTest, ValuesOfKeysAreTextsWhateverTheyHold) {
  for (const std::string form : {"learned", "none"})
    for (const int64_t context : {4, 8}) add_clues({{"network.positions", form}, {"data.context", context}}, {3});
  cells_[0].overrides[0].second = std::string("a\"<script>,\n'");
  const std::string text = json_text(draw("phase", "quantity = \"clue\"").spec);
  EXPECT_EQ(cell_at(Json::parse(text), "0", "0").at("cell"), "positions a\"<script>,\n', context 4");
  EXPECT_EQ(text, json_text(draw("phase", "quantity = \"clue\"").spec)) << "the same bytes every time";
}

TEST_F(PhaseTest, LargeMapsHaveColoursOnly) {
  for (int64_t width = 1; width <= 25; ++width)
    for (int64_t context = 1; context <= 20; ++context) add_clues(at(width, context), {1});
  const Figure figure = draw("phase", "quantity = \"clue\"");
  EXPECT_EQ(figure.drawing.marks, 500u);
  EXPECT_EQ(figure.spec.dump().find("\"text\",\"fontSize\""), std::string::npos);
}

}  // namespace
}  // namespace atto::phase_test

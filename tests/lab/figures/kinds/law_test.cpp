// The picture of a fitted law: points, lines, residuals and words.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lab/figures/laws_samples.h"

namespace atto {
namespace {

constexpr double kConstant = 3, kLength = 1.5, kWidth = -1;

class LawTest : public NumbersTest {
 protected:
  LawTest() {
    Fit fit;
    fit.name = "law";
    fit.quantity = "event.step";
    fit.terms = {{"length", Expression("data.context")}, {"width", Expression("network.width")}};
    fit.expected = {{"length", 1.0}};
    study_.fits = {fit};
  }
  static double time_of(double context, double width) {
    return kConstant * std::pow(context, kLength) * std::pow(width, kWidth);
  }
  // Times of 8 seeds spread about the law by up to 2 %, alike to both sides, so that their median is on it.
  void add_times(int64_t context, int64_t width, double factor = 1) {
    std::vector<double> times;
    for (const double spread : {0.98, 0.985, 0.99, 0.999, 1 / 0.999, 1 / 0.99, 1 / 0.985, 1 / 0.98})
      times.push_back(factor * spread * time_of(static_cast<double>(context), static_cast<double>(width)));
    add_clues({{"data.context", context}, {"network.width", width}}, times);
  }
  void add_grid() {
    for (const int64_t context : {4, 8, 16})
      for (const int64_t width : {2, 4, 8}) add_times(context, width);
  }
  static std::vector<DataRow> points(const Figure& figure) { return rows_of(figure.spec.at("data")); }
};

TEST_F(LawTest, PointsLinesAndRatiosAreThoseOfTheFit) {
  add_grid();
  const Figure figure = draw("law");
  const auto rows = points(figure);
  ASSERT_EQ(rows.size(), 9u);
  std::set<std::string> groups;
  for (const DataRow& row : rows) {
    const double expected = time_of(number(row, "x"), std::stod(row.at("color")));
    EXPECT_NEAR(number(row, "value"), expected, 1e-3 * expected);
    EXPECT_LT(number(row, "low"), number(row, "value"));
    EXPECT_GT(number(row, "high"), number(row, "value"));
    EXPECT_NEAR(number(row, "ratio"), 1, 2e-3);
    EXPECT_NEAR(number(row, "ratio_low"), number(row, "low") / expected, 2e-3);
    groups.insert(row.at("group"));
  }
  EXPECT_EQ(groups.size(), 3u);
  EXPECT_EQ(rows.front().at("cell"), "context 4, width 2");

  double logs = 0, expected_logs = 0;
  int count = 0;
  const auto lines = rows_with(figure.spec, "law");
  ASSERT_EQ(lines.size(), 18u);
  for (const DataRow& row : lines) {
    const double measured = time_of(number(row, "x"), std::stod(row.at("color")));
    if (row.at("law") == "fitted") {
      EXPECT_NEAR(number(row, "value"), measured, 2e-3 * measured);
      continue;
    }
    EXPECT_EQ(row.at("law"), "expected");
    logs += std::log(measured);
    expected_logs += std::log(number(row, "value"));
    ++count;
  }
  EXPECT_EQ(count, 9);
  EXPECT_NEAR(logs, expected_logs, 0.02) << "through the geometric mean of the data";
  // The expected exponent 1 along the first line.
  EXPECT_EQ(lines[1].at("law"), "expected");
  EXPECT_NEAR(number(lines[3], "value") / number(lines[1], "value"), 2, 2e-3);

  ASSERT_EQ(views_of(figure.spec).size(), 2u);
  const Json layers = views_of(figure.spec)[0].at("layer");
  const auto is_line = [](const Json& layer) { return layer.at("mark").at("type") == "line"; };
  EXPECT_EQ(std::count_if(layers.begin(), layers.end(), is_line), 1) << "of the law; the points are not joined";
  const Json residuals = views_of(figure.spec)[1].at("layer");
  EXPECT_TRUE(std::none_of(residuals.begin(), residuals.end(), is_line)) << "nor is what the law leaves over";
  for (const std::string part : {"median of 8 seeds with its 95 % interval", "exponent of length 1.5", "expected 1;",
                                 "9 cells, 72 runs", "R²", "geometric mean"})
    EXPECT_NE(figure.drawing.caption.find(part), std::string::npos) << part << "\n" << figure.drawing.caption;
  EXPECT_LE(figure.drawing.marks, 200u);
  EXPECT_EQ(json_text(figure.spec), json_text(draw("law").spec));
}

// What is expected stands behind the exponent it is expected of.
TEST_F(LawTest, TheCaptionNamesTheExpectedExponentOfEachTerm) {
  add_grid();
  const auto parts = [&] {
    const std::string caption = draw("law").drawing.caption;
    const size_t length = caption.find("exponent of length"), width = caption.find("exponent of width");
    EXPECT_LT(length, width) << caption;
    return std::pair(caption.substr(length, width - length), caption.substr(width, caption.find("R²") - width));
  };
  const auto [length, width] = parts();
  EXPECT_NE(length.find(", expected 1; "), std::string::npos) << length;
  EXPECT_EQ(width.find("expected"), std::string::npos) << width;
  study_.fits[0].expected = {{"length", 1.0}, {"width", -2.0}};
  const auto [again, other] = parts();
  EXPECT_EQ(again, length);
  EXPECT_NE(other.find(", expected -2; "), std::string::npos) << other;
}

TEST_F(LawTest, AgainstColorAndAxesAreChosen) {
  add_grid();
  const auto rows = points(draw("law", "against = \"width\"\ncolor = \"none\""));
  EXPECT_EQ(rows[0].at("x"), "2");
  EXPECT_EQ(rows[0].at("color"), "");
  std::set<std::string> groups;
  for (const DataRow& row : rows) groups.insert(row.at("group"));
  EXPECT_EQ(groups.size(), 3u) << "the other term still tells lines apart";
  EXPECT_EQ(points(draw("law", "color = \"data.context\""))[0].at("color"), "4");

  const Figure predicted = draw("law", "axes = \"predicted\"");
  for (const DataRow& row : points(predicted)) EXPECT_NEAR(number(row, "x") / number(row, "value"), 1, 2e-3);
  const auto line = rows_with(predicted.spec, "law");
  ASSERT_EQ(line.size(), 2u);
  EXPECT_EQ(line[0].at("x"), line[0].at("value"));
}

// As in other kinds: no legend that fills the page.
TEST_F(LawTest, ManyColoursHaveNoLegend) {
  for (int64_t context = 4; context < 24; ++context) add_times(context, context % 2 == 0 ? 2 : 4);
  const auto color = [&] {
    return draw("law", "color = \"data.context\"")
        .spec.at("concat")
        .at(0)
        .at("layer")
        .back()
        .at("encoding")
        .at("color");
  };
  EXPECT_EQ(color().at("type"), "ordinal");
  EXPECT_TRUE(color().at("legend").is_null()) << "20 names";
}

TEST_F(LawTest, MediansBeyondTheRunsAreMarked) {
  add_grid();
  add_clues({{"data.context", int64_t{32}}, {"network.width", int64_t{2}}}, {270, 1000, 1000, 1000, 1000, 1000});
  const Figure figure = draw("law");
  const DataRow last = points(figure).back();
  EXPECT_EQ(last.at("above"), "1");
  EXPECT_EQ(last.at("value"), "1000");
  EXPECT_EQ(last.at("high"), "1000");
  EXPECT_EQ(last.at("says"), "> 1000 [270, ∞]");
  EXPECT_NE(figure.spec.dump().find("triangle-up"), std::string::npos);
  EXPECT_NE(figure.drawing.caption.find("Triangles"), std::string::npos);
  EXPECT_EQ(points(draw("law")).front().at("above"), "0");
}

TEST_F(LawTest, TermsOfTheSameKeysBelongToOneLine) {
  study_.fits[0].terms = {{"length", Expression("data.context")}, {"both", Expression("data.context * network.width")}};
  study_.fits[0].expected.clear();
  add_grid();
  std::set<std::string> groups;
  const Figure figure = draw("law");
  for (const DataRow& row : points(figure)) groups.insert(row.at("group"));
  EXPECT_EQ(groups.size(), 1u);
  EXPECT_EQ(points(figure)[0].at("color"), "") << "a term made of the same key is no colour by itself";
}

TEST_F(LawTest, WithoutALawThereAreOnlyPoints) {
  add_times(4, 2);
  add_clues({{"data.context", int64_t{8}}, {"network.width", int64_t{2}}}, {0, 0, kNotANumber});
  add_clues({{"data.context", int64_t{16}}, {"network.width", int64_t{2}}}, {});
  const Figure figure = draw("law");
  ASSERT_FALSE(figure.spec.is_null());
  EXPECT_EQ(views_of(figure.spec).size(), 1u);
  EXPECT_EQ(points(figure).size(), 1u);
  EXPECT_TRUE(rows_with(figure.spec, "law").empty());
  EXPECT_NE(figure.drawing.notice.find("no law is fitted"), std::string::npos) << figure.drawing.notice;
  EXPECT_NE(figure.drawing.notice.find("1 cell without a positive median"), std::string::npos);
  EXPECT_TRUE(draw("law", "axes = \"predicted\"").spec.is_null());
  EXPECT_TRUE(draw("law", "", {{"data.context", int64_t{8}}}).spec.is_null());
}

TEST_F(LawTest, ManyCellsAreThinned) {
  // Handed over as they would come from a store, which is slow to fill with so many.
  StudyResult result;
  result.study = study_;
  for (int64_t context = 1; context <= 2000; ++context) {
    CellResult& cell = result.cells.emplace_back();
    cell.cell.overrides = {{"data.context", context}};
    cell.cell.config.data.context = context;
    cell.cell.config.network.width = 2 + context % 2;
    cell.seeds = 1;
    cell.runs = {{"run", 1, false}};
    cell.quantities = {{"event.step", {{static_cast<double>(context)}}, {}}};
  }
  result.fits = {{study_.fits[0], {}, {}, {}}};
  for (size_t i = 0; i < result.cells.size(); ++i)
    result.fits[0].runs.push_back({{1.0 + static_cast<double>(i), 2}, {1.0 + static_cast<double>(i), false, false}, i});
  result.fits[0].law.obstacle = "not fitted here";
  FigureSource source{result, store_, {}};
  for (const CellResult& cell : result.cells) source.cells.push_back(&cell);
  const Drawing drawing = kind("law", "")->draw(source);
  EXPECT_EQ(rows_of(drawing.spec.at("data")).size(), 1500u);
  EXPECT_LE(drawing.marks, kMostMarks);
  EXPECT_NE(drawing.notice.find("1,500 of 2,000 cells are shown"), std::string::npos) << drawing.notice;
}

TEST_F(LawTest, ChecksItsNamesAndShowsTheClaimsOfItsFit) {
  add_grid();
  kind("law", "fit = \"law\"\nagainst = \"width\"\ncolor = \"data.vocab\"")->check(study_, cells_);
  const auto complaint = [&](const std::string& toml) {
    return std::string(error_of([&] { kind("law", toml)->check(study_, cells_); }).what());
  };
  EXPECT_NE(complaint("fit = \"lew\"").find("did you mean 'law'?"), std::string::npos);
  EXPECT_NE(complaint("against = \"lenght\"").find("did you mean 'length'?"), std::string::npos);
  EXPECT_NE(complaint("color = \"widht\"").find("did you mean 'width'?"), std::string::npos);
  const Claim claim = add_claim("law.exponent.length", Statistic::fit, {}, 0, 1);
  EXPECT_TRUE(kind("law", "")->shows(claim, study_));
  EXPECT_FALSE(kind("law", "fit = \"other\"")->shows(claim, study_));
  EXPECT_FALSE(kind("law", "")->shows(add_claim("event.step", Statistic::median, {}, 0, 1), study_));
  study_.fits.clear();
  study_.claims.clear();
  EXPECT_TRUE(draw("law").spec.is_null());
  EXPECT_NE(complaint("").find("no fit"), std::string::npos);
}

}  // namespace
}  // namespace atto

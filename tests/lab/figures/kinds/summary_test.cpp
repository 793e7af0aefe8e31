// A number against a key: medians, shares, lines, curves of theory.
#include <gtest/gtest.h>

#include <set>

#include "lab/figures/laws_samples.h"

namespace atto {
namespace {

Overrides at(int64_t context, int64_t width) { return {{"data.context", context}, {"network.width", width}}; }

class SummaryTest : public NumbersTest {
 protected:
  static std::vector<DataRow> points(const Figure& figure) { return rows_with(figure.spec, "says"); }
};

TEST_F(SummaryTest, MediansWithIntervalsAndColoursOfTheOtherKey) {
  add_clues(at(4, 2), {1, 2, 3, 4, 5, 6, 7});
  add_clues(at(8, 2), {10, 30, 20});
  add_clues(at(4, 3), {5});
  const Figure figure = draw("summary", "quantity = \"event.step\"\nagainst = \"data.context\"");
  const auto rows = points(figure);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].at("value"), "4");
  EXPECT_EQ(rows[0].at("low"), "1");  // the interval of 7 values is from the first to the last
  EXPECT_EQ(rows[0].at("high"), "7");
  EXPECT_EQ(rows[0].at("color"), "2");
  EXPECT_EQ(rows[1].at("value"), "20");
  EXPECT_EQ(rows[1].at("low"), "10");  // of three seeds, their range
  EXPECT_EQ(rows[1].at("high"), "30");
  EXPECT_EQ(rows[1].at("group"), rows[0].at("group"));
  EXPECT_NE(rows[2].at("group"), rows[0].at("group"));
  EXPECT_EQ(rows[2].at("color"), "3");
  EXPECT_NEAR(number(rows[0], "x"), 4, 0.05) << "moved aside a little";
  EXPECT_LT(number(rows[0], "x"), number(rows[2], "x"));
  EXPECT_NE(figure.drawing.caption.find(
                "median of 1 to 7 seeds with its 95 % interval (of fewer than six seeds their range)"),
            std::string::npos);
  EXPECT_EQ(json_text(figure.spec),
            json_text(draw("summary", "quantity = \"event.step\"\nagainst = \"data.context\"").spec));
}

TEST_F(SummaryTest, AnAxisCanBeDividedByAnotherKey) {
  for (const int64_t width : {2, 4})
    for (const int64_t density : {1, 2}) add_clues(at(density * width, width), {static_cast<double>(10 * density)});
  const Figure figure = draw("summary",
                             "quantity = \"clue\"\nagainst = \"data.context\"\nper = \"network.width\"\n[lines]\n"
                             "rule = \"10 * data.context / network.width\"\n");
  const auto rows = points(figure);
  ASSERT_EQ(rows.size(), 4u);
  for (const DataRow& row : rows) {
    EXPECT_NEAR(10 * number(row, "x"), number(row, "value"), 0.2);
    EXPECT_EQ(row.at("color"), row.at("group") == rows[0].at("group") ? "2" : "4") << "a line for each width";
  }
  EXPECT_NE(figure.spec.dump().find("context / width"), std::string::npos);
  const auto curve = rows_with(figure.spec, "curve");
  ASSERT_EQ(curve.size(), 40u) << "the rule is one curve for all widths";
  EXPECT_NEAR(number(curve[0], "x"), 1, 1e-6);
  EXPECT_NEAR(number(curve[0], "value"), 10, 1e-6);
  const auto check_divided_by = [&](const std::string& key) {
    kind("summary", "quantity = \"clue\"\nagainst = \"data.context\"\nper = \"" + key + "\"")->check(study_, cells_);
  };
  EXPECT_NO_THROW(check_divided_by("network.width"));
  EXPECT_THROW(check_divided_by("data.task"), Error);
  EXPECT_THROW(check_divided_by("data.offset"), Error) << "0 in every cell";
}

TEST_F(SummaryTest, SharesCountEverySeed) {
  add_clues(at(4, 2), {1, 1, 1, -1});
  add_clues(at(8, 2), {-1, -1, kNotANumber, -1});
  const Figure figure = draw("summary", "quantity = \"event.shown\"\nscale = \"log\"");
  const auto rows = points(figure);
  ASSERT_EQ(rows.size(), 2u) << "a share of 0 is drawn, whatever the scale";
  EXPECT_EQ(rows[0].at("value"), "0.75");
  EXPECT_EQ(rows[0].at("x"), "4") << "a single line stays where it is";
  EXPECT_NEAR(number(rows[0], "low"), 0.3006, 1e-3);  // Wilson's interval of 3 in 4
  EXPECT_EQ(rows[1].at("value"), "0");
  EXPECT_NE(figure.spec.dump().find(R"("domain":[0,1])"), std::string::npos);
}

TEST_F(SummaryTest, MediansBeyondTheRunsAreMarkedAndTheUnmeasuredCounted) {
  add_clues(at(4, 2), {500, 1000, 1000});
  add_clues(at(8, 2), {-1, -1});
  add_clues(at(16, 2), {});
  const Figure figure = draw("summary", "quantity = \"event.step\"\nscale = \"log\"\nagainst_scale = \"log\"");
  const auto rows = points(figure);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("above"), "1");
  EXPECT_EQ(rows[0].at("value"), "1000");
  EXPECT_NE(figure.drawing.notice.find("1 cell not shown"), std::string::npos);
  EXPECT_NE(figure.drawing.caption.find("Triangles"), std::string::npos);
  EXPECT_TRUE(draw("summary", "quantity = \"event.step\"", {{"data.context", int64_t{8}}}).spec.is_null());
  EXPECT_TRUE(draw("summary", "quantity = \"event.step\"\nagainst = \"data.context\"", {{"data.context", int64_t{16}}})
                  .spec.is_null());
}

TEST_F(SummaryTest, SizesWithoutALogarithmAreLeftOut) {
  for (const double cross : {0.0, 0.1, 0.4}) add_clues({{"data.cross", cross}}, {1 + cross});
  const std::string toml = "quantity = \"clue\"\nagainst = \"data.cross\"\n[lines]\nhalf = \"data.cross / 2\"\n";
  EXPECT_EQ(points(draw("summary", toml)).size(), 3u);
  const Figure log = draw("summary", "against_scale = \"log\"\n" + toml);
  EXPECT_EQ(points(log).size(), 2u);
  const auto curve = rows_with(log.spec, "curve");
  ASSERT_EQ(curve.size(), 40u);
  EXPECT_NEAR(number(curve[0], "x"), 0.1, 1e-6);
  EXPECT_NEAR(number(curve[0], "value"), 0.05, 1e-6);
  EXPECT_NEAR(number(curve[39], "value"), 0.2, 1e-6);
}

TEST_F(SummaryTest, CurvesOfTheoryFollowTheOtherKeys) {
  for (const int64_t width : {2, 3})
    for (const int64_t context : {4, 8}) add_clues(at(context, width), {1.0 * static_cast<double>(width)});
  const Figure figure = draw("summary",
                             "quantity = \"clue\"\nagainst = \"data.context\"\n[lines]\n"
                             "\"a, \\\"b\\\"\\n<script>\" = \"data.context * network.width\"\nflat = \"data.vocab\"\n");
  std::vector<std::vector<DataRow>> tables;
  find_tables(figure.spec, tables);
  std::set<std::string> colors;
  size_t of_both = 0, rows = 0;
  std::set<std::string> labels;
  for (const auto& table : tables)
    for (const DataRow& row : table) {
      if (row.contains("label")) {
        labels.insert(row.at("label"));
        EXPECT_EQ(row.at("x"), "8") << "where it is highest";
      }
      if (!row.contains("curve")) continue;
      ++rows;
      if (row.at("value") == "10") ++of_both;  // the vocabulary, once for both widths
      else {
        colors.insert(row.at("color"));
        EXPECT_NEAR(number(row, "value"), number(row, "x") * std::stod(row.at("color")), 0.02) << "four digits";
      }
    }
  EXPECT_EQ(colors, (std::set<std::string>{"2", "3"}));
  EXPECT_EQ(of_both, 40u);
  EXPECT_EQ(rows, 120u);
  EXPECT_EQ(labels, (std::set<std::string>{"a, \"b\"\n<script>", "flat"}));
}

// What has no place, or is there already, leaves out itself and none of those that follow.
TEST_F(SummaryTest, EveryCurveOfTheoryThatDiffersIsDrawn) {
  for (const int64_t width : {1, 2, 3, 4})
    for (const int64_t context : {4, 8}) add_clues(at(context, width), {1.0});
  const auto colors_of = [&](const std::string& line) {
    std::set<std::string> colors;
    for (const DataRow& row : rows_with(draw("summary",
                                             "quantity = \"clue\"\nagainst = \"data.context\"\nscale = \"log\"\n"
                                             "[lines]\nline = \"" +
                                                 line + "\"\n")
                                            .spec,
                                        "curve"))
      colors.insert(row.at("color"));
    return colors;
  };
  EXPECT_EQ(colors_of("data.context * (network.width - 1)"), (std::set<std::string>{"2", "3", "4"})) << "0 at width 1";
  EXPECT_EQ(colors_of("data.context * max(network.width, 2)"), (std::set<std::string>{"1", "3", "4"}))
      << "that of width 2 is the first one";
}

TEST_F(SummaryTest, KeysOfWordsHavePlaces) {
  for (const std::string form : {"none", "learned"})
    add_clues({{"network.positions", form}}, {form == "none" ? 9.0 : 1.0});
  const Figure figure = draw("summary", "quantity = \"clue\"\nagainst_scale = \"log\"");
  const auto rows = points(figure);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("x"), "1") << "in the order of letters";
  EXPECT_EQ(rows[1].at("x"), "0");
  EXPECT_NE(figure.spec.dump().find(R"([\"learned\",\"none\"][datum.value])"), std::string::npos);
}

TEST_F(SummaryTest, PanelsShareTheirScaleAndStayBelowTheBound) {
  for (int64_t width = 1; width <= 3; ++width)
    for (int64_t context = 1; context <= 900; ++context)
      add_clues(at(context, width), {static_cast<double>(width * context)});
  const Figure figure = draw("summary", "quantity = \"clue\"\nagainst = \"data.context\"\npanels = \"network.width\"");
  ASSERT_EQ(views_of(figure.spec).size(), 3u);
  EXPECT_LE(figure.drawing.marks, kMostMarks);
  for (const Json& view : views_of(figure.spec))
    EXPECT_NE(view.dump().find(R"("domain":[1.0,2700.0])"), std::string::npos);
  EXPECT_EQ(figure.drawing.notice, "702 cells left out, to keep the picture light");
}

TEST_F(SummaryTest, NeedsAKeyThatVaries) {
  add_clues(at(4, 2), {1});
  EXPECT_TRUE(draw("summary", "quantity = \"clue\"").spec.is_null());
  error_of([&] { kind("summary", "quantity = \"clue\"")->check(study_, cells_); });
  kind("summary", "quantity = \"clue\"\nagainst = \"data.vocab\"")->check(study_, cells_);
  error_of([&] { kind("summary", "quantity = \"nothing\"\nagainst = \"data.vocab\"")->check(study_, cells_); });
}

}  // namespace
}  // namespace atto

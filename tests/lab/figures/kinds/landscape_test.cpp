// The loss over w and Δa: the map keeps its values when it is made coarser, and the path its events.
#include <cmath>

#include "lab/figures/figure_samples.h"
#include "lab/figures/geometry/grid_map.h"

namespace atto {
namespace {

constexpr int64_t kSide = 64;

class LandscapeTest : public FigureTest {
 protected:
  // Loss w + 10 Δa + 30 over w in [0, 8] and Δa in [-2, 5]; the path walks along the diagonal, and the loss falls at
  // step 30.
  static Recording run(double nan_from = INFINITY) {
    Series loss{"landscape.loss", {kSide, kSide}, {0}, {}}, weight{"landscape.weight", {kSide}, {0}, {}},
        gap{"landscape.gap", {kSide}, {0}, {}};
    for (int64_t i = 0; i < kSide; ++i) {
      weight.values.push_back(8.0 * static_cast<double>(i) / (kSide - 1));
      gap.values.push_back(-2 + 7.0 * static_cast<double>(i) / (kSide - 1));
    }
    for (const double w : weight.values)
      for (const double a : gap.values) loss.values.push_back(w >= nan_from ? kNotANumber : w + 10 * a + 30);
    std::vector<int64_t> steps;
    std::vector<double> w, a, fall;
    for (int64_t step = 0; step <= 60; step += 5) {
      steps.push_back(step);
      w.push_back(static_cast<double>(step) / 10);
      a.push_back(static_cast<double>(step) / 30);
      fall.push_back(step < 30 ? 0.5 : 0.1);
    }
    return recording_of({loss, weight, gap, scalar_series("weight.projection", steps, w),
                         scalar_series("attention.gap", steps, a), scalar_series("loss", steps, fall)});
  }
  static std::vector<DataRow> events(const Json& view) { return rows_of(view["layer"][2]["data"]); }
};

TEST_F(LandscapeTest, DrawsTheMap) {
  add_cell({}, {run()});
  const Figure figure = draw("landscape");
  const auto cells = rows_of(figure.spec["layer"][0]["data"]);
  ASSERT_EQ(cells.size(), 50u * 50);
  // Cell (i, j) lies at w = 8 (i + 1/2) / 50, Δa = -2 + 7 (j + 1/2) / 50; bilinear interpolation is exact here, and
  // three digits are kept.
  for (size_t i = 0; i < 50; ++i)
    for (size_t j = 0; j < 50; ++j) {
      const double w = 8 * (static_cast<double>(i) + 0.5) / 50, a = -2 + 7 * (static_cast<double>(j) + 0.5) / 50;
      EXPECT_NEAR(std::stod(cells[i * 50 + j].at("loss")), w + 10 * a + 30, 0.051);
    }
  const Json& transform = figure.spec["layer"][0]["transform"];
  EXPECT_EQ(transform[2]["as"], "w");
  EXPECT_TRUE(transform[2]["calculate"].get<std::string>().ends_with(" * (floor((datum.line - 1) / 50) + -0.5)"));
  const Json x = figure.spec["layer"][0]["encoding"]["x"];
  EXPECT_EQ(x["scale"]["domain"], (Json{0.0, 8.0}));
  EXPECT_EQ(x["scale"]["nice"], false) << "cells have their places from where the axis begins";
  EXPECT_EQ(figure.spec["layer"][0]["encoding"]["color"]["scale"]["domain"][1], 88.0);
}

TEST_F(LandscapeTest, MarksStartTransitionAndEnd) {
  add_cell({}, {run()});
  const auto marked = events(draw("landscape").spec);
  ASSERT_EQ(marked.size(), 3u);
  EXPECT_EQ(marked[0], (DataRow{{"step", "0"}, {"w", "0"}, {"gap", "0"}, {"event", "start"}}));
  EXPECT_EQ(marked[1], (DataRow{{"step", "30"}, {"w", "3"}, {"gap", "1"}, {"event", "transition"}}));
  EXPECT_EQ(marked[2], (DataRow{{"step", "60"}, {"w", "6"}, {"gap", "2"}, {"event", "end"}}));
}

TEST_F(LandscapeTest, SaysWhereThePathsStart) {
  Recording aside = run(), still = run();
  aside.series[3].values.front() = 0.25;
  aside.series[4].values.front() = -0.5;
  for (double& loss : still.series[5].values) loss = 0.5;
  add_cell({{"data.vocab", int64_t{2}}}, {aside});
  add_cell({{"data.vocab", int64_t{3}}}, {still});
  const auto how = [&](const CellFilter& where) { return draw("landscape", "", where).drawing.how; };
  EXPECT_NE(how({{"data.vocab", int64_t{2}}})
                .find("Training starts at w = 0.25, Δa = -0.5 and follows the path, on which the loss falls fastest"),
            std::string::npos)
      << how({{"data.vocab", int64_t{2}}});
  EXPECT_NE(how({}).find("w = 0 to 0.25, Δa = -0.5 to 0"), std::string::npos) << how({});
  EXPECT_EQ(how({{"data.vocab", int64_t{3}}}).find("transition"), std::string::npos) << "it has none";
}

TEST_F(LandscapeTest, PathsBeyondTheGridAndConstantLosses) {
  Recording far = run();
  far.series[3].values.back() = 20;
  far.series[4].values[1] = kNotANumber;
  for (double& loss : far.series[5].values) loss = 0.5;
  add_cell({}, {far});
  const Json spec = draw("landscape").spec;
  EXPECT_EQ(spec["layer"][1]["encoding"]["x"]["scale"]["domain"], (Json{0.0, 20.0}));
  ASSERT_EQ(events(spec).size(), 2u);
  EXPECT_EQ(events(spec)[1].at("event"), "end");
  EXPECT_EQ(rows_of(spec["layer"][1]["data"]).size(), 12u);  // without the NaN
}

TEST_F(LandscapeTest, PanelsShareTheRoom) {
  for (int64_t vocab = 2; vocab < 14; ++vocab) add_cell({{"data.vocab", vocab}}, {run()});
  const Figure figure = draw("landscape");
  const auto views = views_of(figure.spec);
  ASSERT_EQ(views.size(), 9u);
  EXPECT_EQ(views[0]["title"], "vocab 2");
  EXPECT_LE(figure.drawing.marks, 7000u);
  EXPECT_NE(figure.drawing.notice.find("9 of 12"), std::string::npos);
  EXPECT_EQ(draw("landscape").spec.dump(), figure.spec.dump());
}

TEST_F(LandscapeTest, DrawsWhatThereIs) {
  add_cell({{"data.vocab", int64_t{2}}}, {});
  EXPECT_TRUE(draw("landscape").spec.is_null());
  add_cell({{"data.vocab", int64_t{3}}}, {run(4.0)});
  const auto cells = rows_of(draw("landscape").spec["layer"][0]["data"]);
  ASSERT_EQ(cells.size(), 2500u);
  const auto gaps =
      std::count_if(cells.begin(), cells.end(), [](const DataRow& row) { return row.at("loss") == "-1"; });
  EXPECT_GE(gaps, 50 * 25);  // w from 4 on, and what is interpolated with it
  EXPECT_LE(gaps, 50 * 26);
  EXPECT_LE(draw("landscape").drawing.marks, 2500u - 50 * 25 + 100);
  Recording empty = run();
  for (Series& series : empty.series) series.steps.clear(), series.values.clear();
  add_cell({{"data.vocab", int64_t{4}}}, {empty});
  EXPECT_TRUE(draw("landscape", "", {{"data.vocab", int64_t{4}}}).spec.is_null());
}

TEST(ThinPath, KeepsFirstAndLastAndDistance) {
  std::vector<double> x, y;
  for (int i = 0; i <= 1000; ++i) x.push_back(i / 1000.0), y.push_back(0.0);
  const auto kept = thin_path(x, y, 1, 1, 0.1);
  EXPECT_LE(kept.size(), 12u);
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_EQ(kept.back(), 1000u);
  EXPECT_EQ(thin_path(std::vector<double>(50, 3.0), std::vector<double>(50, 3.0), 1, 1, 0.1).size(), 2u);
}

}  // namespace
}  // namespace atto

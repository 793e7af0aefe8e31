// Paths of embeddings: where they are laid, what is left out, and how they are labelled.
#include <cmath>
#include <set>

#include "lab/figures/figure_samples.h"

namespace atto {
namespace {

Series line_series(int64_t rows, const std::vector<int64_t>& steps) {
  return matrix_series("embedding", rows, 2, steps, [](int64_t step, int64_t row) {
    return std::vector<double>{static_cast<double>(row), static_cast<double>(step) / 100};
  });
}

std::vector<int64_t> steps_to(int64_t last, int64_t every) {
  std::vector<int64_t> steps;
  for (int64_t step = 0; step <= last; step += every) steps.push_back(step);
  return steps;
}

Json domain(const Json& view, const std::string& channel) {
  return view["layer"][0]["encoding"][channel]["scale"]["domain"];
}
double length(const Json& domain) { return domain[1].get<double>() - domain[0].get<double>(); }

// Where a row stands at a frame, as Vega computes it from thousandths of the axes.
double place(const Json& view, const std::string& channel, size_t row, size_t frame, size_t frames) {
  const Json range = domain(view, channel);
  const std::string thousandths = rows_of(view["data"]).at(row * frames + frame).at(channel);
  return thousandths.empty() ? kNotANumber : range[0].get<double>() + length(range) * std::stod(thousandths) / 1000;
}

std::vector<DataRow> names_of(const Json& view) { return rows_of(view["transform"][3]["from"]["data"]); }

class TrajectoriesTest : public FigureTest {};

TEST_F(TrajectoriesTest, DrawsBothCoordinatesAtEveryFrame) {
  add_cell({}, {recording_of({line_series(3, {0, 100, 200})})});
  const Figure figure = draw("trajectories");
  EXPECT_EQ(figure.drawing.frames, (std::vector<int64_t>{0, 100, 200}));
  const auto rows = rows_of(figure.spec["data"]);
  ASSERT_EQ(rows.size(), 9u);
  for (size_t row = 0; row < 3; ++row)
    for (size_t frame = 0; frame < 3; ++frame) {
      EXPECT_NEAR(place(figure.spec, "x", row, frame, 3), static_cast<double>(row), 0.002);
      EXPECT_NEAR(place(figure.spec, "y", row, frame, 3), static_cast<double>(frame), 0.002);
    }
  // How Vega counts rows and frames.
  EXPECT_EQ(figure.spec["transform"][1]["calculate"], "(datum.line - 1) % 3");
  EXPECT_EQ(figure.spec["transform"][2]["calculate"], "floor((datum.line - 1) / 3)");
  EXPECT_EQ(figure.spec["transform"][5], (Json{{"calculate", "-0.2 + 0.0024 * datum.x"}, {"as", "x"}}));
  const Json frame = figure.spec["params"][0];
  EXPECT_EQ(frame["name"], "frame");
  EXPECT_EQ(frame["value"], 2);
  EXPECT_EQ(frame["bind"]["min"], 0);
  EXPECT_EQ(frame["bind"]["max"], 2);
  EXPECT_EQ(figure.spec["usermeta"]["atto"]["frames"]["steps"], (Json{0, 100, 200}));
}

TEST_F(TrajectoriesTest, ScalesBothAxesEqually) {
  add_cell({}, {recording_of({matrix_series("embedding", 2, 2, {0, 10}, [](int64_t, int64_t row) {
             return std::vector<double>{100.0 * static_cast<double>(row), static_cast<double>(row)};
           })})});
  const Json spec = draw("trajectories").spec;
  EXPECT_NEAR(length(domain(spec, "x")), length(domain(spec, "y")), 1e-9);
  EXPECT_GT(length(domain(spec, "x")), 100);
  EXPECT_EQ(spec["width"], spec["height"]);
}

// Rows on a line in the direction (2, 2, 1)/3 at the end, and a little across it along (1, -1, 0)/√2.
TEST_F(TrajectoriesTest, LaysWideMatricesAlongTheirPrincipalAxesAtTheEnd) {
  const double root = std::sqrt(0.5);
  add_cell({}, {recording_of({matrix_series("embedding", 4, 3, {0, 10}, [&](int64_t step, int64_t row) {
             const double along = step == 10 ? 6.0 * static_cast<double>(row) : 0.0;
             const double across = step == 10 && (row == 0 || row == 3) ? 0.5 : 0.0;
             return std::vector<double>{along * 2 / 3 + across * root, along * 2 / 3 - across * root, along / 3};
           })})});
  const Json spec = draw("trajectories").spec;
  for (size_t row = 0; row < 4; ++row) {
    EXPECT_NEAR(place(spec, "x", row, 1, 2), 6 * static_cast<double>(row) - 9, 0.02);
    EXPECT_NEAR(std::abs(place(spec, "y", row, 1, 2)), 0.25, 0.02);
    EXPECT_NEAR(place(spec, "x", row, 0, 2), -9, 0.02);  // the axes and their origin stay where they are at the end
  }
  // Variances 45 and 1/16.
  EXPECT_EQ(spec["layer"][0]["encoding"]["x"]["title"], "PC 1 (100 % of variance)");
  EXPECT_EQ(spec["layer"][0]["encoding"]["y"]["title"], "PC 2 (0 % of variance)");
  const Json plane = draw("trajectories", "components = \"plane\"").spec;
  EXPECT_EQ(plane["layer"][0]["encoding"]["x"]["title"], "embedding dimension 1");
  EXPECT_NEAR(place(plane, "x", 1, 1, 2), 4, 0.02);
}

TEST_F(TrajectoriesTest, ThinsFramesAndRows) {
  add_cell({}, {recording_of({line_series(30, steps_to(3000, 10))})});
  add_cell({}, {recording_of({line_series(1000, steps_to(3000, 10))})});
  const Figure figure = draw("trajectories");
  EXPECT_LE(figure.drawing.marks, 7800u);
  EXPECT_GE(figure.drawing.frames.size(), 12u);
  EXPECT_EQ(figure.drawing.frames.front(), 0);
  EXPECT_EQ(figure.drawing.frames.back(), 3000);
  const auto views = views_of(figure.spec);
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(names_of(views[0]).size(), 30u);
  EXPECT_EQ(names_of(views[1]).size(), 520u);
  EXPECT_NE(figure.drawing.notice.find("of 1,000 tokens only 520 are drawn"), std::string::npos)
      << figure.drawing.notice;
  EXPECT_LT(figure.spec.dump().size(), 80'000u);
}

TEST_F(TrajectoriesTest, StopsAtUntil) {
  add_cell({}, {recording_of({line_series(3, steps_to(1000, 100))})});
  EXPECT_EQ(draw("trajectories", "until = 350").drawing.frames, (std::vector<int64_t>{0, 100, 200, 300}));
  add_cell({{"data.vocab", int64_t{3}}}, {recording_of({line_series(3, {500, 600})})});
  EXPECT_EQ(views_of(draw("trajectories", "until = 350").spec).size(), 1u);
  const Figure none = draw("trajectories", "until = 350", {{"data.vocab", int64_t{3}}});
  EXPECT_TRUE(none.spec.is_null());
  EXPECT_EQ(none.drawing.notice, "nothing was measured up to step 350");
}

// Of seeds that end at 1 .. 5 the median is 3; of two, those in the middle of each half.
TEST_F(TrajectoriesTest, ShowsTypicalSeeds) {
  std::vector<Recording> runs;
  for (const double final : {5, 1, 3, 4, 2})
    runs.push_back(recording_of({line_series(2, {0, 10}), scalar_series("perplexity", {0, 10}, {9, final})}));
  study_.seeds.first = 11;
  add_cell({}, runs);
  const Figure one = draw("trajectories");
  EXPECT_EQ(one.drawing.caption,
            "Path of every token up to step 10. Seed 13 of 5 seeds, the median by final perplexity.");
  EXPECT_FALSE(one.spec.contains("title"));
  const auto two = views_of(draw("trajectories", "seeds = 2").spec);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0]["title"], "seed 15");  // ends at 2
  EXPECT_EQ(two[1]["title"], "seed 14");  // ends at 4
}

// A run that met its stop condition stays where it ended while another goes on.
TEST_F(TrajectoriesTest, HoldsRunsThatEndedEarly) {
  add_cell({{"data.vocab", int64_t{3}}}, {recording_of({line_series(3, {0, 100})})});
  add_cell({{"data.vocab", int64_t{4}}}, {recording_of({line_series(4, {0, 100, 200})})});
  const auto views = views_of(draw("trajectories", "panels = \"data.vocab\"").spec);
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(views[0]["title"], "vocab = 3");
  ASSERT_EQ(rows_of(views[0]["data"]).size(), 9u);
  EXPECT_NEAR(place(views[0], "y", 0, 1, 3), 1, 0.002);
  EXPECT_NEAR(place(views[0], "y", 0, 2, 3), 1, 0.002);
}

// Before its first measurement a run has no points: what is blank would stand in a corner.
TEST_F(TrajectoriesTest, LeavesOutWhatWasNotYetMeasured) {
  add_cell({{"data.vocab", int64_t{3}}}, {recording_of({line_series(3, {0, 100, 200, 300})})});
  add_cell({{"data.vocab", int64_t{4}}}, {recording_of({line_series(2, {200, 300})})});
  const Figure figure = draw("trajectories");
  EXPECT_EQ(figure.drawing.frames, (std::vector<int64_t>{0, 100, 200, 300}));
  const auto views = views_of(figure.spec);
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(rows_of(views[0]["data"]).size(), 12u);
  ASSERT_EQ(rows_of(views[1]["data"]).size(), 4u);
  for (size_t row = 0; row < 2; ++row)
    for (size_t frame = 0; frame < 2; ++frame) {
      EXPECT_NEAR(place(views[1], "x", row, frame, 2), static_cast<double>(row), 0.002);
      EXPECT_NEAR(place(views[1], "y", row, frame, 2), 2 + static_cast<double>(frame), 0.002);
    }
  EXPECT_EQ(views[1]["transform"][1]["calculate"], "2 + (datum.line - 1) % 2");
  EXPECT_EQ(views[1]["transform"][2]["calculate"], "floor((datum.line - 1) / 2)");
  for (const DataRow& name : names_of(views[1])) EXPECT_EQ(name.at("since"), "2");
}

TEST_F(TrajectoriesTest, NamesPositionsFromTheCurrentOneAndBos) {
  study_.base.data.bos = true;
  study_.base.data.vocab = 3;
  const auto place = [](int64_t, int64_t row) {
    return std::vector<double>{static_cast<double>(row), 2.0 * static_cast<double>(row)};
  };
  add_cell({}, {recording_of({matrix_series("positions", 4, 2, {0, 10}, place),
                              matrix_series("embedding", 4, 2, {0, 10}, place)})});
  const auto positions = names_of(draw("trajectories", "observable = \"positions\"").spec);
  EXPECT_EQ(positions.front().at("name"), "-3");
  EXPECT_EQ(positions.back().at("name"), "0");
  const auto tokens = names_of(draw("trajectories").spec);
  EXPECT_EQ(tokens.back().at("name"), "BOS");
  EXPECT_EQ(tokens.front().at("name"), "0");
}

// Two rows that part at step 200: the first is labelled throughout, the second from then on. Rows that coincide to the
// end: one label.
TEST_F(TrajectoriesTest, LabelsRowsFromWhenTheyAreFree) {
  add_cell({}, {recording_of({matrix_series("embedding", 4, 2, {0, 100, 200, 300}, [](int64_t step, int64_t row) {
             const double apart = row == 1 && step >= 200 ? 5 : 0;
             return std::vector<double>{row >= 2 ? 10.0 : 0.0, apart};
           })})});
  const auto names = names_of(draw("trajectories").spec);
  ASSERT_EQ(names.size(), 4u);
  EXPECT_EQ(names[0].at("since"), "0");
  EXPECT_EQ(names[1].at("since"), "2");
  EXPECT_EQ(names[2].at("since"), "0");
  EXPECT_EQ(names[3].at("since"), "4");  // never: there are four frames
  EXPECT_EQ(draw("trajectories", "labels = false").spec["layer"].size(), 2u);
}

TEST_F(TrajectoriesTest, DrawsWhatThereIs) {
  const auto spoilt = [](int64_t step, int64_t row) {
    return std::vector<double>{step == 20 ? kNotANumber : static_cast<double>(row), 0.0};
  };
  add_cell({{"data.vocab", int64_t{3}}}, {});
  add_cell({{"data.vocab", int64_t{4}}}, {recording_of({line_series(2, {0, 10})}, 12)});
  EXPECT_TRUE(draw("trajectories").spec.is_null());
  EXPECT_NE(draw("trajectories").drawing.notice.find("diverged"), std::string::npos);
  add_cell({{"data.vocab", int64_t{5}}}, {recording_of({matrix_series("embedding", 2, 2, {0, 10, 20}, spoilt)})});
  const Figure figure = draw("trajectories");
  EXPECT_NE(figure.drawing.notice.find("1 cell without a run"), std::string::npos) << figure.drawing.notice;
  ASSERT_EQ(rows_of(figure.spec["data"]).size(), 6u);
  EXPECT_NEAR(place(figure.spec, "x", 1, 2, 3), 1, 0.002);  // as last measured
}

TEST_F(TrajectoriesTest, DrawsPointsThatCoincideAndOneDimension) {
  add_cell({},
           {recording_of(
               {matrix_series("embedding", 3, 2, {0},
                              [](int64_t, int64_t) {
                                return std::vector<double>{7, 7};
                              }),
                matrix_series("positions", 3, 1, {0, 5},
                              [](int64_t, int64_t row) { return std::vector<double>{0.5 * static_cast<double>(row)}; }),
                matrix_series("constant", 3, 4, {0}, [](int64_t, int64_t) { return std::vector<double>(4, 2); }),
                scalar_series("loss", {0}, {1})})});
  const Json same = draw("trajectories").spec;
  EXPECT_GT(length(domain(same, "x")), 0);
  const Json one = draw("trajectories", "observable = \"positions\"").spec;
  EXPECT_NEAR(place(one, "y", 0, 0, 2), -2, 0.01);
  EXPECT_EQ(one["layer"][0]["encoding"]["y"]["title"], "position");
  EXPECT_FALSE(draw("trajectories", "observable = \"constant\"").spec.is_null());
  EXPECT_TRUE(draw("trajectories", "observable = \"loss\"").spec.is_null());
}

TEST_F(TrajectoriesTest, IsDeterministic) {
  add_cell({}, {recording_of({line_series(12, steps_to(500, 5))})});
  EXPECT_EQ(draw("trajectories").spec.dump(), draw("trajectories").spec.dump());
}

TEST_F(TrajectoriesTest, ShowsAtMostTwelvePanels) {
  for (int64_t vocab = 2; vocab < 20; ++vocab)
    add_cell({{"data.vocab", vocab}}, {recording_of({line_series(2, {0, 10})})});
  const Figure figure = draw("trajectories");
  EXPECT_EQ(views_of(figure.spec).size(), 12u);
  EXPECT_NE(figure.drawing.notice.find("12 of 18 panels"), std::string::npos);
}

}  // namespace
}  // namespace atto

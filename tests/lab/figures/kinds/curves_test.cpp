// Curves: the numbers of bands, seeds and levels, and what is left of awkward runs.
#include "lab/figures/figure_samples.h"

namespace atto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class CurvesTest : public FigureTest {
 protected:
  // Runs whose perplexity is constant, at 1, 2, 3 …
  static std::vector<Recording> levels(int count, double factor = 1) {
    std::vector<Recording> runs;
    for (int i = 1; i <= count; ++i)
      runs.push_back(recording_of({scalar_series("perplexity", {0, 50, 100}, std::vector<double>(3, i * factor))}));
    return runs;
  }
  // Points of the bands (no seed) or of single seeds, in one view.
  static std::vector<DataRow> points(const Json& view, bool seeds) {
    std::vector<DataRow> rows = rows_of(view.at("layer").at(0).at("data"));
    std::erase_if(rows, [&](const DataRow& row) { return row.at("seed").empty() == seeds; });
    return rows;
  }
};

TEST_F(CurvesTest, TheBandHoldsTheMiddleFourFifths) {
  add_cell({}, levels(11));
  const Figure figure = draw("curves", "observables = \"perplexity\"");
  const std::vector<DataRow> band = points(figure.spec, false);
  ASSERT_EQ(band.size(), 3u);
  EXPECT_EQ(band[1].at("step"), "50");
  EXPECT_EQ(band[1].at("low"), "2");
  EXPECT_EQ(band[1].at("value"), "6");
  EXPECT_EQ(band[1].at("high"), "10");
  EXPECT_EQ(points(figure.spec, true).size(), 33u) << "every seed has a line";
  EXPECT_EQ(figure.spec.at("params")[0].at("name"), "every_seed");
  EXPECT_EQ(figure.drawing.caption, "Median of 11 seeds; the band holds the middle 80 %.");
}

TEST_F(CurvesTest, PanelsColoursAndLabelsComeFromTheCells) {
  for (const int64_t vocab : {10, 4})
    for (const int64_t width : {3, 2})
      add_cell({{"data.vocab", vocab}, {"network.width", width}}, levels(2, static_cast<double>(vocab)));
  const Figure figure = draw("curves", "panels = \"data.vocab\"\ncolor = \"network.width\"");
  const std::vector<Json> views = views_of(figure.spec);
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(views[0].at("title"), "vocab = 10") << "panels keep the order of the sweep";
  EXPECT_EQ(views[1].at("title"), "vocab = 4");
  const Json& color = views[0].at("layer").at(0).at("layer").at(0).at("encoding").at("color");
  EXPECT_EQ(color.at("type"), "ordinal");
  EXPECT_EQ(color.at("scale").at("domain"), Json::array({"2", "3"})) << "sizes in their order";
  const auto names = rows_of(views[0].at("layer").at(0).at("transform").at(0).at("from").at("data"));
  EXPECT_EQ(names.at(0).at("label"), "width 3, perplexity = exp(loss)");
}

TEST_F(CurvesTest, FiltersMakePanelsInTheirOrder) {
  for (const int64_t vocab : {4, 10, 100}) add_cell({{"data.vocab", vocab}}, levels(2));
  const Figure figure = draw("curves", "panels = [{data.vocab = 100}, {data.vocab = 4}]");
  const std::vector<Json> views = views_of(figure.spec);
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(views[0].at("title"), "vocab = 100");
  EXPECT_EQ(views[1].at("title"), "vocab = 4");
}

TEST_F(CurvesTest, LevelsOfTheoryAreComputedInEachCell) {
  for (const int64_t vocab : {4, 10}) {
    add_cell({{"data.vocab", vocab}}, levels(2));
  }
  const Figure figure =
      draw("curves", "panels = \"data.vocab\"\nlines = {\"V/2\" = \"data.vocab / 2\", none = \"exp(best_loss)\"}");
  for (const Json& view : views_of(figure.spec)) {
    const auto rules = rows_of(view.at("layer").at(1).at("data")), labels = rows_of(view.at("layer").at(3).at("data"));
    ASSERT_EQ(rules.size(), 1u) << "a task without a known best loss has no such line";
    EXPECT_EQ(rules[0].at("level"), view.at("title") == "vocab = 4" ? "2" : "5");
    ASSERT_EQ(labels.size(), 1u);
    EXPECT_EQ(labels[0].at("label"), "V/2");
  }
}

TEST_F(CurvesTest, EveryLevelHasItsLabelAndNoneTouch) {
  add_cell({{"data.vocab", int64_t{4}}}, levels(2));
  const Figure figure =
      draw("curves", "lines = {one = \"1.5\", near = \"1.51\", far = \"1.9\", never = \"0\"}\nscale = \"log\"");
  EXPECT_EQ(rows_of(figure.spec.at("layer").at(1).at("data")).size(), 3u) << "0 has no place on a logarithmic axis";
  const auto labels = rows_of(figure.spec.at("layer").at(3).at("data"));
  ASSERT_EQ(labels.size(), 3u);
  EXPECT_EQ(labels[0].at("label"), "one");
  EXPECT_EQ(labels[0].at("at"), "1.5") << "on its line";
  EXPECT_EQ(labels[1].at("label"), "near");
  EXPECT_GT(std::stod(labels[1].at("at")), 1.51) << "moved up";
  EXPECT_EQ(labels[2].at("label"), "far");
  const Json& y = figure.spec.at("layer").at(0).at("layer").at(0).at("encoding").at("y");
  EXPECT_GT(y.at("scale").at("domain").at(0).get<double>(), 0);
}

TEST_F(CurvesTest, AMatrixIsNoCurve) {
  add_cell({}, {recording_of({scalar_series("loss", {0}, {1}), {"embedding", {2, 2}, {0}, {1, 2, 3, 4}}})});
  const Figure figure = draw("curves", "observables = \"embedding\"");
  EXPECT_TRUE(figure.spec.is_null());
  EXPECT_NE(figure.drawing.notice.find("'embedding' is more than one number"), std::string::npos);
}

TEST_F(CurvesTest, AVectorIsABundleOfLines) {
  add_cell({{"network.width", int64_t{2}}}, {recording_of({{"W", {2, 2}, {0, 10}, {3, 0, 0, 1, 5, 0, 0, 2}}})});
  add_cell({{"network.width", int64_t{3}}},
           {recording_of({{"W", {3, 3}, {0, 10}, {3, 0, 0, 0, 2, 0, 0, 0, 1, 9, 0, 0, 0, 8, 0, 0, 0, 7}}})});
  study_.quantities = {{"size", Expression("diag(W)")}};
  const Figure figure = draw("curves", "observables = \"size\"");
  const auto names = rows_of(figure.spec.at("layer").at(0).at("transform").at(0).at("from").at("data"));
  ASSERT_EQ(names.size(), 5u) << "as many lines as entries, in each cell";
  EXPECT_EQ(names[1].at("label"), "width 2, size[1]");
  EXPECT_EQ(names[1].at("color"), names[0].at("color")) << "a cell keeps its colour";
  const std::vector<DataRow> lines = points(figure.spec, false);
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_EQ(lines[3].at("line"), "1");
  EXPECT_EQ(lines[3].at("step"), "10");
  EXPECT_EQ(lines[3].at("value"), "2");
}

TEST_F(CurvesTest, TheRightAxisIsItsOwn) {
  add_cell({},
           {recording_of({scalar_series("perplexity", {0, 10}, {4, 1}), scalar_series("rank", {0, 10}, {1.5, 2})})});
  const Figure figure = draw("curves", "observables = \"perplexity\"\nright = \"rank\"");
  EXPECT_EQ(figure.spec.at("resolve").at("scale").at("y"), "independent");
  const auto right = rows_of(figure.spec.at("layer").at(1).at("data"));
  EXPECT_EQ(right.at(0).at("value"), "1.5");
  EXPECT_EQ(figure.drawing.caption, "One run each.");
  EXPECT_FALSE(figure.spec.contains("params")) << "a lone seed needs no checkbox";
}

TEST_F(CurvesTest, LogarithmicScalesLeaveOutWhatHasNoLogarithm) {
  add_cell({}, {recording_of({scalar_series("loss", {0, 1, 10, 100}, {1, 0, -1, 0.5})})});
  const Figure figure = draw("curves", "observables = \"loss\"\nscale = \"log\"\nsteps = \"log\"");
  const auto rows = points(figure.spec, false);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("step"), "100");
}

// A band that reaches below any picture ends at the median there, and nowhere else.
TEST_F(CurvesTest, BandsOnALogarithmicScaleStayWhereThereIsALogarithm) {
  add_cell({}, {recording_of({scalar_series("loss", {0, 10}, {1, -1})}),
                recording_of({scalar_series("loss", {0, 10}, {2, 2})}),
                recording_of({scalar_series("loss", {0, 10}, {3, 3})})});
  const auto band = points(draw("curves", "scale = \"log\"").spec, false);
  ASSERT_EQ(band.size(), 2u);
  EXPECT_LT(std::stod(band[0].at("low")), 2);
  EXPECT_EQ(band[1].at("low"), "2");
  EXPECT_LT(std::stod(points(draw("curves").spec, false).at(1).at("low")), 0) << "a linear scale has room for it";
}

TEST_F(CurvesTest, ThinnedToWhatAPageCanShow) {
  std::vector<int64_t> steps;
  std::vector<double> values;
  for (int64_t step = 0; step <= 3000; ++step) {
    steps.push_back(step);
    values.push_back(std::sin(static_cast<double>(step) / 7));
  }
  for (int64_t vocab = 2; vocab < 62; ++vocab) {
    std::vector<Recording> runs(4, recording_of({scalar_series("loss", steps, values)}));
    add_cell({{"data.vocab", vocab}}, runs);
  }
  const Figure figure = draw("curves");
  EXPECT_LE(figure.drawing.marks, kMostMarks);
  EXPECT_GE(figure.drawing.marks, 60u * 10);
  EXPECT_EQ(figure.spec.at("usermeta").at("atto").at("marks"), figure.drawing.marks);
}

TEST_F(CurvesTest, AwkwardRunsAreDrawnAsFarAsTheyGo) {
  add_cell({{"data.vocab", int64_t{4}}}, {});
  add_cell({{"data.vocab", int64_t{5}}},
           {recording_of({scalar_series("loss", {0, 10, 20}, {1, kInfinity, kNotANumber})}, 10),
            recording_of({scalar_series("loss", {0, 10}, {kNotANumber, kNotANumber})}, 0)});
  const Figure figure = draw("curves");
  ASSERT_FALSE(figure.spec.is_null());
  EXPECT_EQ(figure.drawing.notice, "2 of 2 runs diverged and are shown up to there only");
  const auto rows = points(figure.spec, false);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("value"), "1");
}

TEST_F(CurvesTest, OneSeedsLeapDoesNotFlattenTheRest) {
  std::vector<Recording> runs;
  for (int i = 0; i < 40; ++i) runs.push_back(recording_of({scalar_series("loss", {0, 10, 20}, {1, 0.1, 0.01})}));
  runs.push_back(recording_of({scalar_series("loss", {0, 10, 20}, {1, 1e9, 0.01})}));
  add_cell({}, runs);
  const auto domain = [&](const std::string& settings) {
    const Figure figure = draw("curves", settings);
    return figure.spec.at("layer").at(0).at("layer").at(0).at("encoding").at("y").at("scale").at("domain");
  };
  const Json log = domain("scale = \"log\"");
  EXPECT_DOUBLE_EQ(log[0], 0.01);
  EXPECT_DOUBLE_EQ(log[1], 10) << "two decades, and half as much again";
  EXPECT_DOUBLE_EQ(domain("")[1], 1 + 0.5 * 0.99);
  EXPECT_DOUBLE_EQ(domain("scale = \"log\"\nevery_seed = true")[1], 1e9);
}

TEST_F(CurvesTest, EverySeedMayBeShownFromTheStart) {
  add_cell({}, levels(3));
  EXPECT_EQ(draw("curves").spec.at("params")[0].at("value"), false);
  const Figure figure = draw("curves", "every_seed = true");
  EXPECT_EQ(figure.spec.at("params")[0].at("value"), true);
  EXPECT_NE(figure.drawing.caption.find("Thin lines: every seed."), std::string::npos) << figure.drawing.caption;
}

TEST_F(CurvesTest, CellsListedOneByOneAreCalledByWhatTheyName) {
  add_cell({{"network.mask", std::string("causal")}}, levels(2));
  add_cell({{"network.norm", std::string("pre")}}, levels(2));
  add_cell({{"network.norm", std::string("pre")}, {"network.heads", int64_t{2}}}, levels(2));
  const Figure figure = draw("curves");
  const auto names = rows_of(figure.spec.at("layer").at(0).at("transform").at(0).at("from").at("data"));
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[0].at("color"), "base run") << "causal is what the others have, too";
  EXPECT_EQ(names[1].at("color"), "norm pre");
  EXPECT_EQ(names[2].at("color"), "norm pre, heads 2");
}

TEST_F(CurvesTest, LogScalesHaveFewRoundTicks) {
  add_cell({}, {recording_of({scalar_series("loss", {0, 10}, {1, 1e-5})})});
  const Json axis =
      draw("curves", "scale = \"log\"").spec.at("layer").at(0).at("layer").at(0).at("encoding").at("y").at("axis");
  ASSERT_EQ(axis.at("values").size(), 6u);
  EXPECT_DOUBLE_EQ(axis.at("values")[0], 1e-5);
  EXPECT_EQ(axis.at("format"), "~g");
}

TEST_F(CurvesTest, WithoutRunsItSaysSo) {
  add_cell({}, {});
  for (const std::string settings : {"", "observables = \"perplexity\""}) {
    const Figure figure = draw("curves", settings);
    EXPECT_TRUE(figure.spec.is_null());
    EXPECT_EQ(figure.drawing.notice, "None of its runs is in the store yet.");
  }
}

TEST_F(CurvesTest, TheSettingIsWhatItsCellsShare) {
  study_.base.data.context = 4;
  study_.base.training.batch = 512;
  study_.base.training.steps = 3000;
  for (const int64_t vocab : {4, 10}) add_cell({{"data.vocab", vocab}}, levels(2));
  EXPECT_EQ(draw("curves").setting, "Setting: copy, context 4, width 2; adam, rate 0.001, batch 512, 3,000 steps.");
  EXPECT_EQ(draw("curves", "", {{"data.vocab", int64_t{4}}}).setting,
            "Setting: copy, vocab 4, context 4, width 2; adam, rate 0.001, batch 512, 3,000 steps.");
  study_.base.training.optimizer = "flow";
  study_.base.training.stop_loss = 0.1;
  study_.base.data.task = "regression";
  study_.base.network.form = Form::scores;
  study_.base.data.dimension = 16;
  add_cell({{"data.vocab", int64_t{5}}}, levels(2));
  EXPECT_EQ(draw("curves", "", {{"data.vocab", int64_t{5}}}).setting,
            "Setting: regression, context 4, dimension 16; gradient flow, at most 3,000 steps.");
}

TEST_F(CurvesTest, TheSameStoreGivesTheSameBytes) {
  add_cell({}, levels(5));
  EXPECT_EQ(draw("curves").spec.dump(), draw("curves").spec.dump());
}

}  // namespace
}  // namespace atto

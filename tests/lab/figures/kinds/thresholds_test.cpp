// Verdicts over the settings that they hang on, drawn.
#include <gtest/gtest.h>

#include "lab/figures/figure_samples.h"
#include "lab/study/parts.h"

namespace atto::thresholds_test {
namespace {

class ThresholdsTest : public FigureTest {
 protected:
  ThresholdsTest() {
    study_.phenomena = {{"learnt", make_detector("emergence"), "emergence"}};
    for (const char* id : {"most", "when"}) {
      Claim claim;
      claim.id = id;
      claim.quantity = std::string("learnt.") + (claim.id == "most" ? "emerged" : "step");
      claim.statistic = claim.id == "most" ? Statistic::rate : Statistic::median;
      claim.low = claim.id == "most" ? 0.5 : 10;
      claim.high = claim.id == "most" ? 1 : std::numeric_limits<double>::infinity();
      study_.claims.push_back(claim);
    }
  }
  // Runs that come to rest at these perplexities from step 20 on.
  void add_levels(const std::vector<double>& levels) {
    std::vector<Recording> recordings;
    for (const double level : levels)
      recordings.push_back(
          recording_of({scalar_series("perplexity", {0, 10, 20, 30, 40, 50}, {9, 9, level, level, level, level})}));
    add_cell({}, recordings);
  }
};

TEST_F(ThresholdsTest, HasAPanelForEachClaimAndCut) {
  add_levels({1.1, 1.2, 1.3, 1.4, 1.45, 1.6, 1.7, 1.8, 1.9, 2.5});
  const Figure figure = draw("thresholds");
  const std::vector<Json> views = views_of(figure.spec);
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(views[0].at("title"), "most");
  EXPECT_EQ(views[1].at("title"), "when");
  const auto rows = rows_of(views[0].at("data"));
  ASSERT_EQ(rows.size(), 10u) << "nine, and the study's own";
  EXPECT_EQ(rows.front().at("cut"), "1.25") << "perplexities are cut by what is left to 1";
  EXPECT_EQ(rows.front().at("estimate"), "0.2");
  EXPECT_EQ(rows.back().at("cut"), "2");
  EXPECT_EQ(rows.back().at("estimate"), "0.9");
  EXPECT_EQ(rows.back().at("verdict"), "supported");
  // The region, shaded to the end of the axis, and the study's own cut.
  const Json& layers = views[0].at("layer");
  EXPECT_EQ(rows_of(layers[0].at("data")).front().at("from"), "0.5");
  EXPECT_EQ(rows_of(layers[0].at("data")).front().at("to"), "1");
  EXPECT_EQ(rows_of(layers[1].at("data")).front().at("cut"), "1.5");
  EXPECT_EQ(figure.spec.at("usermeta").at("atto").at("panels"), 2);
  EXPECT_NE(figure.drawing.caption.find("of 2 curves"), std::string::npos) << figure.drawing.caption;
  EXPECT_EQ(figure.drawing.notice, "");
}

TEST_F(ThresholdsTest, DrawsTheClaimsAskedForAndNoMoreThanThereIsRoomFor) {
  add_levels({1.1, 1.2, 1.3, 1.4, 1.45, 1.6, 1.7, 1.8, 1.9, 2.5});
  EXPECT_EQ(views_of(draw("thresholds", "claims = \"when\"").spec).front().at("title"), "when");
  const Figure one = draw("thresholds", "panels = 1");
  EXPECT_EQ(views_of(one.spec).size(), 1u);
  EXPECT_EQ(one.drawing.notice, "1 more are not drawn");
}

TEST_F(ThresholdsTest, WhatThereIsRoomForKeepsItsOrder) {
  study_.phenomena = {{"flat", make_detector("plateau"), "plateau"}};
  for (Claim& claim : study_.claims) {  // true whatever the cut
    claim.quantity = "flat.present";
    claim.statistic = Statistic::rate;
    claim.low = 0;
    claim.high = 1;
  }
  add_levels({1.1, 1.2, 1.3, 1.4, 1.45, 1.6, 1.7, 1.8, 1.9, 2.5});
  const Figure figure = draw("thresholds", "panels = 3");
  const std::vector<Json> views = views_of(figure.spec);
  ASSERT_EQ(views.size(), 3u) << "of two cuts for each of two claims";
  EXPECT_EQ(views[0].at("title"), "most");
  EXPECT_NE(views[0].dump().find("flat contrast"), std::string::npos);
  EXPECT_EQ(views[1].at("title"), "most");
  EXPECT_NE(views[1].dump().find("flat lasting"), std::string::npos);
  EXPECT_EQ(views[2].at("title"), "when");
}

TEST_F(ThresholdsTest, WithoutRunsThereIsNothing) {
  add_cell({}, {});
  EXPECT_TRUE(draw("thresholds").spec.is_null());
}

TEST_F(ThresholdsTest, RefusesClaimsWithoutACut) {
  const auto complaint = [&](const std::string& toml) -> std::string {
    try {
      kind("thresholds", toml)->check(study_, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint(""), "");
  EXPECT_EQ(complaint("claims = [\"most\", \"when\"]"), "");
  EXPECT_EQ(complaint("claims = \"mst\""), "the study has no claim 'mst'; did you mean 'most'?");
  study_.claims[0].quantity = "perplexity";
  EXPECT_EQ(complaint("claims = \"most\""), "claim 'most' hangs on no setting of a detector");
}

TEST_F(ThresholdsTest, IsAddedToStudiesThatNeedIt) {
  add_threshold_figure(study_);
  ASSERT_EQ(study_.figures.size(), 1u);
  EXPECT_EQ(study_.figures[0].name, "thresholds");
  EXPECT_EQ(study_.figures[0].kind_name, "thresholds");
  add_threshold_figure(study_);
  EXPECT_EQ(study_.figures.size(), 1u) << "one is enough";
  study_.figures.clear();
  for (Claim& claim : study_.claims) claim.quantity = "perplexity";
  add_threshold_figure(study_);
  EXPECT_TRUE(study_.figures.empty());
}

}  // namespace
}  // namespace atto::thresholds_test

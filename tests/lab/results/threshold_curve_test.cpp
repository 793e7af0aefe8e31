// Verdicts over the settings that they hang on.
#include "lab/results/threshold_curve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/store/store_samples.h"
#include "lab/study/parts.h"

namespace atto::threshold_curve_test {
namespace {

constexpr const char* kStudy = R"(
title = "Learning to copy"
[data]
task = "copy"
[training]
steps = 100
[[observe]]
what = ["perplexity"]
every = 10
[sweep.grid]
data.vocab = [4, 8]
[seeds]
count = 12
[[phenomenon]]
name = "learnt"
detector = "emergence"
threshold = 4
hold = 2
[[phenomenon]]
name = "final"
detector = "value"
[[claim]]
id = "most"
statement = "most learn"
quantity = "learnt.emerged"
statistic = "rate"
where = { data.vocab = 4 }
region = [0.5, 1]
[[claim]]
id = "sooner"
statement = "learnt sooner with fewer tokens"
quantity = "learnt.step"
relative_to = "data.vocab"
statistic = "median"
where = { data.vocab = 4 }
against = { data.vocab = 8 }
compare = "ratio"
region = [0, 1]
[[claim]]
id = "end"
statement = "ends low"
quantity = "final.value"
statistic = "median"
region = [0, 10]
)";

// Every run falls at step 50: seed s of the first cell to 1 + 0.5 s, of the second to twice that.
class ThresholdCurves : public StoreFolder {
 protected:
  ThresholdCurves()
      : store_(path(), Store::Mode::write),
        study_(parse_study(kStudy, "copy.toml", {})),
        cells_(expand_cells(study_)),
        runs_(expand_runs(study_, cells_)) {
    for (const auto& run : runs_) {
      Recording recording;
      recording.steps_done = 100;
      Series series{"perplexity", {}, {}, {}};
      for (int64_t step = 0; step <= 100; step += 10) {
        series.steps.push_back(step);
        series.values.push_back(step < 50 ? 20.0 : level(run));
      }
      recording.series = {series};
      store_.save({{run.id, "{}", 1, 1, recording, 0.1}});
    }
    result_ = collect(study_, cells_, runs_, store_);
  }
  static double level(const atto::Run& run) {
    return (1 + 0.5 * static_cast<double>(run.seed)) * (run.cell == 0 ? 1 : 2);
  }
  // How many runs of a cell fall to the cut or below.
  int64_t below(size_t cell, double cut, int64_t most = 1000) const {
    int64_t count = 0;
    for (const auto& run : runs_) count += run.cell == cell && run.seed < most && level(run) <= cut;
    return count;
  }

  Store store_;
  Study study_;
  std::vector<Cell> cells_;
  std::vector<atto::Run> runs_;
  StudyResult result_;
};

TEST_F(ThresholdCurves, ClaimsAboutWhatIsMerelyMeasuredHaveNone) {
  const auto curves = threshold_curves(result_, store_);
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].claim, 0u);
  EXPECT_EQ(curves[1].claim, 1u);
  EXPECT_FALSE(has_cuts(study_.claims[2], study_));
  Claim tuned = study_.claims[0];
  tuned.tune = "training.rate";
  EXPECT_FALSE(has_cuts(tuned, study_));
  Claim pair = study_.claims[1];
  pair.statistic = Statistic::correlation;
  EXPECT_FALSE(has_cuts(pair, study_));
}

TEST_F(ThresholdCurves, CountTheRunsBelowEachCut) {
  const ThresholdCurve curve = threshold_curves(result_, store_).front();
  EXPECT_EQ(curve.phenomenon, "learnt");
  EXPECT_EQ(curve.setting, "threshold");
  EXPECT_EQ(curve.own, 4);
  EXPECT_TRUE(curve.log);
  EXPECT_TRUE(curve.all_runs);
  ASSERT_EQ(curve.points.size(), 9u);
  for (const ThresholdPoint& point : curve.points)
    EXPECT_DOUBLE_EQ(*point.verdict.estimate, static_cast<double>(below(0, point.cut)) / 12) << point.cut;
  EXPECT_FALSE(curve.steady());
}

// A curve says what a study with that setting would say, to the last digit; at its own, what the verdict says.
TEST_F(ThresholdCurves, SayWhatAStudyWithThatSettingWould) {
  for (const ThresholdCurve& curve : threshold_curves(result_, store_)) {
    for (const ThresholdPoint& point : curve.points) {
      Study other = study_;
      DetectorSettings settings = other.phenomena[0].settings;
      std::erase_if(settings, [](const auto& one) { return one.first == "threshold"; });
      settings.emplace_back("threshold", Value(point.cut));
      other.phenomena[0].detector = make_detector("emergence", settings);
      const Verdict verdict = collect(other, cells_, runs_, store_).claims[curve.claim].verdict;
      EXPECT_EQ(point.verdict.kind, verdict.kind) << point.cut;
      EXPECT_EQ(point.verdict.estimate, verdict.estimate) << point.cut;
      EXPECT_EQ(point.verdict.low, verdict.low) << point.cut;
      EXPECT_EQ(point.verdict.high, verdict.high) << point.cut;
      EXPECT_EQ(point.verdict.seeds, verdict.seeds) << point.cut;
      EXPECT_EQ(point.verdict.censored, verdict.censored) << point.cut;
    }
  }
}

TEST_F(ThresholdCurves, AreDrawnForTheClaimsAskedFor) {
  const auto curves = threshold_curves(result_, store_, {{"sooner"}});
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].claim, 1u);
}

TEST_F(ThresholdCurves, TakeTheFirstRunsWhereThereAreMany) {
  const ThresholdCurve curve = threshold_curves(result_, store_, {{"most"}, 7}).front();
  EXPECT_FALSE(curve.all_runs);
  for (const ThresholdPoint& point : curve.points) {
    EXPECT_EQ(point.verdict.seeds, 7);
    EXPECT_DOUBLE_EQ(*point.verdict.estimate, static_cast<double>(below(0, point.cut, 7)) / 7);
  }
}

TEST_F(ThresholdCurves, StopWhenNobodyWaits) {
  int looks = 0;
  const Poll poll = [&] {
    if (++looks > 3) throw Stopped();
  };
  EXPECT_THROW(threshold_curves(result_, store_, {}, poll), Stopped);
}

TEST_F(ThresholdCurves, AreToldInWordsAndAsJson) {
  ThresholdCurve curve{0, "learnt", "threshold", 4, true, {}, true};
  for (const double cut : {2.0, 4.0, 8.0}) {
    curve.points.push_back({cut, {}});
    curve.points.back().verdict.kind = cut < 8 ? VerdictKind::refuted : VerdictKind::supported;
  }
  EXPECT_EQ(threshold_text(curve), "learnt.threshold 2 to 4: refuted; 8: supported");
  EXPECT_FALSE(curve.steady());

  const auto curves = threshold_curves(result_, store_);
  const Json json = thresholds_json(curves, 0);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0].at("setting"), "learnt.threshold");
  EXPECT_EQ(json[0].at("own"), 4);
  ASSERT_EQ(json[0].at("cuts").size(), 9u);
  EXPECT_EQ(json[0].at("cuts")[4].at("cut"), 4);
  EXPECT_EQ(json[0].at("cuts")[4].at("verdict"), to_word(result_.claims[0].verdict.kind));
  EXPECT_TRUE(thresholds_json(curves, 2).empty());
}

TEST_F(ThresholdCurves, ADivergedRunStaysDiverged) {
  Recording broken;
  broken.steps_done = 20;
  broken.diverged_at = 20;
  broken.series = {{"perplexity", {}, {0, 10, 20}, {20, 20, 20}}};
  std::vector<atto::Run> runs = runs_;
  runs[0].id = "broken";
  store_.save({{"broken", "{}", 1, 1, broken, 0.1}});
  const StudyResult result = collect(study_, cells_, runs, store_);
  const auto curves = threshold_curves(result, store_);
  for (const ThresholdPoint& point : curves.front().points) {
    EXPECT_EQ(point.verdict.diverged, 1);
    EXPECT_EQ(point.verdict.seeds, 12);
  }
}

}  // namespace
}  // namespace atto::threshold_curve_test

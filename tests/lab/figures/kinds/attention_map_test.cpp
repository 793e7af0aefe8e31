// Maps of attention: every weight in its place, and no more rectangles than a page can bear.
#include <cmath>
#include <set>

#include "lab/figures/figure_samples.h"
#include "lab/figures/vega/spec.h"

namespace atto {
namespace {

const std::string kPattern = "layer.0.attention.pattern";

class AttentionTest : public FigureTest {
 protected:
  // Uniform causal attention of `heads` heads, but that head 1 looks at itself.
  static Series pattern(int64_t samples, int64_t heads, int64_t context, const std::vector<int64_t>& steps) {
    Series series{kPattern, {samples, context, context}, steps, {}};
    if (heads > 1) series.shape.insert(series.shape.begin() + 1, heads);
    for (size_t map = 0; map < steps.size() * static_cast<size_t>(samples * heads); ++map)
      for (int64_t query = 0; query < context; ++query)
        for (int64_t key = 0; key < context; ++key) {
          const bool second = heads > 1 && map % static_cast<size_t>(heads) == 1;
          series.values.push_back(key > query ? 0.0
                                  : second    ? (key == query ? 1.0 : 0.0)
                                              : 1 / static_cast<double>(query + 1));
        }
    return series;
  }
  static Series tokens(int64_t samples, int64_t context) {
    Series series{"probe.tokens", {samples, context}, {0}, {}};
    for (int64_t i = 0; i < samples * context; ++i) series.values.push_back(static_cast<double>(i % 7));
    return series;
  }
  // Sum of weight × keys of each (sample, time, query): 1 where nothing is lost.
  static std::map<std::string, double> totals(const Json& spec) {
    std::map<std::string, double> sums;
    for (const DataRow& row : rows_of(spec["data"]))
      sums[row.at("sample") + "/" + row.at("time") + "/" + row.at("query")] +=
          std::stod(row.at("weight")) * (std::stod(row.at("end")) - std::stod(row.at("key")));
    return sums;
  }
};

TEST_F(AttentionTest, EveryWeightIsInItsPlace) {
  add_cell({}, {recording_of({pattern(5, 1, 10, {0, 500, 1000}), tokens(5, 10)})});
  const Figure figure = draw("attention");
  const auto sums = totals(figure.spec);
  EXPECT_EQ(sums.size(), 5u * 3 * 10);
  for (const auto& [row, sum] : sums) EXPECT_NEAR(sum, 1, 0.005) << row;
  // Each query's keys and one stretch of those it must not see.
  EXPECT_EQ(figure.drawing.marks, 5u * 3 * (55 + 9));
  const DataRow hidden = rows_of(figure.spec["data"])[1];
  EXPECT_EQ(hidden.at("key"), "1");
  EXPECT_EQ(hidden.at("end"), "10");
  EXPECT_EQ(hidden.at("weight"), "0");
  EXPECT_EQ(figure.spec["facet"]["column"]["header"]["labelExpr"], "'step ' + [0,500,1000][datum.value]");
  EXPECT_EQ(figure.spec["spec"]["encoding"]["color"]["scale"]["domain"], (Json{0, 1}));
  EXPECT_EQ(figure.drawing.layout.columns, 3);
  EXPECT_EQ(figure.drawing.layout.panels, 15);
}

TEST_F(AttentionTest, TooltipsNameTokens) {
  study_.base.data.task = "unigram";
  study_.base.data.vocab = 6;
  study_.base.data.bos = true;
  add_cell({}, {recording_of({pattern(2, 1, 4, {0}), tokens(2, 4)})});
  const Json spec = draw("attention").spec;
  const auto names = rows_of(spec["transform"][2]["from"]["data"]);
  ASSERT_EQ(names.size(), 8u);
  EXPECT_EQ(names[5], (DataRow{{"place", "5"}, {"token", "5"}}));
  EXPECT_EQ(names[6].at("token"), "BOS");
  EXPECT_EQ(spec["spec"]["encoding"]["tooltip"].size(), 5u);
}

TEST_F(AttentionTest, ChoosesStepsSamplesAndHead) {
  add_cell({}, {recording_of({pattern(5, 2, 4, {0, 100, 200, 300, 400, 500, 600, 700})})});
  const auto shown = [&](const std::string& toml, const std::string& column) {
    std::set<std::string> values;
    for (const DataRow& row : rows_of(draw("attention", toml).spec["data"])) values.insert(row.at(column));
    return values.size();
  };
  EXPECT_EQ(shown("", "time"), 6u);
  EXPECT_EQ(shown("steps = [0, 250, 10000]", "time"), 3u);
  EXPECT_EQ(shown("samples = 2", "sample"), 2u);
  const Json spec = draw("attention", "steps = [0, 250, 10000]").spec;
  EXPECT_EQ(spec["facet"]["column"]["header"]["labelExpr"], "'step ' + [0,200,700][datum.value]");
  const Figure second = draw("attention", "head = 1\nsamples = 1\nsteps = [0]");
  EXPECT_NE(second.drawing.caption.find("head 1"), std::string::npos);
  for (const DataRow& row : rows_of(second.spec["data"])) {
    EXPECT_EQ(row.at("weight"), row.at("key") == row.at("query") ? "1" : "0");
  }
  EXPECT_TRUE(draw("attention", "steps = [0]\nhead = 1").drawing.notice.empty());
}

TEST_F(AttentionTest, SaysWhatWasAskedForAndIsNotShown) {
  add_cell({}, {recording_of({pattern(1, 2, 4, {0, 100, 200, 300, 400, 500, 600, 700})})});
  EXPECT_EQ(draw("attention", "steps = [0, 100, 200, 300, 400, 500]").drawing.notice, "");
  EXPECT_EQ(draw("attention", "steps = [0, 100, 200, 300, 400, 500, 600, 650]").drawing.notice,
            "only the first 6 of 7 moments asked for are shown");
  EXPECT_EQ(draw("attention", "head = 2").drawing.notice, "there is no head 2, this is head 1");
}

TEST_F(AttentionTest, ChoosesCellAndSeed) {
  const Recording run = recording_of({pattern(1, 1, 3, {0}), scalar_series("loss", {0}, {1})});
  add_cell({{"data.vocab", int64_t{4}}}, {run, run, run});
  add_cell({{"data.vocab", int64_t{6}}}, {run});
  EXPECT_NE(draw("attention").drawing.caption.find("The cell vocab 4, the first of 2. Seed 2 of 3 seeds"),
            std::string::npos)
      << draw("attention").drawing.caption;
  EXPECT_NE(draw("attention", "seed = 3").drawing.caption.find("Seed 3 of 3 seeds."), std::string::npos);
  EXPECT_NE(draw("attention", "seed = 4").drawing.notice.find("no seed 4"), std::string::npos);
  study_.seeds.first = 0;
  EXPECT_NE(draw("attention").drawing.caption.find("Seed 1 of 3 seeds, the median"), std::string::npos);
  EXPECT_NE(draw("attention", "seed = 0").drawing.caption.find("Seed 0 of 3 seeds."), std::string::npos);
  error_of([&] { draw("attention", "seed = 1.5"); });
}

// Sinks differ where losses do not: the seed may be typical of another number.
TEST_F(AttentionTest, TypicalSeedsAreTypicalOfWhatIsAsked) {
  std::vector<Recording> runs;
  for (const auto& [loss, sink] : {std::pair{1.0, 0.5}, {2.0, 0.9}, {3.0, 0.1}})
    runs.push_back(recording_of({pattern(1, 1, 3, {0}), scalar_series("loss", {0}, {loss}),
                                 scalar_series("layer.0.attention.sink", {0}, {sink})}));
  add_cell({}, runs);
  EXPECT_NE(draw("attention").drawing.caption.find("Seed 2 of 3 seeds, the median by final loss."), std::string::npos);
  const std::string caption = draw("attention", "typical = \"layer.0.attention.sink\"").drawing.caption;
  EXPECT_NE(caption.find("Seed 1 of 3 seeds, the median by final layer.0.attention.sink."), std::string::npos);
}

// A detector that reads what it is told to.
class Reader final : public Detector {
 public:
  explicit Reader(std::string address) : address_(std::move(address)) {}
  void describe(Fields&) override {}
  SeriesNeeds needs() const override { return {SeriesNeed::scalar(address_)}; }
  std::vector<QuantityHelp> quantities() const override { return {{"value", ""}}; }
  Finding detect(const Recording&, const RunConfig&) const override { return {}; }

 private:
  std::string address_;
};

TEST_F(AttentionTest, ShowsWhatIsSaidOfItsLayer) {
  study_.phenomena = {{"sink", std::make_shared<Reader>("layer.0.attention.sink"), "reader"},
                      {"deeper", std::make_shared<Reader>("layer.1.attention.sink"), "reader"},
                      {"end", std::make_shared<Reader>("loss"), "reader"}};
  const auto shows = [&](const std::string& quantity, const std::string& toml = "") {
    Claim claim;
    claim.quantity = quantity;
    return kind("attention", toml)->shows(claim, study_);
  };
  EXPECT_TRUE(shows("sink.value"));
  EXPECT_FALSE(shows("deeper.value"));
  EXPECT_FALSE(shows("end.value"));
  EXPECT_TRUE(shows("deeper.value", "observable = \"layer.1.attention.pattern\""));
}

// 256 places are 65,536 pairs: squares stand for the largest weight among many.
TEST_F(AttentionTest, LongContextsAreDrawnCoarsely) {
  Series one = pattern(1, 1, 256, {0, 10});
  one.values[(100 * 256) + 37] = 0.9;
  add_cell({}, {recording_of({one, tokens(1, 256)})});
  const Figure figure = draw("attention");
  EXPECT_LE(figure.drawing.marks, 4500u);
  EXPECT_NE(figure.drawing.notice.find("largest weight"), std::string::npos);
  bool found = false;
  for (const DataRow& row : rows_of(figure.spec["data"])) found = found || row.at("weight") == "0.9";
  EXPECT_TRUE(found);
}

TEST_F(AttentionTest, DrawsWhatThereIs) {
  add_cell({{"data.vocab", int64_t{2}}}, {});
  EXPECT_TRUE(draw("attention").spec.is_null());
  EXPECT_EQ(draw("attention").drawing.notice, kNoRuns);
  Series broken = pattern(1, 1, 3, {0, 10});
  for (size_t i = 9; i < 18; ++i) broken.values[i] = kNotANumber;
  add_cell({{"data.vocab", int64_t{4}}}, {recording_of({broken})});
  EXPECT_EQ(draw("attention").drawing.marks, 8u);  // of the first map
  add_cell({{"data.vocab", int64_t{5}}}, {recording_of({broken}, 7)});
  const Figure diverged = draw("attention", "", {{"data.vocab", int64_t{5}}});
  EXPECT_TRUE(diverged.spec.is_null());
  EXPECT_NE(diverged.drawing.notice.find("diverged"), std::string::npos);
  add_cell({{"data.vocab", int64_t{6}}}, {recording_of({{kPattern, {3}, {0}, {1, 2, 3}}})});
  EXPECT_TRUE(draw("attention", "", {{"data.vocab", int64_t{6}}}).spec.is_null());
  EXPECT_TRUE(draw("attention", "steps = [0]", {{"data.vocab", int64_t{2}}}).spec.is_null());
}

TEST_F(AttentionTest, IsDeterministic) {
  add_cell({}, {recording_of({pattern(5, 1, 10, {0, 500, 1000}), tokens(5, 10)})});
  EXPECT_EQ(draw("attention").spec.dump(), draw("attention").spec.dump());
}

}  // namespace
}  // namespace atto

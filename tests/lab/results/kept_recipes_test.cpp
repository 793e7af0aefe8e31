// Verdicts over recipes that are kept beside a study: read, compared with what is asked now, and drawn.
#include <fstream>

#include "lab/figures/figure_samples.h"
#include "lab/results/format_text.h"
#include "lab/results/multiverse.h"
#include "lab/results/results_json.h"
#include "places.h"

namespace atto::kept_recipes_test {
namespace {

const std::string kText = R"(title = "kept"
[data]
vocab = 4
[training]
steps = 10
batch = 16
[[observe]]
what = ["perplexity"]
every = 5
[seeds]
count = 8
[[phenomenon]]
name = "end"
detector = "value"
series = "perplexity"
[[claim]]
id = "low"
statement = "It ends low"
quantity = "end.value"
statistic = "median"
region = [0, 3]
[multiverse]
claims = ["low"]
seeds = 6
[multiverse.choices]
network.unembedding = ["tied", "free"]
training.batch = [16, 32]
)";

class KeptRecipes : public FigureTest {
 protected:
  // The study in a folder of its own, with the verdicts of its four recipes beside it.
  Study keep(const std::string& asked, const std::string& now, int64_t engine = kEngineRevision) {
    const std::filesystem::path folder = std::filesystem::path(path("kept")).parent_path() / "studies";
    std::filesystem::create_directories(folder / "multiverse");
    const std::string file = (folder / "kept.toml").string();
    const Study study = parse_study(asked, file, {});
    std::vector<RecipeStudy> recipes;
    for (const Overrides& recipe : recipes_of(*study.multiverse)) recipes.push_back(study_under(study, recipe));
    MultiverseResult result;
    result.study = "kept";
    result.profile = "quick";
    result.command = "atto multiverse kept";
    result.date = "2026-01-02";
    result.engine_revision = engine;
    result.seeds = 6;
    result.recipes = recipes_of(*study.multiverse);
    ClaimRecipes& claim = result.claims.emplace_back(ClaimRecipes{"low", recipes_question(recipes, "low"), {}});
    for (const double level : {1.0, 2.0, 3.5, 4.0})
      claim.verdicts.push_back(
          {level < 3 ? VerdictKind::supported : VerdictKind::refuted, level, level - 0.1, level + 0.1});
    std::ofstream(folder / "multiverse" / "kept.json") << json_text(to_json(result));
    return parse_study(now, file, {});
  }
  static std::string stale(const Study& study) { return kept_multiverse(study)->find("low")->stale; }
};

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kText;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(KeptRecipes, AreComparedWithWhatIsAskedNow) {
  EXPECT_EQ(stale(keep(kText, kText)), "");
  EXPECT_EQ(stale(keep(kText, changed("count = 8", "count = 9"))), "") << "recipes have their own number of seeds";
  EXPECT_EQ(stale(keep(kText, changed("It ends low", "It is low in the end"))), "") << "words are no question";
  const std::string question = "its question has changed since";
  EXPECT_EQ(stale(keep(kText, changed("region = [0, 3]", "region = [0, 4]"))), question);
  EXPECT_EQ(stale(keep(kText, changed("steps = 10", "steps = 20"))), question);
  EXPECT_EQ(stale(keep(kText, changed("[16, 32]", "[16, 64]"))), question);
  EXPECT_EQ(stale(keep(kText, kText, kEngineRevision - 1)), "the engine was revision " +
                                                                std::to_string(kEngineRevision - 1) + ", now it is " +
                                                                std::to_string(kEngineRevision));
}

TEST_F(KeptRecipes, StandBesideTheVerdict) {
  StudyResult result;
  result.study = keep(kText, changed("region = [0, 3]", "region = [0, 4]"));
  result.claims.emplace_back().claim = result.study.claims.front();
  add_recipes(result);
  EXPECT_EQ(
      result.claims[0].recipes,
      "holds in 2 of 4 recipes; fails in 2, all with network.unembedding = free; holds by network.unembedding: tied 2 "
      "of 2, free 0 of 2 (2026-01-02; stale: its question has changed since)");
  const Json json = verdicts_json(result)[0].at("recipes");
  EXPECT_EQ(json.at("supported"), 2);
  EXPECT_EQ(json.at("stale"), "its question has changed since");
  EXPECT_TRUE(result.claims[0].recipes.starts_with(json.at("text").get<std::string>()));
}

TEST_F(KeptRecipes, ThatCannotBeReadAreNamed) {
  const Study study = keep(kText, kText);
  std::ofstream(std::filesystem::path(study.path).parent_path() / "multiverse" / "kept.json") << "{}";
  try {
    kept_multiverse(study);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("multiverse/kept.json"), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("atto multiverse kept --output"), std::string::npos);
  }
}

TEST_F(KeptRecipes, AreDrawnAsASpecificationCurve) {
  study_ = keep(kText, kText);
  std::vector<Recording> recordings;
  for (int i = 0; i < 8; ++i) recordings.push_back(recording_of({scalar_series("perplexity", {0, 10}, {4, 2})}));
  add_cell({}, recordings);
  const Figure figure = draw("specification", "claim = \"low\"");
  ASSERT_TRUE(figure.spec.contains("vconcat")) << figure.drawing.notice;
  const auto rows = rows_of(figure.spec.at("vconcat")[0].at("data"));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows.front().at("estimate"), "1") << "sorted";
  EXPECT_EQ(rows.back().at("verdict"), "refuted");
  EXPECT_EQ(rows_of(figure.spec.at("vconcat")[1].at("data")).size(), 8u) << "two choices of four recipes";
  EXPECT_NE(figure.drawing.caption.find("holds in 2 of 4 recipes; fails in 2"), std::string::npos);
  EXPECT_EQ(figure.drawing.caption.find("stale"), std::string::npos) << figure.drawing.caption;
  study_ = keep(kText, kText, kEngineRevision - 1);
  EXPECT_NE(draw("specification", "claim = \"low\"").drawing.caption.find("This is stale: the engine was revision"),
            std::string::npos);
  std::filesystem::remove_all(std::filesystem::path(study_.path).parent_path() / "multiverse");
  EXPECT_NE(draw("specification", "claim = \"low\"").drawing.notice.find("atto multiverse"), std::string::npos);
}

// What is committed: no verdict over recipes is left over from another question.
TEST(PublishedRecipes, AreThoseOfTheStudies) {
  const std::string studies = in_source("studies");
  int64_t claims = 0;
  for (const auto& file : std::filesystem::directory_iterator(studies + "/multiverse")) {
    const Study study = read_study(find_study(file.path().stem().string(), {studies}), {});
    const std::optional<MultiverseResult> kept = kept_multiverse(study);
    ASSERT_TRUE(kept) << file.path();
    for (const ClaimRecipes& one : kept->claims) {
      EXPECT_EQ(one.stale, "") << study.name << " " << one.claim << ": run `atto multiverse " << study.name << "`";
      ++claims;
    }
  }
  EXPECT_GT(claims, 0);
}

}  // namespace
}  // namespace atto::kept_recipes_test

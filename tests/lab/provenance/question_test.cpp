// What changes a question, and what does not.
#include "lab/provenance/question.h"

#include "lab/provenance/asked_study.h"

namespace atto::asked {
namespace {

// Which of the claims ask something else once `from` is `to`: "level ratio".
std::string changed(const std::string& from, const std::string& to) {
  const std::vector<Question> before = questions_in(kStudy), after = questions_in(with_change(from, to));
  std::string names;
  for (size_t i = 0; i < before.size(); ++i)
    if (before[i].hash != after.at(i).hash) names += (names.empty() ? "" : " ") + before[i].claim;
  return names;
}

TEST(Question, WordingNamesAndDrawingsDoNotMatter) {
  EXPECT_EQ(changed("A title", "Another"), "");
  EXPECT_EQ(changed("It ends low", "The loss ends low"), "");
  EXPECT_EQ(changed("id = \"level\"", "id = \"height\""), "");
  EXPECT_EQ(changed("region = [-inf, 1]", "region = [-inf, 1]\npublished = \"about 1\"\nsource = \"me\""), "");
  EXPECT_EQ(changed("title = ", "origin = \"figure\"\nscope = \"recipe\"\ntitle = "), "");
  const std::string figure = "[[figure]]\nname = \"a\"\nkind = \"curves\"\ntitle = \"b\"\n";
  EXPECT_EQ(changed("[profile.full]", figure + "[profile.full]"), "");
  EXPECT_EQ(changed("\"loss - best_loss\"", "\"loss-best_loss\""), "");
  EXPECT_EQ(changed("seeds = { count = 5 }", "seeds = { count = 6 }"), "") << "another profile's";
}

TEST(Question, ThePhenomenonMayBeCalledAnything) {
  std::string renamed = with_change("name = \"final\"", "name = \"end\"");
  for (size_t at = 0; (at = renamed.find("final.value")) != std::string::npos;) renamed.replace(at, 11, "end.value");
  const std::vector<Question> before = questions_in(kStudy), after = questions_in(renamed);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].text, after[i].text);
}

TEST(Question, RegionStatisticAndQuantityMatter) {
  EXPECT_EQ(changed("region = [-inf, 1]", "region = [-inf, 2]"), "level");
  EXPECT_EQ(changed("region = [-inf, 1]", "region = [0, 1]"), "level");
  EXPECT_EQ(changed("statistic = \"median\"\nwhere = { network.width = 2 }",
                    "statistic = \"mean\"\nwhere = { network.width = 2 }"),
            "level");
  EXPECT_EQ(changed("compare = \"ratio\"", "compare = \"difference\""), "ratio");
  EXPECT_EQ(changed("relative_to = \"data.vocab\"", "relative_to = \"learnt.step\""), "ratio");
  EXPECT_EQ(changed("quantity = \"law.exponent.size\"", "quantity = \"law.exponent.pace\""), "exponent");
}

TEST(Question, CellsAndSeedsMatterToWhoSpeaksOfThem) {
  EXPECT_EQ(changed("network.width = [1, 2]", "network.width = [1, 2, 3]"), "exponent");
  EXPECT_EQ(changed("training.rate = [0.1, 0.2]", "training.rate = [0.1, 0.3]"), "level exponent");
  EXPECT_EQ(changed("count = 3", "count = 4"), "level ratio exponent");
  EXPECT_EQ(changed("count = 3", "count = 3\n[[seeds.exceptions]]\nwhere = { network.width = 1 }\ncount = 4"),
            "ratio exponent");
  EXPECT_EQ(changed("count = 3", "count = 3\nfirst = 7"), "level ratio exponent");
  EXPECT_EQ(changed("steps = 20", "steps = 30"), "level ratio exponent");
}

TEST(Question, HowTheSweepIsWrittenDoesNotMatter) {
  EXPECT_EQ(changed("training.rate = [0.1, 0.2]", "training.rate = [0.2, 0.1]"), "");
  EXPECT_EQ(changed("vocab = 4\n", "vocab = 4\ntask = \"copy\"\n"), "") << "a default, written out";
  EXPECT_EQ(changed("network.width = [1, 2]\n", "network.width = [1, 2]\ndata.offset = [0]\n"), "");
  EXPECT_EQ(changed("where = { network.width = 2 }", "where = { network.width = 2, data.vocab = 4 }"), "");
}

TEST(Question, SettingsOfDetectorsFitsAndExpressionsMatter) {
  EXPECT_EQ(changed("series = \"excess\"", "series = \"excess\"\nat = \"first\""), "level ratio exponent");
  EXPECT_EQ(changed("series = \"excess\"", "series = \"excess\"\nat = \"final\""), "") << "its default";
  EXPECT_EQ(changed("threshold = 1.5", "threshold = 1.6"), "") << "nobody asks for it";
  EXPECT_EQ(changed("loss - best_loss", "loss - 2 * best_loss"), "level ratio exponent");
  EXPECT_EQ(changed("pace = \"training.rate\"", "pace = \"1 / training.rate\""), "exponent");
}

// Keys that came after the first questions were recorded are in the text only where they are set.
TEST(Question, LaterKeysMatterOnceTheyAreSet) {
  EXPECT_EQ(changed("region = [-inf, 1]", "region = [-inf, 1]\nmargin = 0.1"), "level");
  EXPECT_EQ(changed("region = [-inf, 1]", "given = \"learnt.emerged\"\nregion = [-inf, 1]"), "level");
  EXPECT_EQ(changed("region = [-inf, 1]", "pool = \"cells\"\nregion = [-inf, 1]"), "level");
  EXPECT_EQ(changed("region = [-inf, 1]", "pool = \"every\"\nregion = [-inf, 1]"), "");
  EXPECT_EQ(changed("compare = \"ratio\"", "compare = \"ratio\"\npaired = false"), "ratio");
  EXPECT_EQ(changed("count = 3", "count = 3\nuntil = \"decided\"\nmost = 12"), "level ratio exponent");
}

TEST(Question, ADifferenceOfDifferencesSpeaksOfAllItsCells) {
  const std::string text =
      with_change("compare = \"ratio\"",
                  "compare = \"ratio\"\nthan = { where = { network.width = 2, training.rate = 0.2 }, "
                  "against = { network.width = 1, training.rate = 0.2 } }");
  EXPECT_EQ(questions_in(text)[1].cells.size(), 4u);
  EXPECT_EQ(runs_asked(questions_in(text)[1].text), 12);
}

TEST(Question, CountsItsRuns) {
  const std::vector<Question> questions = questions_in(kStudy);
  EXPECT_EQ(runs_asked(questions[0].text), 6);
  EXPECT_EQ(runs_asked(questions[1].text), 6);
  EXPECT_EQ(runs_asked(questions[2].text), 12);
  EXPECT_EQ(questions[1].cells, (std::vector<size_t>{0, 2}));
}

TEST(Question, KnowsItsRunsByTheirConfiguration) {
  const Study study = study_of(kStudy);
  const std::vector<Cell> cells = expand_cells(study);
  const std::vector<std::string> settings = settings_of_question(question_text(study, cells, study.claims[1]));
  int64_t found = 0;
  for (const auto& run : expand_runs(study, cells)) {
    const std::string own = settings_of_run(canonical_text(run.config, study.observe));
    found += std::count(settings.begin(), settings.end(), own);
  }
  EXPECT_EQ(found, 6);
}

// The text of one question, letter by letter. It may only change on purpose: every ledger and store has its hash.
TEST(Question, KeepsItsHash) {
  const std::vector<Question> questions = questions_in(kStudy);
  EXPECT_EQ(
      questions[0].text,
      R"({"quantity":{"detector":"value","expressions":{"excess":"loss-best_loss"},"quantity":"value",)"
      R"("settings":{"series":"excess"}},"region":["-inf",1.0],"runs":{"cells":[)"
      R"({"seeds":3,"settings":{"training.rate":0.1}},{"seeds":3,"settings":{"training.rate":0.2}}],)"
      R"("common":{"data.context":3,"data.vocab":4,"training.batch":16,"training.steps":20}},"statistic":"median"})");
}

}  // namespace
}  // namespace atto::asked

// [[figure]]: what a study may ask for, and the complaints about what it may not.
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "lab/figures/figure.h"
#include "lab/study/study.h"

namespace atto {
namespace {

constexpr const char* kStudy = R"([data]
task = "copy"
context = 2
[training]
steps = 10
[[observe]]
what = ["perplexity"]
[sweep.grid]
data.vocab = [4, 10]
)";

Study read(const std::string& figure, const StudyOptions& options = {}) {
  return parse_study(kStudy + figure, "mine.toml", options);
}

std::string complaint(const std::string& figure) {
  try {
    read(figure);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return error.what();
  }
  return "";
}

const std::string kHead = "[[figure]]\nname = \"one\"\nkind = \"curves\"\ntitle = \"One\"\n";

TEST(StudyFigures, AreReadWithTheirSettings) {
  const Study study = read(kHead +
                           "size = \"half\"\nnote = \"n\"\npublished = \"p\"\nwhere = { data.vocab = 4 }\n"
                           "panels = [\"data.vocab\"]\nlines = { half = \"data.vocab / 2\" }\n");
  ASSERT_EQ(study.figures.size(), 1u);
  const FigurePlan& plan = study.figures[0];
  EXPECT_EQ(plan.name, "one");
  EXPECT_EQ(plan.kind_name, "curves");
  EXPECT_EQ(plan.size, FigureSize::half);
  EXPECT_EQ(plan.note, "n");
  EXPECT_EQ(plan.published, "p");
  EXPECT_EQ(plan.where, (CellFilter{{"data.vocab", int64_t{4}}}));
}

TEST(StudyFigures, HaveNoPartInTheIdentityOfARun) {
  const Study plain = read(""), drawn = read(kHead);
  EXPECT_EQ(expand_runs(plain, expand_cells(plain))[0].id, expand_runs(drawn, expand_cells(drawn))[0].id);
}

TEST(StudyFigures, SlipsAreReportedWhereTheyStand) {
  EXPECT_EQ(complaint("[[figure]]\nname = \"a b\"\nkind = \"curves\"\ntitle = \"x\"\n"),
            "mine.toml:11:8: [[figure]]: 'a b' is not a figure's name");
  EXPECT_EQ(complaint("[[figure]]\nname = \"a\"\nkind = \"curve\"\ntitle = \"x\"\n"),
            "mine.toml:12:8: [[figure]]: unknown kind of figure 'curve'; did you mean 'curves'?");
  EXPECT_EQ(complaint(kHead + kHead), "mine.toml:15:8: [[figure]]: another figure is called 'one'");
  EXPECT_EQ(complaint(kHead + "observabels = \"perplexity\"\n"),
            "mine.toml:14:1: unknown key 'observabels' in [[figure]]; did you mean 'observables'?");
  EXPECT_EQ(complaint(kHead + "observables = \"loss\"\n"),
            "mine.toml:10:1: the figure 'one': it draws 'loss', which the study does not observe");
  EXPECT_EQ(complaint(kHead + "where = { data.vocab = 5 }\n"),
            "mine.toml:10:1: the figure 'one' speaks of cells that the sweep does not have: data.vocab=5");
  EXPECT_EQ(complaint(kHead + "panels = [{ data.vocab = 5 }]\n"),
            "mine.toml:10:1: the figure 'one': a panel speaks of cells that the sweep does not have: data.vocab=5");
  EXPECT_EQ(complaint(kHead + "color = \"data.vocb\"\n"),
            "mine.toml:14:9: unknown key 'data.vocb'; did you mean 'data.vocab'?");
  EXPECT_EQ(complaint(kHead + "lines = { half = \"data.vocb / 2\" }\n"),
            "mine.toml:14:19: unknown key 'data.vocb'; did you mean 'data.vocab'?");
  EXPECT_EQ(complaint(kHead + "lines = { half = 2 }\n"),
            "mine.toml:14:18: a line is an expression in quotes, found the number 2");
  EXPECT_EQ(complaint(kHead + "lines = { half = [\"data.vocab\"] }\n"),
            "mine.toml:14:18: a line is an expression in quotes, found a list");
  EXPECT_EQ(complaint(kHead + "scale = \"lg\"\n").substr(0, 14), "mine.toml:14:9");
}

TEST(StudyFigures, AStudyWithoutAnyGetsItsCurves) {
  const Study study = read("");
  ASSERT_FALSE(study.figures.empty());
  EXPECT_EQ(study.figures[0].name, "curves");
}

TEST(StudyFigures, OfCellsThatASettingRemovedAreLeftOut) {
  StudyOptions options;
  options.set = {"data.vocab=4"};
  EXPECT_EQ(read(kHead + "where = { data.vocab = 4 }\n", options).figures.size(), 1u);
  EXPECT_TRUE(read(kHead + "where = { data.vocab = 10 }\n", options).figures.empty());
}

TEST(StudyFigures, EveryKindExplainsItself) {
  for (const std::string& name : figure_kind_names()) {
    FigureSettings settings;
    const auto kind = make_figure_kind(name);
    kind->describe(settings);
    EXPECT_FALSE(kind->help().empty()) << name;
    for (const FigureSettings::Setting& one : settings.all()) EXPECT_FALSE(one.help.empty()) << name << " " << one.key;
  }
}

// "default: what is allowed", of every whole number.
TEST(StudyFigures, NumbersHaveTheirDefaultsAndLimits) {
  std::map<std::string, std::string> found;
  for (const std::string& name : figure_kind_names()) {
    FigureSettings settings;
    const auto kind = make_figure_kind(name);
    kind->describe(settings);
    for (const FigureSettings::Setting& one : settings.all())
      if (one.allowed.starts_with("an integer")) found[name + "." + one.key] = one.initial + ": " + one.allowed;
  }
  const std::string steps = "an integer from 0 to 1e+12", up_to_six = "an integer from 1 to 6";
  const std::map<std::string, std::string> expected = {
      {"attention.head", "0: an integer from 0 to 1e+06"},
      {"attention.samples", "5: an integer from 1 to 100"},
      {"attention.seed", ": " + steps},
      {"curves.columns", "3: " + up_to_six},
      {"curves.until", "0: " + steps},
      {"distribution.columns", "2: " + up_to_six},
      {"landscape.columns", "3: " + up_to_six},
      {"phase.columns", "3: " + up_to_six},
      {"points.at", "-1: an integer from -1 to 1e+12"},
      {"points.columns", "4: " + up_to_six},
      {"points.seeds", "1: an integer from 1 to 12"},
      {"summary.columns", "2: " + up_to_six},
      {"thresholds.columns", "4: an integer from 1 to 8"},
      {"thresholds.panels", "24: an integer from 1 to 200"},
      {"trajectories.columns", "4: " + up_to_six},
      {"trajectories.seeds", "1: an integer from 1 to 12"},
      {"trajectories.until", "0: " + steps},
  };
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace atto

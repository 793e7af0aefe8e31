// What a study that asks for no figure is drawn as.
#include <gtest/gtest.h>

#include "lab/figures/figure.h"
#include "lab/study/study.h"

namespace atto {
namespace {

std::vector<std::string> names(const std::string& rest, const std::vector<std::string>& set = {}) {
  const std::string text =
      "data.task = \"copy\"\n[[observe]]\nwhat = [\"perplexity\"]\nlinear = 20\n"
      "[[phenomenon]]\nname = \"learnt\"\ndetector = \"emergence\"\nseries = \"perplexity\"\nthreshold = 1.5\n" +
      rest;
  StudyOptions options;
  options.set = set;
  std::vector<std::string> list;
  for (const FigurePlan& plan : parse_study(text, "sample.toml", options).figures) list.push_back(plan.name);
  return list;
}

using Names = std::vector<std::string>;
const std::string kGrid = "[sweep.grid]\ndata.vocab = [8, 16]\nnetwork.width = [2, 3, 4]\n";
const std::string kFits =
    "[[fit]]\nname = \"Law 1\"\nquantity = \"learnt.step\"\nterms = \"data.vocab\"\n"
    "[[fit]]\nname = \"law-1\"\nquantity = \"learnt.step\"\nterms = \"data.vocab\"\n";

TEST(DefaultFigures, AreCurvesLawsAndAMap) {
  EXPECT_EQ(names(""), Names{"curves"});
  EXPECT_EQ(names(kGrid), (Names{"curves", "phase"}));
  EXPECT_EQ(names(kGrid + kFits), (Names{"curves", "law-law-1", "law-law-1-2", "phase"}));
}

TEST(DefaultFigures, DrawAMapOnlyOfTwoKeys) {
  EXPECT_EQ(names("[sweep.grid]\ndata.vocab = [8, 16, 32, 64]\n"), Names{"curves"});
  EXPECT_EQ(names(kGrid + "data.context = [3, 4]\n"), Names{"curves"});
  EXPECT_EQ(names(kGrid, {"network.width=2"}), Names{"curves"}) << "--set takes a key out of the sweep";
  EXPECT_EQ(names(kGrid + "data.context = [3, 4]\n", {"data.context=3"}), (Names{"curves", "phase"}));
  EXPECT_EQ(names("[[sweep.zip]]\ndata.vocab = [8, 16, 32, 64]\nnetwork.width = [2, 3, 4, 5]\n"), Names{"curves"})
      << "a diagonal is no map";
}

TEST(DefaultFigures, EachLawIsOfItsOwnFit) {
  const std::string text =
      "data.task = \"copy\"\n[[observe]]\nwhat = [\"perplexity\"]\nlinear = 20\n"
      "[[phenomenon]]\nname = \"learnt\"\ndetector = \"emergence\"\nseries = \"perplexity\"\nthreshold = 1.5\n"
      "[sweep.grid]\ndata.vocab = [8, 16, 32]\n"
      "[[fit]]\nname = \"one\"\nquantity = \"learnt.step\"\nterms = \"data.vocab\"\n"
      "[[fit]]\nname = \"two\"\nquantity = \"learnt.step\"\nterms = \"2 * data.vocab\"\n"
      "[[claim]]\nid = \"C\"\nstatement = \"s\"\nquantity = \"two.r2\"\nstatistic = \"fit\"\nregion = [0, 1]\n";
  const Study study = parse_study(text, "sample.toml", {});
  EXPECT_EQ(figure_of(study.claims[0], study), "law-two");
}

TEST(FiguresOfClaims, AreRatherOfTheClaimsCells) {
  const std::string claim =
      "[[claim]]\nid = \"C\"\nstatement = \"s\"\nquantity = \"learnt.step\"\nstatistic = \"median\"\nregion = [0, 1]\n";
  const auto figure = [](const std::string& name, const std::string& where) {
    return "[[figure]]\nname = \"" + name +
           "\"\nkind = \"curves\"\ntitle = \"t\"\nobservables = \"perplexity\"\nwhere = {" + where + "}\n";
  };
  const auto leads_to = [&](const std::string& where) {
    const Study study = parse_study(
        "data.task = \"copy\"\n[[observe]]\nwhat = [\"perplexity\"]\nlinear = 20\n"
        "[[phenomenon]]\nname = \"learnt\"\ndetector = \"emergence\"\nseries = \"perplexity\"\nthreshold = 1.5\n"
        "[sweep.grid]\ndata.vocab = [8, 16, 32]\nnetwork.width = [2, 3]\n" +
            claim + "where = {" + where + "}\n" + figure("small", "data.vocab = 8") +
            figure("large", "data.vocab = 16, network.width = 2"),
        "sample.toml", {});
    return figure_of(study.claims[0], study);
  };
  EXPECT_EQ(leads_to("data.vocab = 8"), "small");
  EXPECT_EQ(leads_to("data.vocab = 16"), "large");
  EXPECT_EQ(leads_to("network.width = 2"), "small") << "which shows some of them";
  EXPECT_EQ(leads_to("data.vocab = 32"), std::nullopt) << "none shows them";
}

TEST(DefaultFigures, GiveWayToThoseOfTheStudy) {
  EXPECT_EQ(names(kGrid + "[[figure]]\nname = \"mine\"\nkind = \"phase\"\ntitle = \"Mine\"\n"), Names{"mine"});
}

}  // namespace
}  // namespace atto

// show and help.
#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

#include "app/program.h"
#include "places.h"

namespace atto::test::show_test {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

using ShowTest = ProgramTest;

TEST_F(ShowTest, TheStoreTellsStudiesRunsAndVerdicts) {
  ASSERT_EQ(atto({"reproduce"}).code, 0);
  ASSERT_EQ(atto({"run", "tiny", "--seeds", "1"}).code, 0);
  const Json store = atto_json({"show", "--json"});
  EXPECT_EQ(store.at("runs"), 28);
  ASSERT_EQ(store.at("studies").size(), 3u);
  EXPECT_EQ(store.at("studies")[1].at("variant"), "quick");
  EXPECT_EQ(store.at("studies")[1].at("verdicts"), Json({{"supported", 1}, {"refuted", 1}}));
  EXPECT_EQ(store.at("studies")[2].at("variant"), "quick seeds=1") << "a changed study does not replace the verdicts";
  EXPECT_TRUE(contains(atto({"show"}).out, "1 refuted, 1 supported"));
}

// The words of the command behind `lead`, without the program's name.
std::vector<std::string> command_behind(const std::string& text, const std::string& lead) {
  const size_t start = text.find(lead);
  if (start == std::string::npos) return {};
  std::istringstream line(text.substr(start + lead.size(), text.find('\n', start) - start - lead.size()));
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(word);
  if (!words.empty()) words.erase(words.begin());
  return words;
}

TEST_F(ShowTest, TheCommandThatIsSuggestedWorks) {
  ASSERT_EQ(atto({"run", "tiny", "--set", "training.steps=40", "--until", "decided", "--most", "9"}).code, 0);
  const std::string text = atto({"show"}).out;
  const std::vector<std::string> words = command_behind(text, "Curves and verdicts: ");
  EXPECT_EQ(words, (std::vector<std::string>{"show", "tiny", "--set", "training.steps=40", "--until", "decided",
                                             "--most", "9"}))
      << text;
  EXPECT_EQ(atto(words).code, 0) << text;
}

TEST_F(ShowTest, AnExploredPlaneIsSuggestedAsTheStudysOwnCells) {
  const Outcome explored = atto({"explore", "map", "--aim", "contour", "--quantity", "plateau.present", "--set",
                                 "training.steps=25", "--store", "plane.db"});
  ASSERT_EQ(explored.code, 0) << explored.err;
  const std::string text = atto({"show", "--store", "plane.db"}).out;
  const std::vector<std::string> words = command_behind(text, "Curves of the study's own cells: ");
  const std::vector<std::string> own = {"show", "map", "--set", "training.steps=25", "--store", "plane.db"};
  EXPECT_EQ(words, own) << text;
  EXPECT_EQ(atto(words).code, 0) << text;
}

// The store knows the name of a study, not where its file is.
TEST_F(ShowTest, AStudyFromAFileElsewhereIsNotNamedAsIfItCouldBeFound) {
  write("mine/small.toml", read("studies/tiny.toml"));
  const Outcome reproduced = atto({"reproduce", "mine/small.toml", "--store", "x.db"});
  ASSERT_EQ(reproduced.code, 0) << reproduced.err;
  const std::vector<std::string> closer = command_behind(reproduced.out, "Look closer with: ");
  EXPECT_EQ(closer, (std::vector<std::string>{"show", "mine/small.toml", "--store", "x.db"})) << reproduced.out;
  EXPECT_EQ(atto(closer).code, 0);
  const std::string text = atto({"show", "--store", "x.db"}).out;
  EXPECT_TRUE(contains(text, " show FILE.toml --store x.db   (FILE.toml: the file of study 'small')\n")) << text;
}

TEST_F(ShowTest, AStudyShowsCurvesPerCell) {
  ASSERT_EQ(atto({"run", "tiny"}).code, 0);
  const std::string text = atto({"show", "tiny"}).out;
  EXPECT_TRUE(contains(text, "perplexity · width 2 · median and quartiles of 8 seeds")) << text;
  EXPECT_TRUE(contains(text, "perplexity · width 3"));
  EXPECT_TRUE(contains(text, "T-holds"));
  EXPECT_TRUE(contains(atto({"show", "tiny", "--observable", "accuracy"}).out, "accuracy · width 2"));
  EXPECT_TRUE(contains(atto({"show", "tiny", "--observable", "acuracy"}).err, "did you mean 'accuracy'?"));
}

TEST_F(ShowTest, CurvesOfSeedsAreTheMedianOfTheRuns) {
  ASSERT_EQ(atto({"run", "tiny", "--seeds", "3"}).code, 0);
  const Json study = atto_json({"show", "tiny", "--seeds", "3", "--json"});
  const Json& curve = study.at("curves")[0];
  std::vector<double> last;
  for (const Json& id : study.at("cells")[0].at("run_ids")) {
    const Json run = atto_json({"show", id, "--observable", "perplexity", "--json"});
    last.push_back(run.at("series")[0].at("values").back());
  }
  std::sort(last.begin(), last.end());
  EXPECT_EQ(curve.at("median").back(), last[1]);
  EXPECT_EQ(curve.at("steps").back(), 50);
}

TEST_F(ShowTest, APartOfTheSeedsIsShownAsSuch) {
  ASSERT_EQ(atto({"run", "tiny", "--seeds", "2"}).code, 0);
  EXPECT_TRUE(contains(atto({"show", "tiny"}).out, "4 of 16 runs"));
}

TEST_F(ShowTest, TwoAxesGiveAMap) {
  ASSERT_EQ(atto({"run", "map"}).code, 0);
  const std::string text = atto({"show", "map"}).out;
  EXPECT_TRUE(contains(text, "perplexity over the sweep")) << "no cell has a plateau, which tells nothing\n" << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("data.context +1 +2\n"))) << text;
  const Json map = atto_json({"show", "map", "--quantity", "perplexity", "--json"}).at("phase_diagram");
  EXPECT_EQ(map.at("quantity"), "perplexity");
  ASSERT_EQ(map.at("cells").size(), 6u);
  EXPECT_TRUE(map.at("cells")[0].at("value").is_number());
}

TEST_F(ShowTest, ManyCellsHaveALineEach) {
  write("studies/many.toml", R"(title = "Seven cells"
[data]
vocab = 4
[training]
batch = 16
steps = 20
[sweep.grid]
data.context = [2, 3, 4, 5, 6, 7, 8]
[seeds]
count = 2
[[observe]]
what = ["perplexity"]
)");
  ASSERT_EQ(atto({"run", "many"}).code, 0);
  const std::string text = atto({"show", "many"}).out;
  EXPECT_TRUE(contains(text, "perplexity · 7 cells, all on one scale")) << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("context 8 +[0-9.]+ +(▁|▂|▃|▄|▅|▆|▇|█| )+ +[0-9.]+ +2\n"))) << text;
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 20) << text;
}

// A terminal has a width; a file or a pipe has none.
TEST_F(ShowTest, TablesAreWrappedOnATerminalOnly) {
  const auto longest = [](const std::string& text) {
    std::istringstream lines(text);
    size_t most = 0;
    for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
    return most;
  };
  write("studies/wordy.toml",
        R"(title = "A title that goes on and on, so that no terminal of eighty columns could show it in a line"
source = "a test"
[[observe]]
what = ["loss"]
)");
  EXPECT_TRUE(contains(atto({"list", "--long"}).out, "so that no terminal of eighty columns could show it in a line"));
  EXPECT_GT(longest(atto({"help", "keys"}).out), 100u);
  EXPECT_LE(longest(atto_on_terminal({"list", "--long"}, {"NO_COLOR=1"})), 90u) << "bytes of 80 columns";
}

TEST_F(ShowTest, ARunShowsSettingsCurvesWaysAndMaps) {
  ASSERT_EQ(atto({"run", "tiny", "--seeds", "1"}).code, 0);
  const std::string id = atto_json({"show", "tiny", "--json"}).at("cells")[0].at("run_ids")[0];
  const std::string text = atto({"show", id.substr(0, 12)}).out;
  for (const char* part : {"data.vocab", "perplexity · final", "embedding · way of each row",
                           "attention.pattern · rows attend", "step 50", "█"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST_F(ShowTest, HelpListsWhatAStudyMaySay) {
  const Json keys = atto_json({"help", "keys", "--json"});
  const auto vocab =
      std::find_if(keys.begin(), keys.end(), [](const Json& one) { return one.at("key") == "data.vocab"; });
  ASSERT_NE(vocab, keys.end());
  EXPECT_EQ(vocab->at("default"), 10);
  EXPECT_TRUE(contains(vocab->at("allowed"), "an integer from 2"));
  const auto tables =
      std::find_if(keys.begin(), keys.end(), [](const Json& one) { return one.at("key") == "training.intervention"; });
  ASSERT_NE(tables, keys.end());
  EXPECT_EQ(tables->at("keys")[0].at("key"), "from") << "what each table may hold";
  EXPECT_TRUE(contains(atto({"help", "keys"}).out, "\n  from_flat"));
  EXPECT_TRUE(contains(atto({"help", "observables"}).out, "layer.0.attention.pattern"));
  EXPECT_TRUE(contains(atto({"help", "detectors"}).out, "plateau.level"));
  EXPECT_TRUE(contains(atto({"help", "run"}).out, "--seeds"));
  EXPECT_EQ(atto({"help", "run"}).out, atto({"run", "--help"}).out);
  EXPECT_EQ(atto({}).out, atto({"--help"}).out);
}

TEST_F(ShowTest, TheVersionIsTheProjects) {
  const std::string build = [] {
    std::ifstream file(in_source("CMakeLists.txt"));
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  std::smatch found;
  ASSERT_TRUE(std::regex_search(build, found, std::regex(R"(project\(\w+ VERSION ([0-9.]+))")));
  EXPECT_TRUE(contains(atto({"--version"}).out, "atto " + found[1].str() + "\n"));
}

}  // namespace
}  // namespace atto::test::show_test

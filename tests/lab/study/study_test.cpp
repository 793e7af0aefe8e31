// Reading studies: what a file may say, and what is said about a wrong one.
#include "lab/study/study.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace atto {
namespace {

const std::string kStudy = R"(title = "A plateau"
source = "someone 2026"

[data]
vocab = 10
context = 4

[training]
steps = 300

[[observe]]
what = ["perplexity"]
every = 10

[sweep.grid]
"data.vocab" = [4, 10]
network.width = [2, 3]

[seeds]
count = 5

[[seeds.exceptions]]
where = { data.vocab = 10, "network.width" = 3 }
count = 2

[profile.full]
seeds = { count = 7 }
set = { "training.steps" = 600 }
[profile.full.sweep.grid]
data.vocab = [4, 10, 100]
network.width = [2, 3]

[[phenomenon]]
detector = "plateau"

[[claim]]
id = "half"
statement = "the plateau lies at half the vocabulary"
quantity = "plateau.level"
statistic = "median"
relative_to = "data.vocab"
region = [0.45, 0.58]
where = { data.vocab = 4 }
)";

Study parse(const std::string& text, const StudyOptions& options = {}) { return parse_study(text, "a.toml", options); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string message_of(const std::string& text, const StudyOptions& options = {}) {
  try {
    parse(text, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return error.what();
  }
  return "no error";
}

// Every kind of schedule adds its points to those of the others.
TEST(Study, AsksForNoMoreMeasurementsThanThereMayBe) {
  const std::string steps = replaced(kStudy, "steps = 300", "steps = 3000000");
  const auto asking = [&](const std::string& also) {
    return message_of(replaced(steps, "every = 10\n", "every = 10\nlinear = 400000\nlog = 300000\n" + also));
  };
  EXPECT_EQ(asking(""), "no error") << "a million";
  EXPECT_NE(asking("at = [1, 2]\n").find("asks for 1000002 measurements in 3000000 steps, of at most 1000000"),
            std::string::npos)
      << asking("at = [1, 2]\n");
}

TEST(Study, IsReadWithItsParts) {
  const Study study = parse(kStudy);
  EXPECT_EQ(study.name, "a");
  EXPECT_EQ(study.title, "A plateau");
  EXPECT_EQ(study.base.data.vocab, 10);
  EXPECT_EQ(study.base.training.steps, 300);
  EXPECT_EQ(study.base.training.batch, 512);  // not mentioned: the default
  ASSERT_EQ(study.observe.size(), 1u);
  EXPECT_EQ(study.observe[0].when.every, 10);
  ASSERT_EQ(study.sweep.grid.size(), 2u);
  EXPECT_EQ(study.sweep.grid[0].key, "data.vocab");  // file order, not alphabetical luck
  EXPECT_EQ(study.sweep.grid[1].key, "network.width");
  ASSERT_EQ(study.claims.size(), 1u);
  EXPECT_EQ(study.claims[0].source, "someone 2026");  // inherited
  EXPECT_EQ(study.claims[0].statistic, Statistic::median);
  EXPECT_EQ(study.claims[0].low, 0.45);
  const std::vector<Cell> cells = expand_cells(study);
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_EQ(cells[0].seeds, 5);
  EXPECT_EQ(cells[3].seeds, 2);
  EXPECT_EQ(cell_text(cells[3].overrides), "data.vocab=10, network.width=3");
}

// What only the whole run can tell is said at the setting that it is about, swept or not.
TEST(Study, ComplaintsAboutARunPointAtItsSetting) {
  const std::string start = "[[observe]]\nwhat = [\"loss\"]\n[network]\nwidth = 4\n";
  EXPECT_EQ(message_of(start + "stack = [\"mlp\"]\n"),
            "a.toml:5:9: network.stack has an mlp, but network.mlp = \"none\"");
  EXPECT_EQ(message_of(start + "heads = 3\n").find("a.toml:5:9: network.heads = 3 does not divide"), 0u);
  EXPECT_EQ(message_of(start + "heads = 3\n[sweep.grid]\n\"training.rate\" = [0.1, 0.2]\n")
                .find("a.toml:5:9: cell training.rate=0.1: network.heads = 3"),
            0u);
  EXPECT_EQ(message_of(start + "output = true\n[sweep.grid]\n\"network.heads\" = [1, 3]\n")
                .find("a.toml:6:1: cell network.heads=3: network.heads = 3"),
            0u)
      << "at the sweep";
}

TEST(Study, ProfilesReplaceSweepAndSeedsAndSetTheBase) {
  StudyOptions options;
  options.profile = "full";
  const Study study = parse(kStudy, options);
  EXPECT_EQ(study.profile, "full");
  EXPECT_EQ(study.base.training.steps, 600);
  const std::vector<Cell> cells = expand_cells(study);
  ASSERT_EQ(cells.size(), 6u);
  for (const Cell& cell : cells) EXPECT_EQ(cell.seeds, 7);
}

TEST(Study, AxesKeepTheOrderOfTheFile) {
  const Study study =
      parse(replaced(kStudy, "\"data.vocab\" = [4, 10]\nnetwork.width = [2, 3]",
                     "training.rate = [1, 0.1]\ndata.vocab = [4, 10]\n\"network.width\" = [2, 3]\ndata.context = [4]"));
  std::vector<std::string> keys;
  for (const Sweep::Axis& axis : study.sweep.grid) keys.push_back(axis.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"training.rate", "data.vocab", "network.width", "data.context"}));
  EXPECT_EQ(study.sweep.grid[0].values[0], Value(1.0));  // in the field's own type
}

TEST(Study, ClaimsMayCompareGroupsAndLeaveASideOpen) {
  const Study study =
      parse(replaced(kStudy, "region = [0.45, 0.58]", "region = [1, inf]\nagainst = { data.vocab = 10 }"));
  ASSERT_TRUE(study.claims[0].against.has_value());
  EXPECT_EQ(study.claims[0].compare, Comparison::difference);
  EXPECT_EQ(study.claims[0].high, INFINITY);
}

TEST(Study, WithoutASweepHasOneCell) {
  const Study study = parse("[[observe]]\nwhat = [\"perplexity\"]\n");
  ASSERT_EQ(expand_cells(study).size(), 1u);
  EXPECT_EQ(expand_runs(study, expand_cells(study)).size(), 32u);
  EXPECT_EQ(cell_text({}), "base");
}

TEST(Study, ReadingDoesNotNeedTheMemoryOfTheRuns) {
  StudyOptions options;  // some terabytes to train, and for the scheduler to refuse
  options.set = {"data.vocab=65536", "data.context=4096", "network.width=512", "training.batch=1048576"};
  EXPECT_EQ(expand_cells(parse(kStudy, options)).size(), 1u);
}

struct Slip {
  std::string from, to;  // edit of kStudy
  std::string message;   // how the message begins, and what it must contain after the '|'
};

void PrintTo(const Slip& slip, std::ostream* out) { *out << slip.from << " -> " << slip.to; }

class StudySlips : public testing::TestWithParam<Slip> {};

TEST_P(StudySlips, IsReportedWithItsPlace) {
  const Slip& slip = GetParam();
  const std::string message = message_of(replaced(kStudy, slip.from, slip.to));
  const size_t bar = slip.message.find('|');
  EXPECT_TRUE(message.starts_with(slip.message.substr(0, bar))) << message;
  if (bar != std::string::npos) {
    EXPECT_NE(message.find(slip.message.substr(bar + 1)), std::string::npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, StudySlips,
    testing::Values(
        // syntax
        Slip{"vocab = 10", "vocab = ", "a.toml:5:"}, Slip{"[data]", "[data", "a.toml:4:"},
        Slip{"vocab = 10", "vocab = 10\nvocab = 11", "a.toml:6:"},
        // unknown keys, with the nearest known one
        Slip{"vocab = 10", "vocb = 10", "a.toml:5:1: unknown key 'data.vocb'|did you mean 'data.vocab'?"},
        Slip{"vocab = 10", "width = 10", "a.toml:5:1: unknown key 'data.width'|did you mean 'network.width'?"},
        Slip{"[training]", "[trainning]", "a.toml:8:2: unknown key 'trainning'|did you mean 'training'?"},
        Slip{"every = 10", "evry = 10", "a.toml:13:1: unknown key 'evry' in [[observe]]|did you mean 'every'?"},
        Slip{"\"data.vocab\" =", "\"data.vocap\" =", "a.toml:16:1: unknown key 'data.vocap'|'data.vocab'"},
        Slip{"network.width = [2", "network.widht = [2", "a.toml:17:|did you mean 'network.width'?"},
        Slip{"\"data.vocab\" =", "vocab =", "a.toml:16:1: unknown key 'vocab'; did you mean 'data.vocab'?"},
        Slip{"[sweep.grid]", "[sweep.gird]", "a.toml:15:8: unknown key 'gird' in [sweep]|did you mean 'grid'?"},
        Slip{"count = 5", "cuont = 5", "a.toml:20:1: unknown key 'cuont' in [seeds]|did you mean 'count'?"},
        Slip{"detector = \"plateau\"", "detector = \"platau\"", "a.toml:34:|did you mean 'plateau'?"},
        Slip{"detector = \"plateau\"", "detector = \"plateau\"\nbnad = 3",
             "a.toml:35:1: unknown key 'bnad' in [[phenomenon]]"},
        Slip{"quantity = \"plateau.level\"", "quantity = \"plateau.levl\"", "a.toml:39:|did you mean 'plateau.level'?"},
        Slip{"what = [\"perplexity\"]", "what = [\"perplexity\", \"acuracy\"]", "a.toml:12:|accuracy"},
        Slip{"relative_to = \"data.vocab\"", "relative_to = \"data.voca\"", "a.toml:41:|did you mean 'data.vocab'?"},
        Slip{"statement = ", "statment = ", "a.toml:38:1: unknown key 'statment'|did you mean 'statement'?"},
        Slip{"region = [0.45, 0.58]", "abov = 0.45",
             "a.toml:42:1: unknown key 'abov' in [[claim]]|did you mean 'above'?"},
        Slip{"region = [0.45, 0.58]", "region = [0.45, 0.58]\ncompare = \"ratio\"\nagianst = { data.vocab = 10 }",
             "a.toml:44:1: unknown key 'agianst' in [[claim]]|did you mean 'against'?"},
        Slip{"count = 5", "count = 5\nmost = 9\nuntl = \"decided\"",
             "a.toml:22:1: unknown key 'untl' in [seeds]|did you mean 'until'?"},
        Slip{"statistic = \"median\"", "statistic = \"medain\"", "a.toml:40:|did you mean 'median'?"},
        Slip{"set = { \"training.steps\"", "set = { \"training.step\"", "a.toml:28:|did you mean 'training.steps'?"},
        // types and ranges, with what is allowed
        Slip{"vocab = 10", "vocab = \"10\"", "a.toml:5:9: data.vocab = \"10\"|an integer from 2 to 65536"},
        Slip{"vocab = 10", "vocab = 1", "a.toml:5:9: data.vocab = 1 |an integer from 2 to 65536"},
        Slip{"vocab = 10", "vocab = 2.5", "a.toml:5:9: data.vocab = 2.5 |an integer"},
        Slip{"vocab = 10", "vocab = [10]", "a.toml:5:9: data.vocab must be an integer|found a list"},
        Slip{"vocab = 10", "vocab = 1979-05-27", "a.toml:5:9: |date"},
        Slip{"vocab = 10", "task = \"cpy\"", "a.toml:5:8: data.task|did you mean 'copy'?"},
        Slip{"title = \"A plateau\"", "title = 3", "a.toml:1:9: the study: title must be text|3"},
        Slip{"[4, 10]", "[4, 1]", "a.toml:16:20: data.vocab = 1 |from 2"},
        Slip{"[4, 10]", "4", "a.toml:16:16: data.vocab must be a list"},
        Slip{"[[observe]]", "[observe]", "a.toml:11:|observe must be a list of tables, found a table"},
        Slip{"every = 10", "every = 0", "a.toml:13:9: every = 0 |an integer from 1"},
        Slip{"every = 10", "at = [0, 301]", "a.toml:13:10: step 301 lies after the end"},
        Slip{"every = 10", "at = 3", "a.toml:13:6: at must be a list"},
        Slip{"what = [\"perplexity\"]", "what = []", "a.toml:12:8: what must name at least one"},
        Slip{"what = [\"perplexity\"]", "what = [\"perplexity\", \"perplexity\"]", "a.toml:12:|observed twice"},
        Slip{"region = [0.45, 0.58]", "region = [0.58, 0.45]", "a.toml:42:10: [[claim]]: region is empty"},
        Slip{"region = [0.45, 0.58]", "region = [nan, 0.45]", "a.toml:42:11: region = nan"},
        Slip{"region = [0.45, 0.58]", "region = [0.45]", "a.toml:42:10: [[claim]]: region must be a list of two"},
        Slip{"region = [0.45, 0.58]", "region = [-inf, inf]", "a.toml:42:10: |nothing is claimed"},
        Slip{"statistic = \"median\"", "statistic = \"rate\"\ncompare = \"ratio\"", "a.toml:41:|against"},
        Slip{"relative_to = \"data.vocab\"", "relative_to = \"data.task\"", "a.toml:41:|not a number"},
        Slip{"steps = 300", "steps = 1000000000000", "a.toml:12:9: |100000000000 measurements"},
        // sweeps
        Slip{"[4, 10]", "[]", "a.toml:16:16: data.vocab sweeps over no values"},
        Slip{"[4, 10]", "[4, 4]", "a.toml:15:|two cells are the same run: data.vocab=4, network.width=2"},
        Slip{"network.width = [2, 3]\n", "data.vocab = [2, 3]\n", "a.toml:17:|'data.vocab' is given twice"},
        Slip{"[seeds]", "[[sweep.zip]]\ndata.context = [4, 5]\ndata.offset = [1]\n[seeds]",
             "a.toml:21:|has 2 values and data.offset has 1"},
        Slip{"[seeds]", "[[sweep.zip]]\ndata.vocab = [4, 5]\n[seeds]", "a.toml:20:|swept in [sweep.grid] already"},
        Slip{"[seeds]", "[[sweep.zip]]\ndata.context = [4, 5]\n[[sweep.zip]]\ndata.context = [6, 7]\n[seeds]",
             "a.toml:22:|data.context is swept in [[sweep.zip]] number 1 already"},
        Slip{"[seeds]", "[[sweep.zip]]\n[seeds]", "a.toml:19:|no axis"},
        Slip{"\"data.vocab\" = [4, 10]\nnetwork.width = [2, 3]\n", "", "a.toml:15:|no axis"},
        Slip{"[sweep.grid]\n\"data.vocab\" = [4, 10]\nnetwork.width = [2, 3]\n", "[sweep]\n",
             "a.toml:15:|the sweep is empty"},
        Slip{"[sweep.grid]\n\"data.vocab\" = [4, 10]\nnetwork.width = [2, 3]\n", "[sweep]\ncells = []\n",
             "a.toml:16:|sweep.cells is empty"},
        Slip{"network.width = [2, 3]\n", "data.offset = [0, 4]\n",
             "a.toml:15:|cell data.vocab=4, data.offset=4: data.offset = 4"},
        Slip{"network.width = [2, 3]\n", "seeds.init = [2, 3]\n", "a.toml:17:|cannot be set"},
        // seeds
        Slip{"count = 5", "count = 0", "a.toml:20:9: count = 0 |from 1"},
        Slip{"count = 2", "count = 0", "a.toml:24:9: count = 0 |from 1"},
        Slip{"where = { data.vocab = 10, ", "where = { data.vocab = 9, ",
             "a.toml:23:|the sweep does not have: data.vocab=9"},
        Slip{"count = 5", "init = 5", "a.toml:20:1: unknown key 'init' in [seeds]"},
        Slip{"count = 5", "count = 9000000", "a.toml:19:|runs, of at most 10000000"},
        // phenomena and claims
        Slip{"what = [\"perplexity\"]", "what = [\"accuracy\"]",
             "a.toml:33:|reads 'perplexity', which the study does not observe"},
        Slip{"where = { data.vocab = 4 }", "where = { data.vocab = 5 }", "a.toml:43:9: claim 'half' |data.vocab=5"},
        Slip{"where = { data.vocab = 4 }", "where = { data.vocab = 1 }", "a.toml:43:|data.vocab = 1 is not allowed"},
        Slip{"where = { data.vocab = 4 }", "[[claim]]\nid = \"half\"", "a.toml:44:|a second claim has the id 'half'"},
        Slip{"id = \"half\"", "", "a.toml:36:|[[claim]] lacks 'id'"},
        Slip{"id = \"half\"", "id = \"\"", "a.toml:37:|empty"},
        Slip{"[[phenomenon]]", "[[phenomenon]]\ndetector = \"plateau\"\n[[phenomenon]]",
             "a.toml:35:|a second phenomenon"},
        Slip{"detector = \"plateau\"", "detector = \"plateau\"\nname = \"a.b\"", "a.toml:35:|no dots"},
        // the profile that was not asked for
        Slip{"set = { \"training.steps\" = 600 }", "set = { \"training.steps\" = -1 }", "a.toml:28:"},
        Slip{"seeds = { count = 7 }", "sedes = { count = 7 }",
             "a.toml:27:1: unknown key 'sedes' in [profile.full]|'seeds'"},
        Slip{"set = { \"training.steps\" = 600 }", "set = { \"data.vocab\" = 60 }", "a.toml:28:|swept"}));

TEST(Study, EveryProfileMustHaveTheCellsOfItsClaims) {
  const std::string narrower = replaced(kStudy, "data.vocab = [4, 10, 100]", "data.vocab = [10, 100]");
  EXPECT_EQ(message_of(narrower), "no error");
  StudyOptions options;
  options.profile = "full";
  EXPECT_NE(message_of(narrower, options).find("claim 'half' speaks of cells"), std::string::npos);
}

TEST(Study, UnknownProfileNamesTheNearest) {
  StudyOptions options;
  options.profile = "ful";
  EXPECT_NE(message_of(kStudy, options).find("did you mean 'full'?"), std::string::npos);
}

TEST(Study, SettingsApplyToEveryCellAndLeaveTheSweep) {
  StudyOptions options;
  options.set = {"data.vocab=10", "training.steps=1e3"};
  const Study study = parse(kStudy, options);
  const std::vector<Cell> cells = expand_cells(study);
  ASSERT_EQ(cells.size(), 2u);
  for (const Cell& cell : cells) {
    EXPECT_EQ(cell.config.data.vocab, 10);
    EXPECT_EQ(cell.config.training.steps, 1000);
  }
  EXPECT_TRUE(study.claims.empty());  // it spoke of vocab 4
  options.set = {"data.context=5"};
  EXPECT_EQ(parse(kStudy, options).claims.size(), 1u);
}

TEST(Study, SettingsThatMakeCellsOfAListEqualMergeThem) {
  const std::string list = replaced(kStudy, "[sweep.grid]\n\"data.vocab\" = [4, 10]\nnetwork.width = [2, 3]\n",
                                    "[[sweep.zip]]\ndata.vocab = [4, 10, 10]\nnetwork.width = [2, 2, 3]\n");
  ASSERT_EQ(expand_cells(parse(list)).size(), 3u);
  StudyOptions options;
  options.set = {"network.width=4"};
  EXPECT_EQ(expand_cells(parse(list, options)).size(), 2u);
}

TEST(Study, WrongSettingsAreReportedAsSuch) {
  const auto message = [](const std::string& setting) {
    StudyOptions options;
    options.set = {setting};
    return message_of(kStudy, options);
  };
  EXPECT_EQ(message("network.widht=3"), "--set: unknown key 'network.widht'; did you mean 'network.width'?");
  EXPECT_EQ(message("width=3"), "--set: unknown key 'width'; did you mean 'network.width'?");
  EXPECT_EQ(message("network.width"), "--set: 'network.width' has no value");
  EXPECT_TRUE(message("network.width=0").starts_with("--set: network.width = 0 is not allowed"));
  EXPECT_TRUE(message("network.width=").starts_with("--set: network.width"));
  EXPECT_TRUE(message("seeds.init=4").starts_with("--set: 'seeds.init' cannot be set"));
  EXPECT_TRUE(message("data.offset=9").starts_with("--set: cell data.vocab=4, network.width=2: data.offset = 9"));
}

TEST(Study, SeedsOfTheCommandLineReplaceEveryCount) {
  StudyOptions options;
  options.seeds = 3;
  for (const Cell& cell : expand_cells(parse(kStudy, options))) EXPECT_EQ(cell.seeds, 3);
  options.seeds = 0;
  EXPECT_TRUE(message_of(kStudy, options).starts_with("--seeds: 0 is not allowed"));
}

class StudyFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "plateau-zoo.toml") << kStudy;
    std::ofstream(folder_ / "branches.toml") << kStudy;
    std::ofstream(folder_ / "notes.txt") << "no study";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string missing(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::missing);
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path folder_;
};

TEST_F(StudyFiles, AreFoundByNameOrPath) {
  const std::string path = (folder_ / "branches.toml").string();
  EXPECT_EQ(find_study("branches", {"nowhere", folder_.string()}), path);
  EXPECT_EQ(find_study(path, {}), path);
  EXPECT_EQ(read_study(path, {}).name, "branches");
  EXPECT_EQ(list_studies(folder_.string()), (std::vector<std::string>{"branches", "plateau-zoo"}));
}

TEST_F(StudyFiles, MissingOnesSuggestTheNearest) {
  EXPECT_NE(missing([&] { find_study("plateu-zoo", {folder_.string()}); }).find("did you mean 'plateau-zoo'?"),
            std::string::npos);
  EXPECT_NE(missing([&] { find_study("x/branchs.toml", {folder_.string()}); }).find("did you mean 'branches'?"),
            std::string::npos);
  missing([&] { find_study("", {folder_.string()}); });
  EXPECT_NE(missing([&] { list_studies((folder_ / "none").string()); }).find("none"), std::string::npos);
  EXPECT_NE(missing([&] { read_study((folder_ / "none.toml").string(), {}); }).find("none.toml"), std::string::npos);
  EXPECT_NE(missing([&] { read_study(folder_.string(), {}); }).find("is a folder"), std::string::npos);
}

TEST_F(StudyFiles, AnEmptyFileIsAnEmptyStudy) {
  const std::string path = (folder_ / "empty.toml").string();
  std::ofstream(path).close();
  try {
    read_study(path, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("empty.toml:1:1: the study observes nothing"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace atto

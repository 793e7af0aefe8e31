// list, run, reproduce: what trains, what is reported, what is computed twice (nothing).
#include "app/program.h"
#include "places.h"

#include <set>

namespace atto::test::run_test {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const Json& find(const Json& list, const std::string& key, const std::string& value) {
  for (const Json& one : list)
    if (one.at(key) == value) return one;
  throw std::runtime_error("no " + key + " " + value + " in " + list.dump());
}

using RunTest = ProgramTest;

TEST_F(RunTest, ListNamesStudiesSizesAndClaims) {
  const Json list = atto_json({"list", "--json"});
  ASSERT_EQ(list.size(), 2u);
  const Json& tiny = find(list, "study", "tiny");
  EXPECT_EQ(tiny.at("title"), "Copying, very small");
  EXPECT_EQ(tiny.at("source"), "a test");
  EXPECT_EQ(tiny.at("profiles").at("quick"), Json({{"cells", 2}, {"fewest_seeds", 8}, {"most_seeds", 8}}));
  EXPECT_EQ(tiny.at("profiles").at("full").at("most_seeds"), 10);
  EXPECT_EQ(tiny.at("claims").size(), 2u);
  const std::string text = atto({"list", "--long"}).out;
  for (const char* part : {"2 × 8", "2 × 10", "T-holds: The perplexity ends between"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST_F(RunTest, ListHasALineAStudyUnderItsSource) {
  const auto add = [&](const std::string& name, const std::string& title, const std::string& source) {
    write("studies/" + name + ".toml",
          "title = \"" + title + "\"\nsource = \"" + source + "\"\n[[observe]]\nwhat = [\"loss\"]\n");
  };
  add("other", "Another", "a test");
  add("question", "A question", "A paper, https://a.org/1, open question 2");
  add("result", "A result", "A paper, https://a.org/1");
  EXPECT_EQ(
      atto({"list"}).out,
      "Without a source\n"
      "  map       A map of two axes\n"
      "\n"
      "a test\n"
      "  other     Another\n"
      "  tiny      Copying, very small\n"
      "\n"
      "A paper, https://a.org/1\n"
      "  question  A question\n"
      "  result    A result\n"
      "\n"
      "5 in studies. `atto run STUDY` trains one, `atto reproduce` all of them; `atto list --long` shows sizes and "
      "claims.\n");
}

// Nothing is said about cells, so none is made: not even those that no run could have.
TEST_F(RunTest, ListExpandsNoSweep) {
  std::string values = "2";
  for (int i = 3; i <= 2001; ++i) values += ", " + std::to_string(i);
  write("studies/vast.toml", "title = \"Too many\"\n[[observe]]\nwhat = [\"loss\"]\n[sweep.grid]\ndata.vocab = [" +
                                 values + "]\ndata.context = [" + values + "]\n");
  EXPECT_EQ(find(atto_json({"list", "--json"}), "study", "vast").at("profiles").at("quick").at("cells"), 4'000'000);
  EXPECT_EQ(atto({"run", "vast", "--dry-run"}).code, 3) << "more than a study may have";
}

// What a command suggests can be typed as it stands.
TEST_F(RunTest, HintsRepeatWhereThingsAre) {
  const std::vector<std::string> where = {"--store", "mine/runs.db", "--seeds", "2", "--set", "network.width=2"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), where.begin(), where.end());
    return words;
  };
  const std::string options = " --set network.width=2 --seeds 2 --store mine/runs.db";
  ASSERT_EQ(atto({"run", "map", "--seeds", "1", "--store", "mine/runs.db"}).code, 0);
  for (const char* verb : {"show", "export", "figure"}) {
    const Outcome none = atto(with({verb, "tiny"}));
    EXPECT_EQ(none.code, 4);
    EXPECT_TRUE(contains(none.err, "`" + program_path() + " run tiny" + options + "` trains them")) << none.err;
  }
  const Outcome run = atto(with({"run", "tiny"}));
  EXPECT_TRUE(contains(run.out, "show tiny" + options + "\n")) << run.out;
  const std::string shown = atto(with({"show", "tiny"})).out;
  EXPECT_TRUE(shown.ends_with(" --store mine/runs.db\n")) << shown;
  const std::string store = atto({"show", "--store", "mine/runs.db"}).out;
  EXPECT_TRUE(contains(store, "show map --seeds 1 --store mine/runs.db\n")) << store;
  EXPECT_TRUE(contains(atto({"list", "--store", "mine/runs.db"}).out, "`atto run STUDY --store mine/runs.db`"));
}

TEST_F(RunTest, EveryVerbTakesWhatAllShare) {
  ASSERT_EQ(atto({"run", "tiny", "--seeds", "1"}).code, 0);
  const std::vector<std::vector<std::string>> commands = {
      {"list"},
      {"run", "tiny", "--seeds", "1"},
      {"reproduce", "tiny", "--seeds", "1"},
      {"show", "tiny", "--seeds", "1"},
      {"report", "tiny"},
      {"figure", "tiny", "--spec", "--output", "figures", "--seeds", "1"},
      {"export", "tiny", "--seeds", "1"},
      {"predict", "--length", "16", "--dimension", "4"},
      {"help", "keys"}};
  for (std::vector<std::string> words : commands) {
    for (const char* shared : {"--json", "--store", "results/atto.db", "--studies", "studies"})
      words.emplace_back(shared);
    const Outcome outcome = atto(words);
    EXPECT_EQ(outcome.code, 0) << words[0] << ": " << outcome.err;
    EXPECT_FALSE(Json::parse(outcome.out, nullptr, false).is_discarded()) << words[0] << ": " << outcome.out;
  }
}

TEST_F(RunTest, HelpSaysHowManySeedsThereAreByDefault) {
  EXPECT_TRUE(contains(atto({"run", "--help"}).out, "(32 where it gives"));
}

TEST_F(RunTest, ABrokenStudyDoesNotHideTheOthers) {
  write("studies/broken.toml", "title = ");
  const Outcome outcome = atto({"list"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(contains(outcome.out, "tiny"));
  EXPECT_TRUE(contains(outcome.err, "studies/broken.toml:1:")) << outcome.err;
}

TEST_F(RunTest, StudiesFolderIsFoundByOptionThenEnvironmentThenHere) {
  std::filesystem::rename(folder_ / "studies", folder_ / "elsewhere");
  EXPECT_EQ(atto({"list", "--studies", "elsewhere"}).code, 0);
  EXPECT_EQ(atto({"list"}, {"ATTO_STUDIES=elsewhere"}).code, 0);
  EXPECT_EQ(atto({"list", "--studies", "nowhere"}, {"ATTO_STUDIES=elsewhere"}).code, 4);
}

TEST_F(RunTest, RunReportsEveryCellAsJson) {
  const Json cells = atto_json({"run", "tiny", "--seeds", "3", "--json"});
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[1].at("overrides"), Json({{"network.width", 3}}));
  EXPECT_EQ(cells[0].at("seeds"), 3);
  const Json& perplexity = cells[0].at("observables").at("perplexity");
  ASSERT_EQ(perplexity.at("final").size(), 3u);
  EXPECT_LE(perplexity.at("q25"), perplexity.at("median"));
  EXPECT_LE(perplexity.at("median"), perplexity.at("q75"));
  EXPECT_EQ(cells[0].at("phenomena").at("plateau").at("present").at("per_seed").size(), 3u);
}

TEST_F(RunTest, TheSecondTimeNothingIsTrained) {
  const Outcome first = atto({"run", "tiny", "--json"}), second = atto({"run", "tiny", "--json"});
  EXPECT_TRUE(contains(first.err, "tiny: trained 16 runs in")) << first.err;
  EXPECT_TRUE(contains(second.err, "tiny: trained 0 runs, 16 were in the store")) << second.err;
  EXPECT_EQ(first.out, second.out);
}

TEST_F(RunTest, MoreSeedsTrainOnlyTheNewOnes) {
  EXPECT_EQ(atto({"run", "tiny", "--seeds", "3"}).code, 0);
  const Outcome wider = atto({"run", "tiny", "--seeds", "4"});
  EXPECT_TRUE(contains(wider.err, "trained 2 runs") && contains(wider.err, "6 were in the store")) << wider.err;
}

TEST_F(RunTest, SetChangesEveryCellAndReplacesAnAxis) {
  const Json cells =
      atto_json({"run", "tiny", "--set", "network.width=5", "--set", "training.steps=7", "--seeds", "2", "--json"});
  ASSERT_EQ(cells.size(), 1u);
  const std::string id = cells[0].at("run_ids")[0];
  const Json run = atto_json({"show", id, "--json"});
  EXPECT_EQ(run.at("config").at("network.width"), 5);
  EXPECT_EQ(run.at("steps_done"), 7);
}

TEST_F(RunTest, TheTableShowsCellsPhenomenaAndVerdicts) {
  const Outcome outcome = atto({"run", "tiny"});
  for (const char* part :
       {"width 2", "width 3", "final perplexity", "plateau.present", "/8", "T-holds", "supported", "refuted",
        "2 claims: 1 supported, 1 refuted, 0 inconclusive", "results/atto.db", "show tiny"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "\x1b[")) << "no colour into a file";
}

TEST_F(RunTest, ThreadsDoNotChangeTheResults) {
  const Outcome one = atto({"run", "tiny", "--threads", "1", "--store", "one.db", "--json"});
  const Outcome two = atto({"run", "tiny", "--threads", "2", "--store", "two.db", "--json"});
  EXPECT_EQ(one.code, 0);
  EXPECT_EQ(one.out, two.out);
}

TEST_F(RunTest, AStudyFileOfOnesOwnNeedsNoStudiesFolder) {
  std::filesystem::rename(folder_ / "studies/tiny.toml", folder_ / "mine.toml");
  std::filesystem::remove_all(folder_ / "studies");
  EXPECT_EQ(atto({"run", "mine.toml", "--seeds", "2"}).code, 0);
  EXPECT_EQ(atto({"show", "mine.toml", "--seeds", "2"}).code, 0);
}

TEST_F(RunTest, ReproduceListsEveryVerdict) {
  const Outcome outcome = atto({"reproduce", "--json"});
  EXPECT_EQ(outcome.code, 0) << "a refuted claim is a result, not a failure\n" << outcome.err;
  const Json verdicts = Json::parse(outcome.out);
  ASSERT_EQ(verdicts.size(), 2u);
  for (const Json& verdict : verdicts)
    for (const char* key : {"claim", "study", "source", "statement", "verdict", "estimate", "low", "high", "region",
                            "seeds", "censored", "diverged"})
      EXPECT_TRUE(verdict.contains(key)) << key;
  const Json& holds = find(verdicts, "claim", "T-holds");
  EXPECT_EQ(holds.at("verdict"), "supported");
  EXPECT_EQ(holds.at("seeds"), 16);
  EXPECT_LE(holds.at("low"), holds.at("estimate"));
  EXPECT_LE(holds.at("estimate"), holds.at("high"));
  EXPECT_EQ(find(verdicts, "claim", "T-fails").at("verdict"), "refuted");
  EXPECT_EQ(atto({"reproduce", "tiny", "--json"}).out, outcome.out) << "cached results are the same results";
}

TEST_F(RunTest, ReproduceSaysWhatWasFoundBeforeAnyTable) {
  const Outcome outcome = atto({"reproduce"});
  ASSERT_TRUE(outcome.out.starts_with("What was found\n\n")) << outcome.out;
  const std::string answers = outcome.out.substr(0, outcome.out.find("\n\n", 20));
  EXPECT_TRUE(contains(answers,
                       "a test: of 2 claims 1 holds, 1 does not, 0 open. The perplexity ends between one and the "
                       "size of the vocabulary.: supported, "))
      << answers;
  EXPECT_LE(std::count(answers.begin(), answers.end(), '\n'), 12) << "a heading and about ten lines";
  const size_t counts = outcome.out.find("2 claims: 1 supported, 1 refuted, 0 inconclusive");
  const size_t family = outcome.out.find("Of 2 decisions"), table = outcome.out.find("tiny · Copying");
  EXPECT_LT(answers.size(), counts);
  EXPECT_LT(counts, family);
  EXPECT_LT(family, table);
  EXPECT_LT(table, outcome.out.find("estimate [95 %]")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "The results are in results/atto.db"));
  EXPECT_FALSE(contains(outcome.out, "map · ")) << "it claims nothing";
  // While it trains, how each study came out; map has far fewer steps than tiny, so it comes first.
  EXPECT_LT(outcome.err.find("map: trained"), outcome.err.find("tiny: trained")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "tiny: 2 claims: 1 supported, 1 refuted, 0 inconclusive")) << outcome.err;
}

// Every key of the table under the paragraph in docs/cli.md that begins so.
std::set<std::string> documented_keys(const std::string& paragraph) {
  std::ifstream file(in_source("docs/cli.md"));
  std::set<std::string> keys;
  bool inside = false, table = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(paragraph)) inside = true;
    if (!inside) continue;
    if (table && !line.starts_with("|")) break;
    table = table || line.starts_with("|");
    if (!line.starts_with("| `")) continue;
    std::string names = line.substr(2, line.find(" | ") - 2);
    for (size_t at = 0; (at = names.find('`', at)) != std::string::npos;) {
      const size_t end = names.find('`', at + 1);
      keys.insert(names.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  return keys;
}

std::set<std::string> keys_of(const Json& list) {
  std::set<std::string> keys;
  for (const Json& one : list)
    for (const auto& [key, value] : one.items()) keys.insert(key);
  return keys;
}

TEST_F(RunTest, EveryKeyOfVerdictsIsDocumented) {
  write("studies/keys.toml", R"(title = "All keys"
[data]
vocab = 4
[training]
batch = 16
steps = 20
[seeds]
count = 6
[[observe]]
what = ["perplexity"]
every = 5
[[phenomenon]]
name = "learnt"
detector = "emergence"
[[phenomenon]]
name = "final"
detector = "value"
series = "perplexity"
[[claim]]
id = "share"
statement = "a"
quantity = "learnt.step"
statistic = "rate"
by = 10
region = [0, 0.5]
[[claim]]
id = "some"
statement = "b"
quantity = "final.value"
statistic = "median"
given = "learnt.emerged"
above = 1
[[claim]]
id = "together"
statement = "c"
quantity = "learnt.step"
statistic = "coincidence"
with = "final.value"
above = 0
)");
  const Json verdicts = atto_json({"reproduce", "keys", "--json"});
  EXPECT_EQ(keys_of(verdicts), documented_keys("`atto reproduce --json`: a list"));
  // No run learns within 20 steps.
  EXPECT_TRUE(
      contains(find(verdicts, "claim", "some").at("note"), "keys.toml:26: no run meets given = \"learnt.emerged\""))
      << find(verdicts, "claim", "some").at("note");
  EXPECT_EQ(keys_of(atto_json({"reproduce", "keys", "--dry-run", "--json"})),
            documented_keys("With `--dry-run`, `atto run"));
}

TEST_F(RunTest, OnATerminalVerdictsHaveColourUnlessNotWanted) {
  ASSERT_EQ(atto({"run", "tiny"}).code, 0);
  EXPECT_TRUE(contains(atto_on_terminal({"run", "tiny"}), "\x1b[31mrefuted"));
  EXPECT_FALSE(contains(atto_on_terminal({"run", "tiny"}, {"NO_COLOR=1"}), "\x1b[31m"));
}

TEST_F(RunTest, OnATerminalABarIsRedrawn) {
  const std::string text = atto_on_terminal({"run", "tiny", "--store", "fresh.db"});
  EXPECT_TRUE(contains(text, "\rtiny ━")) << text;
  EXPECT_TRUE(contains(text, "16/16 runs")) << text;
}

}  // namespace
}  // namespace atto::test::run_test

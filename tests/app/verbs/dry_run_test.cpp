// --dry-run says what there is to train and what it takes, and trains nothing; --profile over studies that lack it.
#include "app/program.h"

#include <csignal>
#include <map>

namespace atto::test {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

using DryRunTest = ProgramTest;

TEST_F(DryRunTest, CountsRunsStepsAndMemoryWithoutTraining) {
  const Json before = atto_json({"run", "tiny", "--dry-run", "--threads", "2", "--json"});
  ASSERT_EQ(before.size(), 1u);
  const Json& tiny = before[0];
  EXPECT_EQ(tiny.at("study"), "tiny");
  EXPECT_EQ(tiny.at("profile"), "quick");
  EXPECT_EQ(tiny.at("cells"), 2);
  EXPECT_EQ(tiny.at("runs"), 16);
  EXPECT_EQ(tiny.at("stored"), 0);
  EXPECT_EQ(tiny.at("unfinished"), 0);
  EXPECT_EQ(tiny.at("steps"), 16 * 50);
  EXPECT_EQ(tiny.at("steps_left"), 16 * 50);
  EXPECT_EQ(tiny.at("threads"), 2);
  EXPECT_GT(tiny.at("largest_run_bytes"), 1000);
  EXPECT_GE(tiny.at("sweep_bytes"), 2 * tiny.at("largest_run_bytes").get<int64_t>());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "results")) << "not even a store";

  ASSERT_EQ(atto({"run", "tiny", "--seeds", "3"}).code, 0);
  const Json after = atto_json({"run", "tiny", "--dry-run", "--threads", "1", "--json"});
  EXPECT_EQ(after[0].at("stored"), 6);
  EXPECT_EQ(after[0].at("steps_left"), 10 * 50);
  EXPECT_LT(after[0].at("sweep_bytes"), tiny.at("sweep_bytes"));
  ASSERT_EQ(atto({"run", "tiny"}).code, 0);
  const Json done = atto_json({"run", "tiny", "--dry-run", "--json"});
  EXPECT_EQ(done[0].at("stored"), 16);
  EXPECT_EQ(done[0].at("steps_left"), 0);
  EXPECT_EQ(done[0].at("sweep_bytes"), 0);
}

TEST_F(DryRunTest, OfAShardSaysWhatTheShareTakes) {
  int64_t runs = 0;
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    const Json share = atto_json({"run", "tiny", "--shard", shard, "--dry-run", "--json"}).at(0);
    EXPECT_EQ(share.at("shard"), shard);
    EXPECT_LT(share.at("runs"), 16);
    EXPECT_EQ(share.at("steps_left"), share.at("runs").get<int64_t>() * 50);
    EXPECT_EQ(share.at("reach"), Json::array()) << "it judges nothing";
    runs += share.at("runs").get<int64_t>();
  }
  EXPECT_EQ(runs, 16);
  const Outcome shown = atto({"run", "tiny", "--shard", "2/3", "--until", "decided", "--dry-run"});
  EXPECT_TRUE(contains(shown.out, "shard 2/3, which judges nothing")) << shown.out;
  EXPECT_FALSE(contains(shown.out, "whole budget")) << shown.out;
}

TEST_F(DryRunTest, HasALinePerStudy) {
  const Outcome all = atto({"reproduce", "--dry-run"});
  EXPECT_EQ(all.code, 0) << all.err;
  for (const char* part : {"tiny", "map", "steps left", "Nothing was trained", "(not there yet)"})
    EXPECT_TRUE(contains(all.out, part)) << part << "\n" << all.out;
  EXPECT_EQ(atto_json({"reproduce", "--dry-run", "--json"}).size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "results"));
}

TEST_F(DryRunTest, SaysWhatTheSeedsCouldDecideAndWhatAllLooksWouldTake) {
  const std::string fixed = atto({"run", "tiny", "--dry-run"}).out;
  EXPECT_TRUE(contains(fixed, "can be supported or refuted: T-holds, T-fails")) << fixed;
  const std::string few = atto({"run", "tiny", "--dry-run", "--seeds", "3"}).out;
  EXPECT_TRUE(contains(few, "inconclusive at best: T-holds, T-fails")) << few;
  EXPECT_TRUE(contains(few, "T-holds: no outcome of 3 runs would decide it")) << few;
  const std::vector<std::string> looks{"run", "tiny", "--dry-run", "--until", "decided", "--most", "100"};
  const std::string text = atto(looks).out;
  EXPECT_TRUE(contains(text, "for what is left of the first look") &&
              contains(text, "if all claims need the whole budget"))
      << text;
  std::vector<std::string> json = looks;
  json.push_back("--json");
  const Json outlook = atto_json(json)[0];
  EXPECT_GT(outlook.at("seconds_whole_budget"), 5 * outlook.at("seconds_left").get<double>());
  EXPECT_EQ(outlook.at("reach")[0], (Json{{"claim", "T-holds"}, {"seeds", 100}, {"best", "either"}}));
  EXPECT_EQ(atto_json({"run", "tiny", "--dry-run", "--json"})[0].at("seconds_whole_budget"), nullptr);
}

TEST_F(DryRunTest, AWiderNetworkIsSaidToTakeMore) {
  const auto bytes = [&](const std::string& width) {
    return atto_json({"run", "tiny", "--dry-run", "--json", "--set", "network.width=" + width})[0]
        .at("largest_run_bytes")
        .get<int64_t>();
  };
  EXPECT_GT(bytes("256"), 10 * bytes("16"));
}

TEST_F(DryRunTest, EstimatesTheTimeAndSaysFromWhat) {
  const auto outlook = [&] { return atto_json({"run", "tiny", "--dry-run", "--json"})[0]; };
  const Json before = outlook();
  EXPECT_EQ(before.at("seconds_from"), "calibration");
  EXPECT_GT(before.at("seconds_left"), 0);
  const std::string text = atto({"run", "tiny", "--dry-run"}).out;
  EXPECT_TRUE(contains(text, "time, about") && contains(text, "of training on this machine just now")) << text;
  ASSERT_EQ(atto({"run", "tiny", "--seeds", "3"}).code, 0);
  const Json after = outlook();
  EXPECT_EQ(after.at("seconds_from"), "stored runs");
  EXPECT_GT(after.at("seconds_left"), 0);
  EXPECT_TRUE(contains(atto({"run", "tiny", "--dry-run"}).out, "Times are from how long 6 stored runs took"));
  ASSERT_EQ(atto({"run", "tiny"}).code, 0);
  const Json done = outlook();
  EXPECT_EQ(done.at("seconds_from"), "nothing left");
  EXPECT_EQ(done.at("seconds_left"), 0);
}

// Detectors that compare all pairs of tokens take more than training does, and are part of what is said.
TEST_F(DryRunTest, CountsWhatDetectorsTake) {
  write("studies/pairs.toml", R"(title = "pairs"
[data]
vocab = 8000
[training]
batch = 16
steps = 20
[seeds]
count = 1
[[observe]]
what = ["embedding"]
at = [0, 20]
[[phenomenon]]
detector = "continuity"
)");
  const Json outlook = atto_json({"run", "pairs", "--dry-run", "--json"})[0];
  EXPECT_GT(outlook.at("judging_bytes"), 1'280'000'000);
  EXPECT_LT(outlook.at("largest_run_bytes"), 100'000'000);
  EXPECT_TRUE(contains(atto({"run", "pairs", "--dry-run"}).out, "Memory: 1.4 GB at most"));
}

// The checkpoint a stopped run leaves is seen, and used up.
TEST_F(DryRunTest, CountsWhatIsHalfDone) {
  write("studies/long.toml", R"(title = "long"
[data]
vocab = 4
[training]
batch = 16
[[sweep.cells]]
training.steps = 20
[[sweep.cells]]
training.steps = 1000000000
[seeds]
count = 1
[[observe]]
what = ["loss"]
linear = 10
)");
  const Outcome stopped = atto_until({"run", "long", "--json", "--threads", "2"}, "1/2 runs", {SIGINT});
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  const Json outlook = atto_json({"run", "long", "--dry-run", "--json"});
  EXPECT_EQ(outlook[0].at("stored"), 1);
  EXPECT_EQ(outlook[0].at("unfinished"), 1);
  EXPECT_LE(outlook[0].at("steps_left"), 1000000000 - 64);
  EXPECT_TRUE(contains(atto({"run", "long", "--dry-run"}).out, "1 run will continue from a checkpoint"));
}

TEST_F(DryRunTest, RefusesWhatMakesNoSense) {
  EXPECT_EQ(atto({"run", "tiny", "--checkpoint", "-1"}).code, 2);
  const Outcome word = atto({"run", "tiny", "--checkpoint", "often"});
  EXPECT_EQ(word.code, 2);
  EXPECT_TRUE(contains(word.err, "--checkpoint: 'often' is not a number of seconds")) << word.err;
  EXPECT_EQ(atto({"show", "tiny", "--dry-run"}).code, 2);
}

class ProfileTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write("studies/paper-sized.toml", R"(title = "With the sizes of a paper"
[data]
vocab = 4
[training]
batch = 16
steps = 20
[seeds]
count = 2
[[observe]]
what = ["perplexity"]
[[phenomenon]]
detector = "plateau"
[profile.paper]
set = { "training.steps" = 30 }
[profile.paper.seeds]
count = 5
)");
  }
};

TEST_F(ProfileTest, ReproduceFallsBackToFullWhereAStudyLacksIt) {
  const Outcome outcome = atto({"reproduce", "--profile", "paper", "--dry-run", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "no profile 'paper' in 2 of 3 studies, read with 'full': map tiny\n"))
      << outcome.err;
  const Json all = Json::parse(outcome.out);
  ASSERT_EQ(all.size(), 3u);
  std::map<std::string, Json> by_study;
  for (const Json& one : all) by_study[one.at("study")] = one;
  EXPECT_EQ(by_study["paper-sized"].at("profile"), "paper");
  EXPECT_EQ(by_study["paper-sized"].at("steps"), 5 * 30);
  EXPECT_EQ(by_study["tiny"].at("profile"), "full");
  EXPECT_EQ(by_study["tiny"].at("runs"), 20) << "as its full profile says";
  EXPECT_EQ(by_study["map"].at("profile"), "full");
}

// What a fallback trained is kept under the profile it used, and the command at the end shows it.
TEST_F(ProfileTest, TheProfileUsedIsTheOneInTheStore) {
  const Outcome outcome = atto({"reproduce", "tiny", "paper-sized", "--profile", "paper"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "Copying, very small · profile full")) << outcome.out;
  EXPECT_EQ(atto({"show", "tiny", "--profile", "full"}).code, 0);
  EXPECT_EQ(atto({"show", "paper-sized", "--profile", "paper"}).code, 0);
  const Json store = atto_json({"show", "--json"});
  std::map<std::string, std::string> variants;
  for (const Json& one : store.at("studies")) variants[one.at("study")] = one.at("variant");
  EXPECT_EQ(variants, (std::map<std::string, std::string>{{"tiny", "full"}, {"paper-sized", "paper"}}));
}

TEST_F(ProfileTest, ListTellsOfIt) {
  for (const Json& one : atto_json({"list", "--json"}))
    EXPECT_EQ(one.at("profiles").contains("paper"), one.at("study") == "paper-sized");
  EXPECT_TRUE(contains(atto({"list", "--long"}).out, "profile paper: 1 × 5"));
}

TEST_F(ProfileTest, ANameNoStudyKnowsIsASlip) {
  const Outcome misspelt = atto({"reproduce", "--profile", "papr"});
  EXPECT_EQ(misspelt.code, 3);
  EXPECT_TRUE(contains(misspelt.err, "no study has a profile 'papr'; did you mean 'paper'?")) << misspelt.err;
  EXPECT_EQ(atto({"reproduce", "tiny", "--profile", "paper"}).code, 3) << "of the studies asked for, none has it";
  const Outcome one = atto({"run", "tiny", "--profile", "paper"});
  EXPECT_EQ(one.code, 3) << "a single study is what was meant";
  EXPECT_TRUE(contains(one.err, "the study has no profile 'paper'")) << one.err;
}

}  // namespace
}  // namespace atto::test

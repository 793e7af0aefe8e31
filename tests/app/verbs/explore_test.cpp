// explore, as people type it: alone, and with workers that train its rounds.
#include "app/program.h"

namespace atto::test::explore_verb_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlane = R"(title = "A plane"
[data]
vocab = 4
[training]
batch = 16
steps = 60
rate = 0.02
[sweep.grid]
network.width = [1, 2, 4]
data.context = [2, 4, 8]
[seeds]
count = 4
[[observe]]
what = ["loss"]
every = 20
[[phenomenon]]
detector = "emergence"
name = "fallen"
series = "loss"
threshold = 1.2
hold = 1
[[phenomenon]]
detector = "value"
name = "final"
series = "loss"
[[claim]]
id = "P"
statement = "It ends below two."
quantity = "final.value"
statistic = "median"
region = [0, 2]
)";

class ExploreVerb : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write("studies/plane.toml", kPlane);
  }
  static std::vector<std::string> words(const std::vector<std::string>& aim, const std::vector<std::string>& more) {
    std::vector<std::string> all = {"explore", "plane", "--budget-runs", "250", "--json"};
    all.insert(all.end(), aim.begin(), aim.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  // Asks again and again, with workers in between, until nothing is left to train.
  Json through_workers(const std::vector<std::string>& aim) const {
    for (int round = 0; round < 60; ++round) {
      const Json answer = atto_json(words(
          aim, {"--plan", "--nodes", "2", "--folder", "jobs", "--scratch", "scratch", "--store", "by-workers.db"}));
      if (!answer.is_object() || !answer.contains("waiting")) return answer;
      const std::string folder = answer.at("waiting").get<std::string>();
      const int tasks = atto_json({"status", folder, "--json"}).at("tasks").size() > 1 ? 2 : 1;
      for (int task = 1; task <= tasks; ++task) {
        const Outcome done = atto({"work", folder, "--task", std::to_string(task)});
        EXPECT_EQ(done.code, 0) << done.err;
      }
    }
    ADD_FAILURE() << "it does not end";
    return {};
  }
};

TEST_F(ExploreVerb, FindsTheSameByWorkersAsAlone) {
  for (const std::vector<std::string>& aim :
       {std::vector<std::string>{"--quantity", "fallen.emerged", "--tolerance", "0.2"},
        {"--aim", "optimum", "--quantity", "final.value"}}) {
    const Json alone = atto_json(words(aim, {"--store", "alone.db"}));
    EXPECT_GT(alone.at("rounds").get<int>(), 1);
    EXPECT_EQ(through_workers(aim), alone);
    for (const char* store : {"alone.db", "by-workers.db"}) fs::remove(folder_ / store);
  }
}

TEST_F(ExploreVerb, ClaimsAreDecidedByWorkersToo) {
  const std::vector<std::string> aim = {"--aim", "claims"};
  EXPECT_EQ(through_workers(aim), atto_json(words(aim, {"--store", "alone.db"})));
}

TEST_F(ExploreVerb, SaysBetweenWhichPointsTheContourPasses) {
  const Json found = atto_json(words({"--quantity", "fallen.emerged", "--tolerance", "0.2"}, {"--refine", "0"}));
  EXPECT_EQ(found.at("cells").size(), 9u);
  const Json refined = atto_json(words({"--quantity", "fallen.emerged", "--tolerance", "0.2"}, {}));
  EXPECT_GT(refined.at("cells").size(), 9u);
  for (const Json& pair : refined.at("contour")) EXPECT_EQ(pair.size(), 2u);
  const Outcome shown = atto({"explore", "plane", "--quantity", "fallen.emerged", "--tolerance", "0.2", "--budget-runs",
                              "250", "--refine", "0", "--set", "training.steps=20"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_NE(shown.out.find("The contour passes between these neighbours:\n\nabove "), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("\nwidth 2, context 2  width 1, context 2\n"), std::string::npos) << shown.out;
}

// How many steps a second is worth depends on the machine, so they are told: asking for so many comes to the same.
TEST_F(ExploreVerb, ABudgetInSecondsIsOneInStepsThatIsTold) {
  const auto spend = [&](const char* kind, const std::string& amount, const char* store) {
    return atto({"explore", "plane", "--aim", "optimum", "--quantity", "final.value", kind, amount, "--store", store,
                 "--json"});
  };
  const Outcome timed = spend("--budget-seconds", "0.02", "timed.db");
  ASSERT_EQ(timed.code, 0) << timed.err;
  const std::string told = "to go on later: --budget-steps ";
  const size_t at = timed.err.find(told);
  ASSERT_NE(at, std::string::npos) << timed.err;
  const std::string steps = timed.err.substr(at + told.size(), timed.err.find('\n', at) - at - told.size());
  const Json found = Json::parse(timed.out);
  EXPECT_LE(found.at("steps").get<int64_t>(), std::stoll(steps));
  EXPECT_EQ(found, Json::parse(spend("--budget-steps", steps, "counted.db").out));
  EXPECT_EQ(
      atto({"explore", "plane", "--quantity", "fallen.emerged", "--budget-seconds", "1", "--budget-steps", "100"}).code,
      2);
}

// 9 cells of 4 seeds and 60 steps.
TEST_F(ExploreVerb, ClaimsKeepWithinTheirBudgetFromTheFirstLookOn) {
  for (const std::vector<std::string>& budget : std::vector<std::vector<std::string>>{
           {"--budget-runs", "35"}, {"--budget-steps", "10"}, {"--budget-runs", "3", "--plan"}}) {
    std::vector<std::string> all = {"explore", "plane", "--aim", "claims"};
    all.insert(all.end(), budget.begin(), budget.end());
    const Outcome refused = atto(all);
    EXPECT_EQ(refused.code, 2) << refused.err;
    EXPECT_NE(refused.err.find("the first look, which has 36 runs of 2,160 steps"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("--budget-runs 36 or --budget-steps 2160"), std::string::npos) << refused.err;
  }
  EXPECT_FALSE(fs::exists(folder_ / "results")) << "nothing is trained, and no store is made";
  const Outcome timed = atto({"explore", "plane", "--aim", "claims", "--budget-seconds", "0.000001"});
  EXPECT_EQ(timed.code, 2) << timed.err;
  EXPECT_NE(timed.err.find("the budget of 1e-06 s is "), std::string::npos) << timed.err;
  EXPECT_EQ(atto_json({"show", "--json"}).at("runs"), 0);
  const Outcome enough = atto({"explore", "plane", "--aim", "claims", "--budget-runs", "36", "--json"});
  EXPECT_EQ(enough.code, 0) << enough.err;
}

TEST_F(ExploreVerb, SaysWhatEndedIt) {
  const std::vector<std::string> contour = {"explore",     "plane", "--quantity",  "fallen.emerged",
                                            "--tolerance", "0.02",  "--most-runs", "8"};
  const Outcome shown = atto(contour);
  EXPECT_NE(shown.out.find("what is open has 8 runs in each cell, as many as --most-runs gives"), std::string::npos)
      << shown.out << shown.err;
  EXPECT_EQ(shown.out.find("budget"), std::string::npos) << shown.out;
  std::vector<std::string> all = contour;
  all.push_back("--json");
  const Json most = atto_json(all);
  EXPECT_EQ(most.at("ended"), "most runs");
  EXPECT_EQ(most.at("spent"), false);
  all.insert(all.end(), {"--budget-runs", "20"});
  const Json budget = atto_json(all);
  EXPECT_EQ(budget.at("ended"), "budget");
  EXPECT_EQ(budget.at("spent"), true);
}

TEST_F(ExploreVerb, RefusesAFigureThatItCannotWriteBeforeItTrains) {
  fs::create_directory(folder_ / "folder.svg");
  for (const char* output : {"out.txt", "folder.svg", "new/.svg/"}) {
    const Outcome refused = atto(words({"--quantity", "fallen.emerged"}, {"--output", output}));
    EXPECT_EQ(refused.code, 2) << output << refused.err;
  }
  EXPECT_EQ(atto(words({"--quantity", "fallen.emerged"}, {"--output", "/proc/nowhere/effort.svg"})).code, 6);
  EXPECT_FALSE(fs::exists(folder_ / "results")) << "nothing is trained";
}

TEST_F(ExploreVerb, ARoundThatWorkersHaveIsCollectedWithoutAVerdict) {
  const Json answer =
      atto_json(words({"--quantity", "fallen.emerged"}, {"--plan", "--folder", "jobs", "--scratch", "scratch"}));
  const std::string folder = answer.at("waiting").get<std::string>();
  EXPECT_EQ(atto({"collect", folder}).code, 4) << "nothing is trained yet";
  // Nobody has submitted it, so no queue is asked, whether there is one or not.
  const Outcome status = atto({"status", folder}, {"PATH=/nowhere"});
  EXPECT_NE(status.out.find("Workers: 1 planned\n"), std::string::npos) << status.out;
  EXPECT_NE(status.out.find("waits to be started. The worker: "), std::string::npos) << status.out;
  EXPECT_NE(status.out.find(" work " + folder + " --task 1\n"), std::string::npos) << status.out;
  EXPECT_EQ(status.out.find("gone"), std::string::npos) << status.out;
  EXPECT_EQ(atto_json({"status", folder, "--json"}).at("tasks").at(0).at("standing"), "planned");
  ASSERT_EQ(atto({"work", folder, "--task", "1"}).code, 0);
  const Outcome merged = atto({"collect", folder});
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_NE(merged.err.find("a round of an exploration"), std::string::npos) << merged.err;
}

TEST_F(ExploreVerb, RefusesOptionsThatWouldDoNothing) {
  const std::vector<std::string> contour = {"--quantity", "fallen.emerged"};
  const std::vector<std::string> optimum = {"--aim", "optimum", "--quantity", "final.value"};
  const std::vector<std::string> claims = {"--aim", "claims"};
  using Words = std::vector<std::string>;
  const std::vector<std::pair<Words, Words>> idle = {{contour, {"--seeds", "4"}},
                                                     {contour, {"--until", "decided"}},
                                                     {contour, {"--most", "8"}},
                                                     {contour, {"--largest"}},
                                                     {contour, {"--nodes", "2"}},
                                                     {contour, {"--folder", "jobs"}},
                                                     {optimum, {"--level", "0.5"}},
                                                     {optimum, {"--tolerance", "0.1"}},
                                                     {optimum, {"--refine", "0"}},
                                                     {optimum, {"--seeds", "4"}},
                                                     {claims, {"--quantity", "final.value"}},
                                                     {claims, {"--batch", "4"}},
                                                     {claims, {"--most-runs", "4"}},
                                                     {claims, {"--output", "effort.svg"}},
                                                     {claims, {"--scratch", "here"}}};
  for (const auto& [aim, option] : idle) {
    const Outcome refused = atto(words(aim, option));
    EXPECT_EQ(refused.code, 2) << option.front();
    EXPECT_NE(refused.err.find(option.front() + " has no effect "), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("  → "), std::string::npos) << refused.err;
  }
  EXPECT_FALSE(fs::exists(folder_ / "results")) << "nothing is trained";
}

TEST_F(ExploreVerb, RefusesToWaitForNobody) {
  EXPECT_EQ(atto(words({"--quantity", "fallen.emerged"}, {"--wait"})).code, 2);
  EXPECT_EQ(atto(words({"--quantity", "fallen.emerged"}, {"--refine", "9"})).code, 2);
}

}  // namespace
}  // namespace atto::test::explore_verb_test

// Ctrl-C keeps what is finished and says how to go on.
#include <csignal>

#include "app/program.h"
#include "places.h"

namespace atto::test {
namespace {

// Two runs on two threads: one is over at once, the other would last for hours. So the moment of the signal does not
// matter: exactly one run is finished.
constexpr const char* kEndless = R"(title = "One short run, one endless"
[data]
vocab = 4
[training]
batch = 16
[[sweep.cells]]
training.steps = 20
[[sweep.cells]]
training.steps = 1000000000000
[seeds]
count = 1
[[observe]]
what = ["perplexity"]
linear = 10
)";

class InterruptTest : public ProgramTest, public testing::WithParamInterface<std::vector<int>> {};

TEST_P(InterruptTest, KeepsFinishedRunsAndTellsHowToContinue) {
  write("studies/endless.toml", kEndless);
  const Outcome outcome = atto_until({"run", "endless", "--threads", "2", "--json"}, "1/2 runs", GetParam());
  EXPECT_EQ(outcome.code, 130);
  EXPECT_EQ(outcome.out, "") << "no half a report";
  EXPECT_NE(outcome.err.find("stopped: 1 of 2 runs are kept in "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(", and 1 more half-way\n"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("continue with: " + program_path() + " run endless --threads 2 --json"), std::string::npos)
      << outcome.err;

  const Json store = ProgramTest::atto_json({"show", "--json"});
  EXPECT_EQ(store.at("runs"), 1);
  EXPECT_EQ(store.at("studies")[0].at("runs"), 1);
  EXPECT_EQ(store.at("studies")[0].at("runs_asked"), 2);
  // What is missing trains on the next call: a shorter cell instead of the endless one, the finished one from the
  // store.
  const Outcome next = atto({"run", "endless", "--set", "training.steps=20"});
  EXPECT_NE(next.err.find("trained 0 runs, 1 were in the store"), std::string::npos) << next.err;
}

// `timeout` sends its signal twice: two that come together are one wish.
INSTANTIATE_TEST_SUITE_P(Signals, InterruptTest,
                         testing::Values(std::vector{SIGINT}, std::vector{SIGTERM}, std::vector{SIGHUP},
                                         std::vector{SIGTERM, SIGINT}));

TEST_F(ProgramTest, ReproduceStopsBetweenAndWithinStudies) {
  write("studies/endless.toml", kEndless);
  const Outcome outcome = atto_until({"reproduce", "--threads", "2"}, "endless: 1/2 runs", {SIGINT});
  EXPECT_EQ(outcome.code, 130);
  EXPECT_NE(outcome.err.find("tiny: 2 claims: 1 supported, 1 refuted, 0 inconclusive"), std::string::npos)
      << "how the quicker studies came out was said: " << outcome.err;
  EXPECT_NE(outcome.err.find("stopped: 29 of 30 runs"), std::string::npos) << outcome.err;
}

// Looks at claims of which one stays open: the runs of the later looks last long enough to be stopped among them.
constexpr const char* kLooks = R"(title = "Looks"
[data]
vocab = 5
[training]
batch = 64
steps = 6000
[seeds]
count = 8
until = "decided"
most = 40
[[observe]]
what = ["perplexity"]
linear = 20
[[phenomenon]]
name = "final"
detector = "value"
series = "perplexity"
[[claim]]
id = "clear"
statement = "It ends above one."
quantity = "final.value"
statistic = "median"
above = 0
[[claim]]
id = "never"
statement = "It is about runs that there are none of."
quantity = "final.value"
statistic = "median"
given = "beyond.emerged"
region = [1, 2]
[[phenomenon]]
name = "beyond"
detector = "emergence"
direction = "below"
threshold = 0.5
)";

TEST_F(ProgramTest, StoppedBetweenLooksItComesToTheSameVerdicts) {
  write("studies/looks.toml", kLooks);
  const std::vector<std::string> command{"reproduce", "looks", "--threads", "1", "--json"};
  const Outcome stopped = atto_until(command, "looks: look 1 of at most", {SIGINT});
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_EQ(stopped.out, "");
  EXPECT_NE(stopped.err.find("\n  never: "), std::string::npos) << stopped.err;
  const int64_t kept = atto_json({"show", "--json"}).at("runs");
  EXPECT_GE(kept, 8) << "those of the first look";
  EXPECT_LT(kept, 40) << "it was over before it was stopped";
  const Outcome resumed = atto(command);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  const Outcome whole = atto({"reproduce", "looks", "--threads", "2", "--json", "--store", "whole.db"});
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(resumed.out, whole.out);
  EXPECT_EQ(Json::parse(whole.out)[0].at("verdict"), "supported");
  EXPECT_EQ(Json::parse(whole.out)[1].at("verdict"), "inconclusive");
  EXPECT_EQ(Json::parse(whole.out)[1].at("looks"), 5) << "8, 12, 18, 27 and 40 seeds";
}

// One run, with enough of a record to show a difference.
constexpr const char* kLong = R"(title = "One long run"
[data]
vocab = 5
[training]
batch = 64
steps = 500000
[seeds]
count = 1
[[observe]]
what = ["perplexity", "embedding"]
every = 4000
)";

TEST_F(ProgramTest, KilledInTheMiddleOfARunItGoesOnFromTheCheckpoint) {
  write("studies/long.toml", kLong);
  std::vector<std::string> command;
  const auto unfinished = [&] {
    std::vector<std::string> look = command;
    look.insert(look.end(), {"--dry-run", "--json"});
    const Json forecast = Json::parse(atto(look).out, nullptr, false);
    return forecast.is_array() && forecast[0].at("unfinished") == 1;
  };
  // The faster the machine, the longer the run must be: it goes on while somebody looks how far it is.
  std::string steps;
  for (const char* longer : {"500000", "2000000", "8000000", "32000000"}) {
    steps = "training.steps=" + std::string(longer);
    command = {"run", "long", "--set", steps, "--checkpoint", "0.001"};
    atto_killed_when(command, unfinished);
    if (unfinished()) break;
  }
  ASSERT_TRUE(unfinished()) << "it was over before it could be killed";

  const Outcome resumed = atto(command);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find(", 1 from a checkpoint"), std::string::npos) << resumed.err;
  EXPECT_EQ(atto({"run", "long", "--set", steps, "--store", "whole.db", "--checkpoint", "0"}).code, 0);
  const std::string run = atto_json({"show", "long", "--set", steps, "--json"}).at("cells")[0].at("run_ids")[0];
  for (const std::string format : {"csv", "npz", "safetensors"}) {
    std::vector<std::string> files;
    for (const std::string store : {"results/atto.db", "whole.db"}) {
      const std::string file = "out." + format;
      const Outcome exported = atto({"export", run, "--store", store, "--format", format, "--output", file});
      EXPECT_EQ(exported.code, 0) << format << ": " << exported.err;
      files.push_back(read(file));
    }
    EXPECT_FALSE(files[0].empty());
    EXPECT_TRUE(files[0] == files[1]) << format;
  }
}

}  // namespace
}  // namespace atto::test

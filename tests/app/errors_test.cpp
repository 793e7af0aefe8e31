// Bad input: what is wrong, what to do, and the documented exit code.
#include "app/program.h"
#include "places.h"

namespace atto::test {
namespace {

struct Slip {
  std::vector<std::string> arguments;
  int code;
  std::string message;  // part of standard error
};

class ErrorsTest : public ProgramTest {
 protected:
  void expect(const Slip& slip) const {
    const Outcome outcome = atto(slip.arguments);
    std::string command;
    for (const auto& word : slip.arguments) command += " " + word;
    EXPECT_EQ(outcome.code, slip.code) << command << "\n" << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("error: ")) << command << "\n" << outcome.err;
    EXPECT_NE(outcome.err.find(slip.message), std::string::npos) << command << "\n" << outcome.err;
    EXPECT_NE(outcome.err.find("\n  → "), std::string::npos) << "no remedy: " << command << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << command;
  }
};

TEST_F(ErrorsTest, UsageIsTwo) {
  expect({{"rnu", "tiny"}, 2, "did you mean 'run'?"});
  expect({{"run", "tiny", "--seedz", "3"}, 2, "did you mean '--seeds'?"});
  expect({{"run"}, 2, "needs the name of a study"});
  for (const char* verb : {"status", "work", "collect"}) expect({{verb}, 2, "needs the folder of a job"});
  for (const std::vector<std::string>& words : {std::vector<std::string>{"merge"}, {"merge", "one.db"}})
    expect({words, 2, "merge needs a store to merge into and at least one to merge"});
  expect({{"run", "tiny", "map"}, 2, "'map' is one argument too many"});
  expect({{"run", "tiny", "--seeds", "many"}, 2, "--seeds = many is not a whole number"});
  expect({{"run", "tiny", "--threads", "-1"}, 2, "--threads"});
  expect({{"--colour"}, 2, "unknown option '--colour'"});
  expect({{"help", "keyz"}, 2, "did you mean 'keys'?"});
  expect({{"export", "tiny", "--format", "xls"}, 2, "xls"});
  expect({{"run", "tiny", "--seeds", "0"}, 2, "→ leave it out for the study's own number"});
  expect({{"run", "tiny", "--seeds", "-3"}, 2, "--seeds = -3 is not allowed"});
  expect({{"run", "tiny", "--most", "64"}, 2, "→ add --until decided"});
}

TEST_F(ErrorsTest, StudyAndConfigurationAreThree) {
  expect({{"run", "tiny", "--set", "network.widht=3"}, 3, "did you mean 'network.width'?"});
  expect({{"run", "tiny", "--set", "network.width=abc"}, 3, "expected an integer from 1"});
  expect({{"run", "tiny", "--set", "network.width"}, 3, "--set"});
  expect({{"run", "tiny", "--set", "network.width=abc"}, 3, "→ `atto help keys` says what each key allows"});
  expect({{"run", "tiny", "--until", "decided", "--most", "4"}, 3, "below the first look"});
  expect({{"run", "tiny", "--profile", "ful"}, 3, "did you mean 'full'?"});
  expect({{"run", "tiny", "--profile", "nope"}, 3, "→ its profiles are quick, full"});
  expect({{"reproduce", "--profile", "nope"}, 3, "→ the profiles are full, quick"});
  write("slip.toml", "[data]\nvocb = 4\n[[observe]]\nwhat = [\"perplexity\"]\n");
  expect({{"run", "slip.toml", "--json"}, 3, "slip.toml:2:1: "});
  expect({{"run", "slip.toml"}, 3, "vocab"});
}

// What is wrong with a claim or a figure comes with the way to mend it.
TEST_F(ErrorsTest, FaultsOfAStudyHaveARemedy) {
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = read("studies/tiny.toml");
    text.replace(text.find(from), from.size(), to);
    write("slip.toml", text);
    return std::vector<std::string>{"run", "slip.toml"};
  };
  expect({with("T-fails", "T-holds"), 3, "→ give each claim an id of its own"});
  expect({with("region = [1, 5]", "region = [5, 1]"), 3, "→ write [low, high]"});
  expect({with("region = [1, 5]", "region = [-inf, inf]"), 3, "→ write [low, high]"});
  expect({with("region = [1, 5]", "region = [1, 5]\nmargin = -1"), 3, "margin = 0.05"});
  expect({with("[seeds]", "[[figure]]\nname = \"a\"\nkind = \"curves\"\n[seeds]"), 3, "→ add title = …"});
}

TEST_F(ErrorsTest, AnObservableThatIsNotThereNamesThoseThatAre) {
  ASSERT_EQ(atto({"run", "tiny", "--seeds", "1"}).code, 0);
  expect({{"export", "tiny", "--observable", "nosuch"}, 2, "→ recorded is perplexity, accuracy, embedding"});
  expect({{"show", "tiny", "--observable", "nosuch"}, 2, "→ it has perplexity, accuracy\n"});
  const std::string said = atto({"show", "tiny", "--observable", "embedding"}).err;
  const size_t start = said.find(" show ") + 6;
  const std::string run = said.substr(start, said.find(' ', start) - start);
  EXPECT_EQ(atto({"show", run, "--observable", "embedding"}).code, 0) << said;
}

TEST_F(ErrorsTest, MissingIsFour) {
  expect({{"run", "tinny"}, 4, "did you mean 'tiny'?"});
  expect({{"run", "nothing.toml"}, 4, "nothing.toml"});
  expect({{"run", "studies/"}, 4, "'studies/' is a folder, not the file of a study"});
  expect({{"run", "./studies"}, 4, "together with --studies ./studies"});
  expect({{"show"}, 4, "atto.db"});
  ASSERT_EQ(atto({"run", "tiny", "--seeds", "1"}).code, 0);
  expect({{"show", "map"}, 4, "holds no run of map"});
  expect({{"export", "map"}, 4, "holds no run of map"});
  expect({{"show", "0123456789"}, 4, "no run whose id begins with '0123456789'"});
}

TEST_F(ErrorsTest, StoreIsFive) {
  write("notes.db", "this is not a database, but long enough to be looked at as one, or so one would think at first");
  expect({{"run", "tiny", "--store", "notes.db"}, 5, "notes.db"});
  expect({{"show", "--store", "notes.db"}, 5, "notes.db"});
  EXPECT_TRUE(read("notes.db").starts_with("this is not")) << "what is not ours stays as it is";
}

TEST_F(ErrorsTest, ResourcesAreSix) {
  // Terabytes, on however many cores: no machine trains this instead of refusing it.
  expect({{"run", "tiny", "--threads", "28", "--set", "data.context=4096", "--set", "training.batch=1048576", "--set",
           "network.width=1024", "--set", "network.layers=24"},
          6,
          "memory"});
  ASSERT_EQ(atto({"run", "tiny", "--seeds", "1"}).code, 0);
  expect({{"export", "tiny", "--output", "/proc/nowhere"}, 6, "cannot write"});
  expect({{"report", "tiny", "--output", "studies"}, 6, "it is a folder"});
  std::filesystem::create_symlink("nowhere", folder_ / "studies/ledger.json");
  expect({{"ledger", "--write"}, 6, "→ it stands beside the studies"});
}

TEST_F(ErrorsTest, OutputThatCannotBeWrittenIsAnError) {
  const std::string command = program_path() + " help keys > /dev/full 2> " + (folder_ / "err").string();
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 6);
  EXPECT_NE(read("err").find("error: the output could not be written"), std::string::npos);
}

TEST_F(ErrorsTest, AClosedPipeIsQuiet) {
  const std::string command = "{ " + program_path() + " help keys; } 2> " + (folder_ / "err").string() + " | true";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read("err"), "");
}

TEST_F(ErrorsTest, AnUnknownInstructionSetIsRefused) {
  const Outcome outcome = atto({"list"}, {"ATTO_TARGET=abacus"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("abacus"), std::string::npos);
}

}  // namespace
}  // namespace atto::test

// Files from others: whatever is in them, the program ends with a message and one of its exit codes.
#include <SQLiteCpp/SQLiteCpp.h>

#include "app/program.h"
#include "lab/store/row.h"
#include "lab/store/store.h"

namespace atto::test {
namespace {

namespace fs = std::filesystem;

class HostileStoreTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    ASSERT_EQ(atto({"run", "tiny", "--seeds", "1", "--json"}).code, 0);
  }
  SQLite::Database database() const { return {(folder_ / "results/atto.db").string(), SQLite::OPEN_READWRITE}; }
  void forge_run(const std::string& id, const std::string& config, int64_t series_count, int64_t weights_count = 0) {
    SQLite::Database open = database();
    SQLite::Statement run(open, "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    RowWriter row(run);
    row.text(id).integer(kEngineRevision).text(config).integer(1).integer(1).integer(100).integer(std::nullopt);
    row.integer(0).real(std::nullopt).integer(series_count).integer(weights_count).insert();
    SQLite::Statement timing(open, "INSERT INTO timings VALUES (?, ?, ?)");
    RowWriter(timing).text(id).real(1).insert();
  }
  void forge_series(const std::string& run, int64_t position, const std::string& address, const std::string& shape,
                    size_t steps, size_t values) {
    SQLite::Database open = database();
    SQLite::Statement insert(open, "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    const std::vector<int64_t> when(steps, 1);
    const std::vector<float> data(values, 0.5f);
    const std::string type = "<f4";
    RowWriter row(insert);
    row.text(run).integer(position).text(address).text(shape).text(type).blob(when).blob(data).insert();
  }
  void expect_refused(const std::vector<std::string>& arguments) {
    const Outcome outcome = atto(arguments);
    EXPECT_EQ(outcome.code, 5) << outcome.out << outcome.err;
    EXPECT_NE(outcome.err.find("atto check"), std::string::npos) << outcome.err;
  }
};

TEST_F(HostileStoreTest, AMapWiderThanItsTokensIsDrawn) {
  forge_run("aaaa1111", "{}", 3);
  forge_series("aaaa1111", 0, "layer.0.attention.pattern", "[4,4]", 1, 16);
  forge_series("aaaa1111", 1, "probe.tokens", "[2]", 1, 2);
  forge_series("aaaa1111", 2, "embedding", "[0,2]", 1, 0);
  const Outcome outcome = atto({"show", "aaaa1111"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("tokens 0.5 0.5\n"), std::string::npos) << outcome.out;
  forge_run("bbbb1111", "{}", 1);
  forge_series("bbbb1111", 0, "layer.0.attention.pattern", "[0,4,4]", 3, 0);
  EXPECT_EQ(atto({"show", "bbbb1111"}).code, 0);
}

TEST_F(HostileStoreTest, CountsAndShapesAreRefused) {
  forge_run("aaaa1111", "{}", 1'000'000'000'000);
  expect_refused({"show", "aaaa1111"});
  forge_run("bbbb1111", "{}", 1);
  forge_series("bbbb1111", 0, "embedding", "[4294967296,4294967296,0]", 1, 0);
  expect_refused({"show", "bbbb1111"});
}

TEST_F(HostileStoreTest, SettingsThatCannotBeReadAreRefused) {
  const std::string deep = "{\"a\":" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}";
  forge_run("aaaa1111", deep, 0);
  forge_run("bbbb1111", "no JSON", 0);
  forge_run("cccc1111", "[1]", 0);
  for (const char* run : {"aaaa1111", "bbbb1111", "cccc1111"}) {
    expect_refused({"show", run});
    expect_refused({"export", run, "--format", "safetensors"});
  }
  forge_run("dddd1111", R"({"network.heads": 0})", 0);
  EXPECT_EQ(atto({"export", "dddd1111", "--format", "safetensors"}).code, 0);
}

TEST_F(HostileStoreTest, NothingIsExportedOutsideTheFolder) {
  forge_run("abcd/../../../esc", "{}", 0);
  expect_refused({"export", "abcd", "--output", "out/deep"});
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(HostileStoreTest, VerdictsThatAreNoneCountAsNone) {
  for (const std::string& json :
       {std::string("no JSON"), std::string("7"), std::string(R"([7, {"verdict": 7}])"), std::string(100'000, '[')}) {
    SQLite::Database open = database();
    SQLite::Statement insert(open, "INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?)");
    const std::string study = "tiny", profile = "quick seeds=1";
    RowWriter(insert).text(study).text(profile).text(json).insert();
    const Json shown = atto_json({"show", "--json"});
    EXPECT_TRUE(shown.at("studies").at(0).at("verdicts").empty()) << shown.dump();
  }
}

TEST_F(HostileStoreTest, TextsDoNotCommandTheTerminal) {
  forge_run("aaaa1111", R"({"key\u001b]0;owned\u0007": "value\u009b2J"})", 0);
  const Outcome outcome = atto({"show", "aaaa1111"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(outcome.out.find("\xC2\x9B"), std::string::npos);
  EXPECT_NE(outcome.out.find("key\\u001b]0;owned\\u0007"), std::string::npos) << outcome.out;
}

TEST_F(ProgramTest, TitlesDoNotCommandTheTerminal) {
  std::string text = read("studies/tiny.toml");
  text.replace(text.find("Copying, very small"), 7, "Copying\\u001b[2J\\u0007");
  write("studies/tiny.toml", text);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"list"}, {"run", "tiny", "--seeds", "1"}}) {
    const Outcome outcome = atto(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ((outcome.out + outcome.err).find_first_of("\x1b\x07"), std::string::npos);
    EXPECT_NE(outcome.out.find("Copying\\u001b[2J\\u0007, very small"), std::string::npos) << outcome.out;
  }
}

TEST_F(ProgramTest, KeysWithoutEndAreRefused) {
  std::string key = "a";
  for (int part = 0; part < 13'000; ++part) key += ".a";
  for (const std::string& text :
       {key + " = 1\n", "[" + key + "]\n", "a = { " + key + " = 1 }\n", "[[" + key + "]]\n"}) {
    write("deep.toml", "title = \"Deep\"\n" + text);
    const Outcome outcome = atto({"run", "deep.toml"});
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_NE(outcome.err.find("deep.toml:2:"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("more than 32 parts"), std::string::npos) << outcome.err;
  }
  write("deep.toml", "a = " + std::string(13'000, '[') + std::string(13'000, ']') + "\n");
  EXPECT_EQ(atto({"run", "deep.toml"}).code, 3);
}

TEST_F(ProgramTest, DotsInTextsAreNoParts) {
  const std::string dots(200, '.');
  std::string text = read("studies/tiny.toml");
  text.replace(text.find("a test"), 6, "a \\\" " + dots);
  write("dots.toml", "summary = \"\"\"\n'\"" + dots + "\n\"\"\"\n" + text + "# ' " + dots + "\n");
  EXPECT_EQ(atto({"run", "dots.toml", "--dry-run"}).code, 0) << atto({"run", "dots.toml", "--dry-run"}).err;
}

}  // namespace
}  // namespace atto::test

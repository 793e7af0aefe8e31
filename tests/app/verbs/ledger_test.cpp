// atto ledger, and what the other verbs say of the record of claims.
#include "app/program.h"

namespace atto::test {
namespace {

constexpr const char* kAsked = R"(title = "Asked"
origin = "figure"
scope = "scaled"
scale = ["network.width"]
calibrated = "The recipe was chosen to match the figure."
[data]
vocab = 4
context = 2
[network]
width = 3
[training]
batch = 16
steps = 20
[seeds]
count = 6
[[observe]]
what = ["perplexity"]
every = 2
[[phenomenon]]
name = "final"
detector = "value"
series = "perplexity"
[[claim]]
id = "A.1"
statement = "The perplexity ends below a thousand"
quantity = "final.value"
statistic = "median"
region = [0, 1000]
[[claim]]
id = "A.2"
statement = "The perplexity ends above a thousand"
origin = "ours"
quantity = "final.value"
statistic = "median"
region = [1000, inf]
)";

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

class LedgerVerbTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write("studies/asked.toml", kAsked);
  }
  void widen() const {
    std::string text = kAsked;
    write("studies/asked.toml", text.replace(text.find("[0, 1000]"), 9, "[0, 2000]"));
  }
  Json status() const { return atto_json({"ledger", "asked", "--json"}); }
};

TEST_F(LedgerVerbTest, FixedNewAndRevised) {
  EXPECT_EQ(status()[0].at("status"), "new");
  const Outcome written = atto({"ledger", "--write"});
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_TRUE(has(written.err, "studies/ledger.json: 4 entries added")) << written.err;  // tiny has two claims
  EXPECT_TRUE(has(written.out, "fixed beforehand (ledger)")) << written.out;
  const std::string ledger = read("studies/ledger.json");
  EXPECT_TRUE(has(atto({"ledger", "--write"}).err, "0 entries added"));
  EXPECT_EQ(read("studies/ledger.json"), ledger);

  Json verdicts = atto_json({"reproduce", "asked", "--json"});
  EXPECT_EQ(verdicts[0].at("status"), "fixed");
  EXPECT_EQ(verdicts[0].at("origin"), "figure");
  EXPECT_EQ(verdicts[0].at("scope"), "scaled");
  EXPECT_EQ(verdicts[0].at("at"), "width 3");
  EXPECT_EQ(verdicts[0].at("verdict"), "supported");

  widen();
  EXPECT_EQ(status()[0].at("text"), "revised since the ledger");
  verdicts = atto_json({"reproduce", "asked", "--json"});
  EXPECT_EQ(verdicts[0].at("status"), "revised");
  EXPECT_EQ(verdicts[1].at("status"), "fixed");
  EXPECT_TRUE(has(atto({"ledger", "--write"}).err, "1 entry added"));
  EXPECT_EQ(status()[0].at("text"), "revised after 6 runs (ledger)");
  EXPECT_EQ(status()[0].at("runs"), 6);
}

TEST_F(LedgerVerbTest, TheStoreAloneNoticesAChange) {
  EXPECT_EQ(atto_json({"reproduce", "asked", "--json"})[0].at("status_text"), "fixed beforehand (store)");
  EXPECT_EQ(atto_json({"reproduce", "asked", "--json"})[0].at("status"), "fixed");
  widen();
  EXPECT_EQ(atto_json({"reproduce", "asked", "--json"})[0].at("status_text"), "revised after 6 runs (store)");
  EXPECT_EQ(atto_json({"show", "asked", "--json"}).at("claims")[0].at("status"), "revised");
  EXPECT_EQ(atto_json({"reproduce", "asked", "--json", "--seeds", "4"})[0].at("status"), "altered");
}

TEST_F(LedgerVerbTest, WordsOffThePublishedScope) {
  const std::string out = atto({"reproduce", "asked"}).out;
  EXPECT_TRUE(has(out, "found at width 3")) << out;
  EXPECT_TRUE(has(out, "1 reading of a figure scaled down: 1 found, 0 not found, 0 inconclusive")) << out;
  EXPECT_TRUE(has(out, "1 question of the lab's own: 0 supported, 1 refuted, 0 inconclusive")) << out;
  EXPECT_TRUE(has(out, "2 fixed beforehand")) << out;
  const std::string report = read("results/report.html");
  EXPECT_TRUE(has(report, "The recipe was chosen to match the figure."));
  EXPECT_TRUE(has(report, "<small> at width 3</small>"));
  EXPECT_TRUE(has(report, "1 reading of a figure scaled down: 1 found"));
}

TEST_F(LedgerVerbTest, AnUnreadableLedgerIsNamedWithItsLine) {
  atto({"ledger", "--write"});
  std::string text = read("studies/ledger.json");
  write("studies/ledger.json", text.replace(text.find("\n]"), 2, "\n=======\n]"));
  const Outcome outcome = atto({"ledger"});
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(has(outcome.err, "studies/ledger.json:6: expected an entry")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "git checkout")) << outcome.err;
}

// The recipes' runs are looked at, too, so what was asked is written down before them.
TEST_F(LedgerVerbTest, RecipesAreAskedBeforehand) {
  write("studies/asked.toml", std::string(kAsked) +
                                  "[multiverse]\nclaims = [\"A.1\"]\nseeds = 6\n"
                                  "[multiverse.choices]\ntraining.batch = [16, 32]\n");
  ASSERT_EQ(atto({"multiverse", "asked"}).code, 0);
  EXPECT_EQ(atto_json({"reproduce", "asked", "--json"})[0].at("status_text"), "fixed beforehand (store)");
}

}  // namespace
}  // namespace atto::test

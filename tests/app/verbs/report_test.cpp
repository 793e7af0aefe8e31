// report and figure, without a browser: what is written, where, and what is said when it cannot be.
#include <array>
#include <filesystem>
#include <set>
#include <thread>

#include "app/program.h"
#include "report/assets.h"

namespace atto::test::report_test {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

using ReportVerbTest = ProgramTest;

TEST_F(ReportVerbTest, ReproduceEndsWithTheReport) {
  const Outcome outcome = atto({"reproduce"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "The report with all figures: results/report.html")) << outcome.out;
  const std::string page = read("results/report.html");
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(contains(page, "T-holds"));
  EXPECT_TRUE(contains(page, "<code>atto figure tiny/curves --svg</code>"));
  // Under the same name: the figures' links hold the name of the playground next to the report.
  ASSERT_EQ(atto({"report", "--output", "again/report.html"}).code, 0);
  EXPECT_EQ(page, read("again/report.html")) << "the same store gives the same bytes";
}

TEST_F(ReportVerbTest, WithoutAStoreTheReportSaysSo) {
  const Outcome outcome = atto({"report"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "there is no store at results/atto.db yet")) << outcome.err;
  const std::string page = read("results/report.html");
  EXPECT_TRUE(contains(page, "There is no store at results/atto.db yet."));
  EXPECT_TRUE(contains(page, "None of its 16 runs is in the store."));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "results/atto.db")) << "reading makes no store";
}

TEST_F(ReportVerbTest, AStoreThatIsNamedMustBeThere) {
  const Outcome outcome = atto({"report", "tiny", "--store", "typo.db"});
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "there is no store here")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "report.html"));
}

TEST_F(ReportVerbTest, NothingIsPutNextToADevice) {
  ASSERT_EQ(atto({"run", "tiny", "--seeds", "1"}).code, 0);
  std::filesystem::create_directory(folder_ / "out");
  std::filesystem::create_symlink("/dev/null", folder_ / "out/nothing");
  const Json written = atto_json({"report", "tiny", "--seeds", "1", "--output", "out/nothing", "--json"});
  EXPECT_TRUE(written.at("playground").is_null());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/nothing-playground.html"));
  const Outcome piped = atto({"report", "tiny", "--seeds", "1", "--output", "/dev/stdout"});
  ASSERT_EQ(piped.code, 0) << piped.err;
  EXPECT_TRUE(piped.out.starts_with("<!doctype html>"));
  EXPECT_TRUE(piped.out.ends_with("</html>\n")) << "nothing else is there";
  EXPECT_TRUE(contains(piped.err, "/dev/stdout: 2 claims")) << piped.err;
  EXPECT_EQ(atto({"report", "tiny", "--output", "/dev/stdout", "--json"}).code, 2);
}

TEST_F(ReportVerbTest, FiguresGoToStandardOutputOrAFolderOfAnotherName) {
  ASSERT_EQ(atto({"run", "tiny", "--seeds", "1"}).code, 0);
  const std::vector<std::string> spec = {"figure", "tiny/curves", "--seeds", "1", "--spec"};
  const auto to = [&](const std::string& output) {
    std::vector<std::string> words = spec;
    words.insert(words.end(), {"--output", output});
    return atto(words);
  };
  const Outcome piped = to("/dev/stdout");
  ASSERT_EQ(piped.code, 0) << piped.err;
  EXPECT_EQ(piped.out, atto(spec).out);
  const Outcome slip = to("figs/a.png");
  EXPECT_EQ(slip.code, 2);
  EXPECT_TRUE(contains(slip.err, "→ name a file that ends with .vl.json, or a folder")) << slip.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "figs"));
}

TEST_F(ReportVerbTest, OneStudyAlone) {
  ASSERT_EQ(atto({"run", "tiny", "--seeds", "2"}).code, 0);
  const Json written = atto_json({"report", "tiny", "--output", "out/tiny.html", "--json"});
  EXPECT_EQ(written.at("report"), "out/tiny.html");
  EXPECT_EQ(written.at("studies"), 1);
  const std::string page = read("out/tiny.html");
  EXPECT_EQ(written.at("bytes"), page.size());
  EXPECT_TRUE(contains(page, "4 of 16 runs are in the store"));
  EXPECT_FALSE(contains(page, "id=\"study-map\""));
}

TEST_F(ReportVerbTest, ADamagedStoreIsAnError) {
  write("results/atto.db", "not a store");
  EXPECT_EQ(atto({"report"}).code, 5);
}

TEST_F(ReportVerbTest, ASpecificationNeedsNoBrowser) {
  ASSERT_EQ(atto({"run", "tiny"}).code, 0);
  const Json spec = atto_json({"figure", "tiny/curves", "--spec"});
  EXPECT_TRUE(contains(spec.at("$schema"), "vega-lite"));
  EXPECT_TRUE(spec.at("config").is_object());
  EXPECT_EQ(spec.at("usermeta").at("atto").at("name"), "tiny/curves");
  const Outcome written = atto({"figure", "tiny", "map", "--spec", "--output", "specs"});
  EXPECT_EQ(written.code, 4) << "map has no runs yet";
  ASSERT_EQ(atto({"figure", "tiny", "--spec", "--output", "specs"}).code, 0);
  EXPECT_EQ(Json::parse(read("specs/tiny-curves.vl.json")), spec);
  EXPECT_NE(atto_json({"figure", "tiny/curves", "--spec", "--theme", "dark"}).at("config"), spec.at("config"));
}

TEST_F(ReportVerbTest, WhatCannotBeDrawnIsSaid) {
  ASSERT_EQ(atto({"run", "tiny", "--seeds", "1"}).code, 0);
  const Outcome unknown = atto({"figure", "tiny/curvs", "--seeds", "1", "--spec"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.err, "'tiny' has no figure 'curvs'; did you mean 'curves'?")) << unknown.err;
  const Outcome still = atto({"figure", "tiny/curves", "--seeds", "1", "--gif"});
  EXPECT_EQ(still.code, 4);
  EXPECT_TRUE(contains(still.err, "does not move")) << still.err;
  EXPECT_TRUE(contains(still.err, "→ --png and --svg draw it")) << still.err;
  const Outcome twice = atto({"figure", "tiny/curves", "tiny", "--seeds", "1", "--spec", "--output", "x"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_TRUE(contains(twice.err, "two figures would be written to 'x/tiny-curves.vl.json'")) << twice.err;
  const Outcome lost = atto({"figure", "tiny/curves", "--seeds", "1", "--svg"}, {"ATTO_BROWSER=/no/such/browser"});
  EXPECT_EQ(lost.code, 4);
  EXPECT_TRUE(contains(lost.err, "$ATTO_BROWSER")) << lost.err;
  const Outcome idle = atto({"figure", "tiny/curves", "--seeds", "1", "--svg"}, {"ATTO_BROWSER=/bin/true"});
  EXPECT_EQ(idle.code, 4) << "no bug of ours";
  EXPECT_TRUE(contains(idle.err, "the browser '/bin/true' drew nothing")) << idle.err;
  const Outcome none = atto({"figure", "tiny/curves", "--seeds", "1", "--svg"}, {"PATH=/nowhere", "ATTO_BROWSER="});
  EXPECT_EQ(none.code, 4);
  EXPECT_TRUE(contains(none.err, "apt install chromium")) << none.err;
}

// Each has a file of its own until it is whole: one wins, none fails, nothing is left over.
TEST_F(ReportVerbTest, ThreeReportsToOneFileAtOnce) {
  ASSERT_EQ(atto({"run", "tiny", "--seeds", "1"}).code, 0);
  std::array<int, 3> codes{-1, -1, -1};
  {
    std::vector<std::jthread> writers;
    for (int& code : codes)
      writers.emplace_back([&] { code = atto({"report", "tiny", "--seeds", "1", "--output", "out/one.html"}).code; });
  }
  EXPECT_EQ(codes, (std::array<int, 3>{0, 0, 0}));
  EXPECT_TRUE(read("out/one.html").ends_with("</html>\n"));
  std::set<std::string> expected{"one.html"};
  if (!assets::playground().empty()) expected.insert("one-playground.html");
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "out")) names.insert(entry.path().filename());
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace atto::test::report_test

// The report as a whole: what is there, what is missing, and that texts stay texts.
#include "report/report.h"

#include "lab/store/store_samples.h"

namespace atto {
namespace {

using TrainRun = Run;  // inside a test, Run is GoogleTest's

constexpr const char* kStudy = R"(
title = "<script>alert(1)</script> & co"
source = "Somebody (2026), https://example.org/post"
summary = "What \"happens\"."
[data]
task = "copy"
context = 2
vocab = 4
[training]
steps = 100
[[observe]]
what = ["perplexity"]
every = 10
[sweep.grid]
network.width = [2, 3]
[seeds]
count = 8
[[phenomenon]]
name = "final"
detector = "value"
series = "perplexity"
[[claim]]
id = "C<1>"
statement = "It </td> ends low"
published = "1 & 2"
quantity = "final.value"
statistic = "median"
where = { network.width = 2 }
region = [0, 1.5]
[[figure]]
name = "low"
kind = "curves"
title = "Low </script> curves"
observables = "perplexity"
note = "A <b>note</b>."
published = "figure \"1\""
)";

class ReportTest : public StoreFolder {
 protected:
  ReportTest() : store_(path(), Store::Mode::write) {}

  void prepare(const std::string& text = kStudy) {
    study_ = parse_study(text, "studies/sample.toml", {});
    cells_ = expand_cells(study_);
    asked_ = expand_runs(study_, cells_);
  }
  void save(size_t first, size_t last, bool diverged = false) {
    for (size_t i = first; i < last; ++i) {
      Recording recording;
      recording.steps_done = 100;
      if (diverged) recording.diverged_at = 20;
      recording.series = {{"perplexity", {}, {0, 50, 100}, {4, 2, 1 + 0.01 * static_cast<double>(i)}}};
      store_.save({{asked_[i].id, "{}", 1, 1, recording, 0.1}});
    }
  }
  std::string html(const std::string& playground = "") {
    std::vector<TrainRun> found = asked_;
    std::erase_if(found, [&](const TrainRun& run) { return !store_.has(run.id); });
    std::optional<StudyResult> result;
    if (!found.empty()) result = collect(study_, cells_, found, store_);
    Playground live{playground, {}};
    for (const TrainRun& run : found) live.seconds[run.id] = 0.1;
    Report report(live);
    const StudyReport one{study_,   result ? &*result : nullptr, std::ssize(asked_), std::ssize(found),
                          "sample", " --profile quick"};
    report.add(one, &store_);
    return report.html();
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  static size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
  // Without the bundled script, whose text is not ours.
  static std::string body(const std::string& page) { return page.substr(0, page.rfind("<footer")); }

  Store store_;
  Study study_;
  std::vector<Cell> cells_;
  std::vector<TrainRun> asked_;
};

TEST_F(ReportTest, ClaimsLeadToTheirFigures) {
  prepare();
  save(0, 16);
  const std::string page = body(html());
  EXPECT_TRUE(contains(page, "1 claim: 1 supported, 0 refuted, 0 inconclusive.")) << page.substr(0, 3000);
  EXPECT_TRUE(contains(page, "<a href=\"#study-sample--figure-low\">C&lt;1&gt;</a>"));
  EXPECT_TRUE(contains(page, "<figure id=\"study-sample--figure-low\" class=\"full\">"));
  EXPECT_TRUE(contains(page, "<td>1 &amp; 2</td>"));
  EXPECT_TRUE(contains(page, "<td class=\"verdict\">supported<small>"));
  EXPECT_TRUE(contains(page, "<code>atto figure sample/low --profile quick --svg</code>"));
  EXPECT_TRUE(contains(page, "Published counterpart: figure &quot;1&quot;."));
  EXPECT_TRUE(contains(page, "<a href=\"https://example.org/post\" rel=\"noopener\">"));
  EXPECT_FALSE(contains(page, "class=\"notice\""));
}

TEST_F(ReportTest, BeginsWithAnswers) {
  prepare();
  save(0, 16);
  const std::string page = body(html());
  const size_t answers = page.find("<section id=\"answers\">"), claims = page.find("<section id=\"claims\">");
  ASSERT_LT(answers, claims);
  const std::string first = page.substr(answers, claims - answers);
  EXPECT_TRUE(contains(first, "<h3>Somebody (2026)</h3>")) << first;
  EXPECT_TRUE(contains(first, "Asked in <a href=\"#study-sample\">&lt;script&gt;"));
  EXPECT_TRUE(contains(first, "<li>It &lt;/td&gt; ends low: supported, 1.0"));
  EXPECT_TRUE(contains(first, "data-spec=\"study-sample--figure-low\""));
  EXPECT_TRUE(contains(first, "<a class=\"supported\" href=\"#study-sample--claim-1\" aria-label=\"C&lt;1&gt;: It "));
  EXPECT_TRUE(contains(page.substr(claims), "<svg class=\"forest\""));
}

TEST_F(ReportTest, FiguresLeadToThePlaygroundWhereThereIsOne) {
  prepare();
  save(0, 16);
  EXPECT_FALSE(contains(body(html()), "Watch these runs train"));
  const std::string page = body(html("report-playground.html"));
  EXPECT_TRUE(contains(page, "<a href=\"report-playground.html#v=1&amp;study="))
      << page.substr(page.find("<figure"), 3000);
  EXPECT_TRUE(contains(page, ": 16 runs of 2 settings, about 13 s in a browser on one core.")) << "0.1 s each here";
}

TEST_F(ReportTest, TextsOfAStudyStayTexts) {
  prepare();
  save(0, 16);
  const std::string page = body(html());
  EXPECT_FALSE(contains(page, "<script>alert"));
  EXPECT_TRUE(contains(page, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; co"));
  EXPECT_FALSE(contains(page, "It </td>"));
  EXPECT_FALSE(contains(page, "Low </script>"));
  EXPECT_FALSE(contains(page, "<b>note"));
  EXPECT_EQ(count(page, "<script"), count(page, "</script>"));
}

TEST_F(ReportTest, APartialStoreIsSaidAndStillDrawn) {
  prepare();
  save(0, 3);
  const std::string page = body(html());
  EXPECT_TRUE(contains(page, "3 of 16 runs are in the store"));
  EXPECT_TRUE(contains(page, "atto run sample --profile quick"));
  EXPECT_TRUE(contains(page, "application/json"));
  EXPECT_TRUE(contains(page, "<td class=\"verdict\">inconclusive<small>"));
}

TEST_F(ReportTest, AnEmptyStoreIsSaid) {
  prepare();
  const std::string page = body(html());
  EXPECT_TRUE(contains(page, "None of its 16 runs is in the store."));
  EXPECT_TRUE(contains(page, "1 claim: 1 not judged."));
  EXPECT_TRUE(contains(page, "<tr class=\"unjudged\""));
  EXPECT_TRUE(contains(page, "<a href=\"#study-sample\">C&lt;1&gt;</a>")) << "without figures it leads to the study";
}

TEST_F(ReportTest, OnlyDivergedRunsAreSaid) {
  prepare();
  save(0, 16, true);
  const std::string page = body(html());
  EXPECT_TRUE(contains(page, "All of its runs diverged."));
  EXPECT_TRUE(contains(page, "(8 diverged)")) << "beside the claim, which speaks of one cell";
}

TEST_F(ReportTest, ASingleSeedIsSaid) {
  std::string text = kStudy;
  text.replace(text.find("count = 8"), 9, "count = 1");
  prepare(text);
  save(0, 2);
  EXPECT_TRUE(contains(body(html()), "One seed each: chance and law cannot be told apart here."));
}

TEST_F(ReportTest, TheSameStoreGivesTheSameBytes) {
  prepare();
  save(0, 16);
  EXPECT_EQ(html(), html());
}

TEST_F(ReportTest, StudiesOfOneNameHaveIdsOfTheirOwn) {
  prepare();
  Report report;
  const StudyReport one{study_, nullptr, 16, 0, "a/sample.toml", ""},
      other{study_, nullptr, 16, 0, "b/sample.toml", ""};
  report.add(one, nullptr);
  report.add(other, nullptr);
  const std::string page = body(report.html());
  EXPECT_EQ(count(page, "id=\"study-sample\""), 1u);
  EXPECT_EQ(count(page, "id=\"study-sample-2\""), 1u);
  EXPECT_EQ(count(page, "id=\"study-sample-2--claim-1\""), 1u);
}

}  // namespace
}  // namespace atto

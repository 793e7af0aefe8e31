// Verdicts in words: why a claim is open, which interval is shown, how many came out how, and what was found.
#include <gtest/gtest.h>

#include "lab/results/answers.h"
#include "lab/results/claim_status.h"
#include "lab/results/format_text.h"

namespace atto::verdict_text_test {
namespace {

Verdict open(OpenReason reason, std::optional<double> needed = {}) {
  Verdict verdict;
  verdict.reason = reason;
  verdict.needed = needed;
  verdict.estimate = 0.55;
  verdict.low = 0.52;
  verdict.high = 0.58;
  verdict.seeds = 64;
  return verdict;
}

TEST(ReasonText, SaysWhyInPlainWords) {
  Claim claim;
  claim.margin = 0.1;
  const auto text = [&](const Verdict& verdict) { return reason_text(claim, verdict); };
  EXPECT_EQ(text(open(OpenReason::none)), "");
  EXPECT_EQ(text(open(OpenReason::few)), "too few values");
  EXPECT_EQ(text(open(OpenReason::budget, 1.42)), "budget spent: about 1.4 times its seeds would decide it");
  EXPECT_EQ(text(open(OpenReason::budget, 1.02)), "budget spent: a few more seeds would decide it");
  EXPECT_EQ(text(open(OpenReason::budget)), "budget spent");
  EXPECT_EQ(text(open(OpenReason::edge, 30)), "near the edge: about 30 times its seeds would be needed");
  EXPECT_EQ(text(open(OpenReason::edge, INFINITY)), "near the edge: no number of seeds would be enough");
  Verdict verdict = open(OpenReason::edge, 30);
  verdict.within_margin = true;
  EXPECT_EQ(text(verdict),
            "near the edge: within 0.1 of an end of the region, where the claim says that it makes no difference");
  verdict = open(OpenReason::undecidable);
  verdict.enough = 70;
  EXPECT_EQ(text(verdict), "not decidable by these seeds: no outcome of 64 runs would support it, about 70 could");
  verdict = open(OpenReason::cut_off);
  verdict.censored = 20;
  EXPECT_EQ(
      text(verdict),
      "cut off: 20 of 64 runs ended first, which leaves the interval open; longer runs, or the share by a step, would "
      "tell");
  verdict = open(OpenReason::unknown);
  verdict.missing = 3;
  EXPECT_EQ(text(verdict), "unknown values: 3 of 64 runs have none, which leaves the interval open");
}

TEST(CaveatsText, BeginsWithTheReason) {
  Verdict verdict = open(OpenReason::budget, 2);
  verdict.censored = 3;
  verdict.note = "a note";
  EXPECT_EQ(caveats_text({}, verdict), "budget spent: about 2 times its seeds would decide it; 3 censored; a note");
}

TEST(EstimateText, ShowsTheIntervalThatDecides) {
  Verdict verdict = open(OpenReason::budget);
  verdict.anytime_low = 0.49;
  verdict.anytime_high = 0.61;
  EXPECT_EQ(estimate_text(verdict), "0.55 [0.52, 0.58]")
      << "the ordinary one decides where the number of runs is fixed";
  EXPECT_EQ(caveats_text({}, verdict), "budget spent");
  std::vector<ClaimResult> claims(1);
  claims[0].verdict = verdict;
  EXPECT_EQ(intervals_text(claims), "");
  verdict.rests_on = RestsOn::anytime;
  EXPECT_EQ(estimate_text(verdict), "0.55 [0.49, 0.61]");
  EXPECT_EQ(caveats_text({}, verdict), "budget spent; one look alone gives [0.52, 0.58]");
  claims[0].verdict = verdict;
  EXPECT_EQ(
      intervals_text(claims),
      "Where seeds came until the claims were decided, the interval shown is the one that decides: one that holds at "
      "every look.");
  claims.emplace_back().verdict.rests_on = RestsOn::planned;
  EXPECT_TRUE(intervals_text(claims).ends_with("every look, or one whose error the planned looks share."));
}

ClaimResult found(const std::string& source, const std::string& statement, VerdictKind kind,
                  Provenance provenance = {}) {
  ClaimResult one;
  one.claim.source = source;
  one.claim.statement = statement;
  one.claim.headline = true;
  one.claim.provenance = provenance;
  one.verdict.kind = kind;
  one.verdict.seeds = 8;
  return one;
}

std::string tally(const std::vector<ClaimResult>& claims) {
  std::string text;
  for (const CountedVerdicts& one : verdict_tally(claims)) text += (text.empty() ? "" : ", ") + one.text;
  return text;
}

TEST(VerdictTally, SaysRefutedOnlyAtThePublishedScope) {
  const Provenance own{Origin::ours, {}}, scaled{Origin::published, Scope::scaled},
      same{Origin::figure, Scope::published};
  const std::vector<ClaimResult> off = {found("a", "", VerdictKind::refuted, scaled),
                                        found("a", "", VerdictKind::inconclusive, scaled)};
  EXPECT_EQ(tally(off), "0 found, 1 not found off the published scope, 1 inconclusive");
  EXPECT_EQ(tally({found("a", "", VerdictKind::supported, own), found("a", "", VerdictKind::refuted, same)}),
            "1 supported, 1 refuted, 0 inconclusive");
  EXPECT_EQ(tally({found("a", "", VerdictKind::supported, own), off[0], off[1]}),
            "1 supported, 0 refuted, 0 found, 1 not found off the published scope, 1 inconclusive");
}

TEST(AnswerLines, AreTenForAllSources) {
  std::vector<ClaimResult> claims;
  for (const std::string source : {"a", "b", "c", "d"})
    for (const std::string statement : {"one", "two", "three", "four"})
      claims.push_back(found(source, source + " " + statement, VerdictKind::supported));
  const std::vector<SourceLine> lines = answer_lines(claims);
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_EQ(lines[0].publication, "a");
  EXPECT_EQ(lines[0].text, "of 4 claims 4 hold, 0 do not, 0 open. a one: supported in 8 runs.");
  EXPECT_EQ(lines[1].publication, "");
  EXPECT_EQ(lines[1].text, "a two: supported in 8 runs.");
  EXPECT_EQ(answer_lines({claims[0]}).size(), 1u);
  EXPECT_TRUE(answer_lines({}).empty());
}

TEST(PublicationOf, TakesTheLabForOneSource) {
  EXPECT_EQ(publication_of("the lab's own, after a remark"), publication_of("this lab"));
  EXPECT_EQ(publication_of("Liu, Sparse attention 1 (2026), https://x"), "Liu, Sparse attention 1 (2026)");
}

}  // namespace
}  // namespace atto::verdict_text_test

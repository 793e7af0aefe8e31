// What stands beside a verdict: sizes, origin and scope, and the counts of them.
#include "lab/results/claim_status.h"

#include <gtest/gtest.h>

#include "lab/results/results_json.h"
#include "lab/results/scale_text.h"

namespace atto::claim_status_test {
namespace {

Study scaled_study(const std::string& scale) {
  return parse_study("origin = \"published\"\nscope = \"scaled\"\nscale = " + scale + R"(
[data]
context = 4
[sweep.grid]
network.width = [2, 3, 8]
data.vocab = [4, 10]
training.optimizer = ["adam", "sgd"]
[[observe]]
what = ["perplexity"]
[[phenomenon]]
name = "final"
detector = "value"
[[claim]]
id = "all"
statement = "a"
quantity = "final.value"
statistic = "median"
region = [0, 1]
[[claim]]
id = "two"
statement = "b"
quantity = "final.value"
statistic = "median"
where = { network.width = 3, data.vocab = 4, training.optimizer = "sgd" }
against = { network.width = 8, data.vocab = 4, training.optimizer = "sgd" }
region = [0, 1]
[[claim]]
id = "own"
statement = "c"
origin = "ours"
quantity = "final.value"
statistic = "median"
region = [0, 1]
)",
                     "a.toml", {});
}

std::string at(const std::string& scale, size_t claim) {
  const Study study = scaled_study(scale);
  return scale_text(study, expand_cells(study), study.claims[claim]);
}

TEST(ScaleText, SaysWhichSizesTheCellsHave) {
  EXPECT_EQ(at("[\"network.width\", \"data.context\"]", 0), "width 2 to 8, context 4");
  EXPECT_EQ(at("[\"network.width\", \"data.vocab\"]", 1), "width 3 to 8, vocab 4");
  EXPECT_EQ(at("[\"training.optimizer\"]", 0), "optimizer adam and sgd");
}

TEST(ScaleText, IsForWhatIsScaledDown) { EXPECT_EQ(at("[\"network.width\"]", 2), ""); }

ClaimResult judged(VerdictKind kind, Provenance provenance, StatusKind status) {
  ClaimResult result;
  result.claim.provenance = provenance;
  result.verdict.kind = kind;
  result.status.kind = status;
  return result;
}

const std::vector<ClaimResult> kJudged = {
    judged(VerdictKind::supported, {Origin::figure, Scope::recipe}, StatusKind::fixed),
    judged(VerdictKind::refuted, {Origin::figure, Scope::recipe}, StatusKind::revised),
    judged(VerdictKind::refuted, {Origin::published, Scope::published}, StatusKind::fixed),
    judged(VerdictKind::inconclusive, {Origin::ours, {}}, StatusKind::unrecorded)};

TEST(ClaimGroups, CountByOriginAndScope) {
  const std::vector<ClaimGroup> groups = groups_by_provenance(kJudged);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].text(),
            "1 published statement at the published size and recipe: 0 supported, 1 refuted, 0 inconclusive");
  EXPECT_EQ(groups[1].text(),
            "2 readings of figures at the published size, recipe guessed: 1 found, 1 not found, 0 inconclusive");
  EXPECT_EQ(groups[2].text(), "1 question of the lab's own: 0 supported, 0 refuted, 1 inconclusive");
  int64_t all = 0;
  for (const ClaimGroup& group : groups) all += group.claims;
  EXPECT_EQ(all, std::ssize(kJudged)) << "every claim is in one group";
}

TEST(ClaimGroups, CountByStatus) {
  EXPECT_EQ(status_counts(kJudged), "2 fixed beforehand; 1 revised after runs; 1 new, not yet recorded");
  EXPECT_EQ(status_counts({}), "");
}

TEST(ProvenanceText, TellsWhatAReaderShouldKnow) {
  ClaimResult one = kJudged[1];
  one.status = {StatusKind::revised, 64, Witness::store, false, "", ""};
  EXPECT_EQ(provenance_text(one), "read off a figure; published size, recipe guessed; revised after 64 runs (store)");
  one.calibrated = true;
  EXPECT_NE(provenance_text(one).find("the recipe was chosen to match its figures"), std::string::npos);
}

TEST(VerdictsJson, KeepsTheMachineWordsAndAddsTheRecord) {
  StudyResult result;
  result.claims = {kJudged[1], kJudged[3]};
  result.claims[0].at = "width 3";
  const Json stored = verdicts_json(result), printed = verdicts_with_status_json(result);
  EXPECT_EQ(printed[0].at("verdict"), "refuted");
  EXPECT_EQ(printed[0].at("origin"), "figure");
  EXPECT_EQ(printed[0].at("scope"), "recipe");
  EXPECT_EQ(printed[0].at("at"), "width 3");
  EXPECT_EQ(printed[0].at("status"), "revised");
  EXPECT_EQ(printed[1].at("scope"), nullptr);
  EXPECT_EQ(printed[1].at("status"), "new");
  EXPECT_FALSE(stored[0].contains("status")) << "it depends on when it was asked";
}

}  // namespace
}  // namespace atto::claim_status_test

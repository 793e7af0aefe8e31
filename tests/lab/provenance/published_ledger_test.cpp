// The ledger of the repository: it knows what every claim of the studies asks.
#include <gtest/gtest.h>

#include <set>

#include "lab/provenance/status.h"
#include "places.h"

namespace atto::published_ledger_test {
namespace {

const std::string kStudies = in_source("studies");

// After a change of a claim, `atto ledger --write` enters it; the file is committed with the studies.
TEST(PublishedLedger, KnowsEveryQuestion) {
  const Ledger ledger = read_ledger(kStudies + "/ledger.json");
  for (const std::string& name : list_studies(kStudies)) {
    const Study study = read_study(find_study(name, {kStudies}), {});
    for (const Question& question : questions_of(study, expand_cells(study))) {
      const std::vector<LedgerEntry> entries = ledger.of(name, question.claim);
      ASSERT_FALSE(entries.empty()) << name << " " << question.claim << ": run `atto ledger --write`";
      EXPECT_EQ(entries.back().question, question.hash)
          << name << " " << question.claim << " asks something else than the ledger has: run `atto ledger --write`";
      for (size_t i = 0; i < entries.size(); ++i) EXPECT_EQ(entries[i].revision, static_cast<int64_t>(i));
    }
  }
}

// A claim that moves to another study takes its history along (`atto ledger --write`), and none is left behind.
TEST(PublishedLedger, HasNoEntryOfAClaimThatItsStudyLacks) {
  const Ledger ledger = read_ledger(kStudies + "/ledger.json");
  std::set<std::pair<std::string, std::string>> claims;
  for (const std::string& name : list_studies(kStudies))
    for (const Claim& claim : read_study(find_study(name, {kStudies}), {}).claims) claims.insert({name, claim.id});
  for (const LedgerEntry& one : ledger.entries)
    EXPECT_TRUE(claims.contains({one.study, one.claim})) << one.study << " has no claim " << one.claim;
  EXPECT_EQ(ledger.of("previous-token", "S4.3-v30-d2-c4").front().reason, "moved from previous-token-sizes");
}

// Claims whose studies disclose that they were changed or written after a look.
TEST(PublishedLedger, KnowsWhichClaimsWereChangedAfterALook) {
  const Ledger ledger = read_ledger(kStudies + "/ledger.json");
  const auto entries = [&](const std::string& study, const std::string& claim) {
    int64_t most = 0;
    for (const LedgerEntry& one : ledger.of(study, claim)) most = std::max(most, one.after);
    return most;
  };
  EXPECT_EQ(entries("late-phase", "P.6-overshoot"), 9);
  EXPECT_EQ(entries("emergence-theory", "P.1-weights-first"), 25);
  EXPECT_GE(entries("similar-content", "S3.1-v100-basin"), 40);
  EXPECT_GT(entries("recall-repetition", "P.14-cross-amount-five"), 0);
  EXPECT_GT(entries("transformer-optimizers", "P.11-adam-length"), 0);
}

}  // namespace
}  // namespace atto::published_ledger_test

// Whether a claim was fixed before its runs: what the ledger says, what the store says, and both.
#include "lab/provenance/status.h"

#include "lab/provenance/asked_study.h"
#include "lab/store/store_samples.h"

namespace atto::asked {
namespace {

LedgerEntry entry(int64_t revision, const std::string& question, int64_t after, const std::string& reason = "") {
  return {"asked", "level", revision, question, 6, after, reason.empty() ? "" : "abc1234", reason};
}

Status by_ledger(const std::vector<LedgerEntry>& entries) { return ledger_status(entries, "now"); }

Status by_store(const std::vector<int64_t>& runs_before, bool recorded = true) {
  ClaimHistory history;
  for (const int64_t runs : runs_before) history.asked.push_back({"", "", runs});
  history.recorded = recorded;
  return store_status(history);
}

TEST(ClaimStatus, OfTheLedger) {
  EXPECT_EQ(by_ledger({}).kind, StatusKind::unrecorded);
  EXPECT_EQ(status_text(by_ledger({entry(0, "now", 0)})), "fixed beforehand (ledger)");
  EXPECT_EQ(status_text(by_ledger({entry(0, "now", 40)})), "first recorded after 40 runs (ledger)");
  EXPECT_EQ(status_text(by_ledger({entry(0, "then", 0), entry(1, "now", 1)})), "revised after 1 run (ledger)");
  EXPECT_EQ(status_text(by_ledger({entry(0, "", 0), entry(1, "now", 9, "region lowered")})),
            "revised after 9 runs (ledger): region lowered");
  EXPECT_EQ(by_ledger({entry(0, "", 0), entry(1, "now", 9, "region lowered")}).commit, "abc1234");
  EXPECT_EQ(status_text(by_ledger({entry(0, "then", 0)})), "revised since the ledger");
  EXPECT_EQ(status_text(by_ledger({entry(0, "then", 0), entry(1, "now", 0)})), "fixed beforehand (ledger)");
  EXPECT_EQ(by_ledger({entry(0, "then", 0), entry(1, "later", 64), entry(2, "now", 6)}).runs, 64);
}

TEST(ClaimStatus, OfTheStore) {
  EXPECT_EQ(by_store({0}, false).kind, StatusKind::unrecorded);
  EXPECT_EQ(status_text(by_store({0})), "fixed beforehand (store)");
  EXPECT_EQ(status_text(by_store({1})), "first recorded after 1 run (store)");
  EXPECT_EQ(status_text(by_store({12})), "first recorded after 12 runs (store)");
  EXPECT_EQ(status_text(by_store({0, 64})), "revised after 64 runs (store)");
  EXPECT_EQ(status_text(by_store({0, 0})), "fixed beforehand (store)");
  EXPECT_EQ(status_text(by_store({0, 64}, false)), "revised since the store");
}

TEST(ClaimStatus, TheWorseOfTheTwoIsShown) {
  const Status fixed = by_ledger({entry(0, "now", 0)}), revised = by_ledger({entry(0, "", 0), entry(1, "now", 9)}),
               late = by_ledger({entry(0, "now", 40)}), unknown = by_ledger({});
  EXPECT_EQ(worse(fixed, by_store({0, 64})), by_store({0, 64}));
  EXPECT_EQ(worse(revised, by_store({0})), revised);
  EXPECT_EQ(worse(revised, by_store({0, 64})), by_store({0, 64})) << "after more runs";
  EXPECT_EQ(worse(late, by_store({0})), late);
  EXPECT_EQ(worse(unknown, by_store({0})), by_store({0}));
  EXPECT_EQ(worse(unknown, by_store({12})), by_store({12}));
  EXPECT_EQ(worse(fixed, Status{}), fixed);
  EXPECT_EQ(worse(unknown, Status{}).kind, StatusKind::unrecorded);
}

// What the ledger says of its own runs says nothing of those that were here before the question came.
TEST(ClaimStatus, AFixedEntryDoesNotOutrankAStoreThatHadRuns) {
  EXPECT_EQ(worse(by_ledger({entry(0, "now", 0)}), by_store({12})), by_store({12}));
  EXPECT_EQ(worse(by_ledger({entry(0, "now", 40)}), by_store({12})).runs, 40);
  EXPECT_EQ(worse(by_ledger({entry(0, "then", 0), entry(1, "now", 9)}), by_store({12})).kind, StatusKind::revised);
}

class ClaimStatusesTest : public StoreFolder {
 protected:
  std::vector<std::string> texts(const std::string& text, const StudyOptions& options = {}) {
    const Study study = study_of(text, options);
    std::vector<std::string> all;
    for (const Status& one : claim_statuses(study, expand_cells(study), ledger_, &store_))
      all.push_back(status_text(one));
    return all;
  }

  Store store_{path(), Store::Mode::write};
  Ledger ledger_;
};

TEST_F(ClaimStatusesTest, GoByTheFile) {
  EXPECT_EQ(texts(kStudy)[0], "new, not yet recorded");
  update_ledger(ledger_, study_of(kStudy), nullptr);
  EXPECT_EQ(texts(kStudy)[0], "fixed beforehand (ledger)");
  EXPECT_EQ(texts(kStudy, options("full"))[0], "fixed beforehand (ledger)") << "the same claim with more seeds";
  const std::string changed = with_change("region = [-inf, 1]", "region = [-inf, 2]");
  EXPECT_EQ(texts(changed)[0], "revised since the ledger");
  EXPECT_EQ(texts(changed, options("full"))[0], "revised since the ledger");
  EXPECT_EQ(texts(changed)[1], "fixed beforehand (ledger)");
}

TEST_F(ClaimStatusesTest, WhatTheCommandLineChangedIsNoClaimOfTheFile) {
  update_ledger(ledger_, study_of(kStudy), nullptr);
  EXPECT_EQ(texts(kStudy, options("quick", 9))[0], "changed on the command line");
  EXPECT_EQ(texts(kStudy, options("quick", {}, {"data.vocab=5"}))[0], "changed on the command line");
}

}  // namespace
}  // namespace atto::asked

// The ledger: its text, what is wrong with it, and what comes to it.
#include "lab/provenance/ledger.h"

#include "lab/provenance/asked_study.h"
#include "lab/provenance/history.h"
#include "lab/store/store_samples.h"

namespace atto::asked {
namespace {

constexpr const char* kLedger = R"([{"ledger": 1}
,{"study": "a", "claim": "x", "revision": 0, "question": "", "asks": 8, "after": 0}
,{"study": "a", "claim": "x", "revision": 1, "question": "12", "asks": 9, "after": 8, "commit": "c", "reason": "\"x\""}
,{"study": "b", "claim": "x", "revision": 0, "question": "34", "asks": 6, "after": 0}
]
)";

std::string fault_of(const std::string& from, const std::string& to) {
  try {
    parse_ledger(with_change(from, to, kLedger), "studies/ledger.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_NE(error.remedy().find("git checkout studies/ledger.json"), std::string::npos);
    return error.what();
  }
  return "no error";
}

TEST(Ledger, ReadsWhatItWrites) {
  const Ledger ledger = parse_ledger(kLedger, "l");
  ASSERT_EQ(ledger.entries.size(), 3u);
  EXPECT_EQ(ledger.of("a", "x").at(1).reason, "\"x\"");
  EXPECT_EQ(ledger.of("a", "x").at(1).after, 8);
  EXPECT_TRUE(ledger.of("a", "y").empty());
  EXPECT_EQ(ledger_text(ledger), kLedger);
  EXPECT_NO_THROW(nlohmann::json::parse(std::string(kLedger)));  // other programs read it, too
}

TEST(Ledger, ThatIsNotThereIsEmpty) {
  EXPECT_TRUE(read_ledger("/nowhere/ledger.json").entries.empty());
  EXPECT_EQ(ledger_path("studies/a.toml"), "studies/ledger.json");
  EXPECT_EQ(ledger_path("a.toml"), "ledger.json");
}

TEST(Ledger, SaysWhichLineIsWrong) {
  const auto says = [](const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  says(fault_of("{\"ledger\": 1}", "{\"ledger\": 2}"), "studies/ledger.json:1: this is not a ledger of format 1");
  says(fault_of(",{\"study\": \"b\"", "<<<<<<< HEAD\n,{\"study\": \"b\""), "studies/ledger.json:4: expected an entry");
  says(fault_of("\"asks\": 9", "\"asks\": nine"), "studies/ledger.json:3: this is not an entry");
  says(fault_of("\"asks\": 9", "\"asks\": \"nine\""), "studies/ledger.json:3: this is not an entry");
  says(fault_of("\"after\": 8, ", ""), "studies/ledger.json:3: this is not an entry");
  says(fault_of("\"study\": \"b\"", "\"study\": \"A\""), "studies/ledger.json:4: entries are sorted");
  says(fault_of("\"revision\": 1", "\"revision\": 0"), "studies/ledger.json:3: entries are sorted");
  says(fault_of("]\n", ""), "studies/ledger.json:4: the ledger is cut short");
  says(fault_of("]\n", "]\n]\n"), "studies/ledger.json:6: the ledger has ended");
}

TEST(Ledger, AClaimThatMovesTakesItsHistoryAlong) {
  Study first, second;
  first.name = "a";
  second.name = "b";
  second.claims.emplace_back().id = "x";
  second.claims.emplace_back().id = "y";
  Ledger ledger = parse_ledger(kLedger, "/nowhere/ledger.json");
  EXPECT_EQ(move_claims(ledger, {&second}), 1) << "study a is not there any more";
  ledger = parse_ledger(kLedger, "/nowhere/ledger.json");
  EXPECT_EQ(move_claims(ledger, {&first, &second}), 1);
  const std::vector<LedgerEntry> moved = ledger.of("b", "x");
  ASSERT_EQ(moved.size(), 3u);
  EXPECT_EQ(moved[0].reason, "moved from a");
  EXPECT_EQ(moved[1].reason, "\"x\"") << "what people wrote stays";
  EXPECT_EQ(moved[2].question, "34");
  for (size_t i = 0; i < moved.size(); ++i) EXPECT_EQ(moved[i].revision, static_cast<int64_t>(i));
  EXPECT_TRUE(ledger.of("a", "x").empty());
  EXPECT_EQ(move_claims(ledger, {&first, &second}), 0);
  EXPECT_EQ(ledger_text(parse_ledger(ledger_text(ledger), "l")), ledger_text(ledger)) << "in order";

  first.claims.emplace_back().id = "x";
  ledger = parse_ledger(kLedger, "/nowhere/ledger.json");
  EXPECT_EQ(move_claims(ledger, {&first, &second}), 0) << "both studies have one of that name";
  EXPECT_EQ(ledger_text(ledger), kLedger) << "no entry is lost";
}

class LedgerUpdateTest : public StoreFolder {
 protected:
  void train(const std::string& text) {
    const Study study = study_of(text);
    record_questions(study, store_);
    for (const auto& run : expand_runs(study, expand_cells(study)))
      store_.save({{run.id, canonical_text(run.config, study.observe), 1, 1, sample_recording(1), 0.1}});
  }
  int64_t update(const std::string& text, bool with_store = true) {
    return update_ledger(ledger_, study_of(text), with_store ? &store_ : nullptr);
  }
  std::vector<int64_t> after(const std::string& claim) const {
    std::vector<int64_t> runs;
    for (const LedgerEntry& one : ledger_.of("asked", claim)) runs.push_back(one.after);
    return runs;
  }

  const std::string changed_ = with_change("region = [-inf, 1]", "region = [-inf, 2]");
  Store store_{path(), Store::Mode::write};
  Ledger ledger_;
};

TEST_F(LedgerUpdateTest, EntersWhatIsNewOnce) {
  EXPECT_EQ(update(kStudy, false), 3);
  EXPECT_EQ(update(kStudy, false), 0);
  EXPECT_EQ(after("level"), std::vector<int64_t>{0});
  EXPECT_EQ(ledger_.of("asked", "level")[0].asks, 6);
  EXPECT_EQ(ledger_.of("asked", "level")[0].question, questions_in(kStudy)[0].hash);
  EXPECT_EQ(parse_ledger(ledger_text(ledger_), "l").entries.size(), 3u);
}

TEST_F(LedgerUpdateTest, AChangeComesAtLeastAfterTheRunsThatWereAskedFor) {
  update(kStudy, false);
  EXPECT_EQ(update(changed_, false), 1);
  EXPECT_EQ(after("level"), (std::vector<int64_t>{0, 6}));
}

TEST_F(LedgerUpdateTest, TakesOverWhatTheStoreSaw) {
  train(kStudy);
  train(changed_);
  EXPECT_EQ(update(changed_), 4);  // both questions of the claim that changed
  EXPECT_EQ(after("level"), (std::vector<int64_t>{0, 6}));
  EXPECT_EQ(after("ratio"), std::vector<int64_t>{0});
  const std::string again = with_change("region = [-inf, 1]", "region = [-inf, 3]");
  train(again);
  EXPECT_EQ(update(again), 1);
  EXPECT_EQ(after("level"), (std::vector<int64_t>{0, 6, 6}));
}

TEST_F(LedgerUpdateTest, AClaimThatNobodyRecordedComesAfterTheRunsThereAre) {
  const Study study = study_of(kStudy);
  for (const auto& run : expand_runs(study, expand_cells(study)))
    store_.save({{run.id, canonical_text(run.config, study.observe), 1, 1, sample_recording(1), 0.1}});
  update(kStudy);
  EXPECT_EQ(after("exponent"), std::vector<int64_t>{12});
}

}  // namespace
}  // namespace atto::asked

// What the store records of questions, and what came before them.
#include "lab/provenance/history.h"

#include "lab/provenance/asked_study.h"
#include "lab/store/store_samples.h"

namespace atto::asked {
namespace {

using Rows = std::vector<Store::StoredQuestion>;

class HistoryTest : public StoreFolder {
 protected:
  // As if so many runs of the study had been trained, and the study remembered.
  void train(const std::string& text, size_t count, const StudyOptions& options = {}) {
    const Study study = study_of(text, options);
    std::vector<Store::Membership> members;
    record_questions(study, store_);
    for (const auto& run : expand_runs(study, expand_cells(study))) {
      members.push_back({study.name, study.profile, "{}", run.seed, run.id});
      if (members.size() <= count)
        store_.save({{run.id, canonical_text(run.config, study.observe), 1, 1, sample_recording(1), 0.1}});
    }
    store_.save_membership(study.name, study.profile, members);
  }
  // The questions of one claim under a profile.
  Rows rows(const std::string& claim, const std::string& profile = "quick") const {
    Rows found;
    for (const auto& one : store_.questions("asked"))
      if (one.claim == claim && one.profile == profile) found.push_back(one);
    return found;
  }

  Store store_{path(), Store::Mode::write};
};

TEST_F(HistoryTest, TheFirstTrainingRecordsEveryProfile) {
  train(kStudy, 100);
  for (const char* profile : {"quick", "full"}) {
    ASSERT_EQ(rows("level", profile).size(), 1u);
    EXPECT_EQ(rows("level", profile)[0].runs_before, 0);
    EXPECT_EQ(rows("level", profile)[0].position, 0);
    EXPECT_EQ(question_hash(rows("level", profile)[0].text), rows("level", profile)[0].hash);
  }
  EXPECT_NE(rows("level", "quick")[0].hash, rows("level", "full")[0].hash);
}

TEST_F(HistoryTest, TrainingAgainRecordsNothing) {
  train(kStudy, 100);
  train(kStudy, 100);
  train(with_change("It ends low", "Low it ends"), 100);
  EXPECT_EQ(store_.questions("asked").size(), 6u);
}

TEST_F(HistoryTest, AChangedRegionComesAfterTheRunsOfItsCells) {
  train(kStudy, 100);
  train(with_change("region = [-inf, 1]", "region = [-inf, 2]"), 100);
  ASSERT_EQ(rows("level").size(), 2u);
  EXPECT_EQ(rows("level")[1].position, 1);
  EXPECT_EQ(rows("level")[1].runs_before, 6);
  EXPECT_EQ(rows("ratio").size(), 1u);
  // And back again: that is one more change, not none.
  train(kStudy, 100);
  ASSERT_EQ(rows("level").size(), 3u);
  EXPECT_EQ(rows("level")[2].hash, rows("level")[0].hash);
}

TEST_F(HistoryTest, AChangeBeforeAnyRunIsNoneAfterALook) {
  train(kStudy, 0);
  train(with_change("region = [-inf, 1]", "region = [-inf, 2]"), 0);
  ASSERT_EQ(rows("level").size(), 2u);
  EXPECT_EQ(rows("level")[1].runs_before, 0);
}

TEST_F(HistoryTest, OtherCellsComeAfterTheRunsOfTheFormerOnes) {
  train(kStudy, 100);
  train(with_change("where = { network.width = 2 }\nregion", "where = { network.width = 1 }\nregion"), 100);
  EXPECT_EQ(rows("level").at(1).runs_before, 12);  // all twelve are there: six of the former, six of its own
  train(with_change("steps = 20", "steps = 30"), 100);
  EXPECT_EQ(rows("ratio").at(1).runs_before, 6);  // none of its own yet
}

TEST_F(HistoryTest, AFirstLookWithFewSeedsCounts) {
  train(kStudy, 100, options("quick", 1));
  EXPECT_EQ(rows("level").at(0).runs_before, 0) << "the file's question was there first";
  train(kStudy, 100);
  EXPECT_EQ(rows("level").size(), 1u);
}

TEST_F(HistoryTest, AClaimAddedAfterItsRunsIsLate) {
  std::string without = kStudy;
  const size_t begin = without.find("[[claim]]\nid = \"ratio\""), end = without.find("[[claim]]\nid = \"exponent\"");
  train(without.erase(begin, end - begin), 100);
  EXPECT_TRUE(rows("ratio").empty());
  train(kStudy, 100);
  ASSERT_EQ(rows("ratio").size(), 1u);
  EXPECT_EQ(rows("ratio")[0].runs_before, 6);
  EXPECT_EQ(rows("level")[0].runs_before, 0);
}

TEST_F(HistoryTest, AProfileThatIsNoValidRunIsLeftOut) {
  train(std::string(kStudy) + "[profile.broken]\nset = { data.offset = 7 }\n", 0);
  EXPECT_EQ(rows("level").size(), 1u);
}

}  // namespace
}  // namespace atto::asked

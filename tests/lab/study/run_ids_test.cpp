// Every run of the quick profile keeps the id it has had: a store that was filled by an earlier version is still good.
// tests/golden/run_ids.txt has a line for each study: its name, how many runs it has, and the hash of their ids.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "lab/study/study.h"
#include "places.h"

namespace atto::run_ids_test {
namespace {

struct Ids {
  size_t runs = 0;
  std::string hash;
  bool operator==(const Ids&) const = default;
};

Ids ids_of(const Study& study) {
  std::set<std::string> ids;
  for (const atto::Run& run : expand_runs(study, expand_cells(study))) ids.insert(run.id);
  std::string all;
  for (const std::string& id : ids) all += id + "\n";
  return {ids.size(), run_id(all)};
}

TEST(RunIds, OfTheQuickProfileStay) {
  std::map<std::string, Ids> expected;
  std::ifstream file(in_source("tests/golden/run_ids.txt"));
  std::string name, hash;
  for (size_t runs = 0; file >> name >> runs >> hash;) expected[name] = {runs, hash};
  ASSERT_GT(expected.size(), 40u);
  for (const auto& [study, ids] : expected) {
    const Ids now = ids_of(read_study(find_study(study, {in_source("studies")}), {}));
    EXPECT_EQ(now, ids) << study << " " << now.runs << " " << now.hash;
  }
}

}  // namespace
}  // namespace atto::run_ids_test

// Every call to the disk fails once, for every call there is, or it and all that follow: each time a clear error or a
// finished sweep, and never a lost or wrong run.
#include <gtest/gtest.h>

#include <set>

#include "lab/store/disk/vfs_shim.h"
#include "lab/store/store_samples.h"

namespace atto::faults_test {
namespace {

using Mode = Store::Mode;

// When to fail.
struct Plan {
  bool on = false, stays_broken = false;
  int64_t fail_at = 0, calls = 0;

  bool fails() { return on && (stays_broken ? ++calls >= fail_at : ++calls == fail_at); }
};

class StoreFaultsTest : public StoreFolder, public testing::WithParamInterface<bool> {
 protected:
  Plan plan_;
  DiskWatch watch_{.fails = [this] { return plan_.fails(); }};
  VfsShim shim_{watch_};
};

TEST_P(StoreFaultsTest, LoseNothing) {
  constexpr int64_t kRuns = 4;
  int errors = 0, tries = 0;
  for (int64_t fail_at = 1;; ++fail_at, ++tries) {
    SCOPED_TRACE("call " + std::to_string(fail_at));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    { save_sample(*std::make_unique<Store>(path(), Mode::write), 0); }
    std::set<int64_t> saved = {0};
    plan_ = {true, GetParam(), fail_at, 0};
    bool failed = false;
    try {
      Store store(path(), Mode::write);
      for (int64_t number = 1; number < kRuns; ++number) {
        store.save_checkpoint(sample_id(number), sample_checkpoint(64), 1);
        save_sample(store, number);
        saved.insert(number);
      }
    } catch (const Error& error) {
      failed = true;
      EXPECT_NE(error.kind(), ErrorKind::internal) << error.what();
      EXPECT_FALSE(error.remedy().empty());
    }
    const bool reached = plan_.calls >= fail_at;
    plan_ = {};
    errors += failed ? 1 : 0;
    EXPECT_TRUE(failed || saved.size() == static_cast<size_t>(kRuns));
    Store store(path(), Mode::write);
    EXPECT_TRUE(store.notices().empty()) << store.notices()[0];
    for (const RunSummary& run : store.runs())
      EXPECT_TRUE(same_bits(store.load(run.id), sample_recording(run.init_seed))) << run.id;
    for (const int64_t number : saved) EXPECT_TRUE(store.has(sample_id(number))) << "lost: " << sample_id(number);
    if (!reached || HasFailure()) break;
  }
  std::cout << tries << " calls that failed" << (GetParam() ? " with all after them" : " once") << ": " << errors
            << " errors, " << tries - errors << " finished without the call\n";
  EXPECT_GT(errors, 10) << "the failures did reach what matters";
}

INSTANTIATE_TEST_SUITE_P(OnceOrFromThenOn, StoreFaultsTest, testing::Bool());

}  // namespace
}  // namespace atto::faults_test

// A disk that fails while a store is checked or repaired says nothing of the store: an error, and the file as it was.
#include <gtest/gtest.h>

#include "lab/store/check/check.h"
#include "lab/store/disk/vfs_shim.h"
#include "lab/store/store_samples.h"

namespace atto::failing_disk_test {
namespace {

using Mode = Store::Mode;
constexpr int64_t kRuns = 3;

// The parameter: does the disk stay broken?
class FailingDiskTest : public StoreFolder, public testing::WithParamInterface<bool> {
 protected:
  // A store of which one run is damaged: the steps of a series are others.
  std::string damaged_store() {
    {
      Store store(path(), Mode::write);
      for (int64_t number = 0; number < kRuns; ++number) save_sample(store, number);
    }
    SQLite::Database(path(), SQLite::OPEN_READWRITE)
        .exec("UPDATE series SET steps = zeroblob(length(steps)) WHERE rowid = 1");
    return bytes_of(path());
  }

  bool on_ = false;
  int64_t fail_at_ = 0, calls_ = 0;
  DiskWatch watch_{.fails = [this] {
    if (!on_) return false;
    ++calls_;
    return GetParam() ? calls_ >= fail_at_ : calls_ == fail_at_;
  }};
  VfsShim shim_{watch_};
};

TEST_P(FailingDiskTest, IsNotTakenForDamage) {
  const std::string damaged = damaged_store();
  int errors = 0;
  for (fail_at_ = 1;; ++fail_at_) {
    SCOPED_TRACE("call " + std::to_string(fail_at_));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    write_bytes(path(), damaged);
    on_ = true;
    calls_ = 0;
    try {
      EXPECT_EQ(repair_store(path()).runs, kRuns - 1);
    } catch (const Error& error) {
      ++errors;
      EXPECT_NE(error.kind(), ErrorKind::internal) << error.what();
      EXPECT_FALSE(error.remedy().empty());
      EXPECT_TRUE(bytes_of(path()) == damaged) << "the store is not as it was";
    }
    const bool reached = calls_ >= fail_at_;
    on_ = false;
    EXPECT_EQ(repair_store(path()).runs, kRuns - 1) << "whole runs are lost";
    if (!reached || HasFailure()) break;
  }
  EXPECT_GT(errors, 10) << "the failures did reach what matters";
}

INSTANTIATE_TEST_SUITE_P(OnceOrFromThenOn, FailingDiskTest, testing::Bool());

}  // namespace
}  // namespace atto::failing_disk_test

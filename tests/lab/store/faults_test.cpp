// Every call to the disk fails once, for every call there is, or it and all that follow: each time a clear error or a
// finished sweep, and never a lost or wrong run.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <set>

#include "store_samples.h"

namespace atto::faults_test {
namespace {

using Mode = Store::Mode;

// When to fail. SQLite's files are reached through one table of functions, so this is global, too.
struct Plan {
  bool on = false, stays_broken = false;
  int64_t fail_at = 0, calls = 0;

  bool fails() { return on && (stays_broken ? ++calls >= fail_at : ++calls == fail_at); }
} plan;

struct ShimFile {
  sqlite3_file base;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

ShimFile* shim(sqlite3_file* file) { return reinterpret_cast<ShimFile*>(file); }

// A method of the real file, with a failure of its own in between.
template <auto kMethod, int kFailure, typename... Arguments>
int forward(sqlite3_file* file, Arguments... arguments) {
  if (kFailure != SQLITE_OK && plan.fails()) return kFailure;
  sqlite3_file* const real = shim(file)->real();
  return (real->pMethods->*kMethod)(real, arguments...);
}

void unmap_barrier(sqlite3_file* file) { shim(file)->real()->pMethods->xShmBarrier(shim(file)->real()); }

using M = sqlite3_io_methods;
const M kMethods = {
    3,
    forward<&M::xClose, SQLITE_OK>,
    forward<&M::xRead, SQLITE_IOERR_READ, void*, int, sqlite3_int64>,
    forward<&M::xWrite, SQLITE_IOERR_WRITE, const void*, int, sqlite3_int64>,
    forward<&M::xTruncate, SQLITE_IOERR_TRUNCATE, sqlite3_int64>,
    forward<&M::xSync, SQLITE_IOERR_FSYNC, int>,
    forward<&M::xFileSize, SQLITE_IOERR_FSTAT, sqlite3_int64*>,
    forward<&M::xLock, SQLITE_IOERR_LOCK, int>,
    forward<&M::xUnlock, SQLITE_OK, int>,
    forward<&M::xCheckReservedLock, SQLITE_OK, int*>,
    forward<&M::xFileControl, SQLITE_OK, int, void*>,
    forward<&M::xSectorSize, SQLITE_OK>,
    forward<&M::xDeviceCharacteristics, SQLITE_OK>,
    forward<&M::xShmMap, SQLITE_IOERR_SHMMAP, int, int, int, void volatile**>,
    forward<&M::xShmLock, SQLITE_OK, int, int, int>,
    unmap_barrier,
    forward<&M::xShmUnmap, SQLITE_OK, int>,
    forward<&M::xFetch, SQLITE_OK, sqlite3_int64, int, void**>,
    forward<&M::xUnfetch, SQLITE_OK, sqlite3_int64, void*>,
};

sqlite3_vfs* real_vfs = nullptr;

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  if (plan.fails()) return SQLITE_CANTOPEN;
  const int result = real_vfs->xOpen(real_vfs, name, shim(file)->real(), flags, out_flags);
  if (shim(file)->real()->pMethods != nullptr) file->pMethods = &kMethods;
  return result;
}

int delete_file(sqlite3_vfs*, const char* name, int sync) {
  return plan.fails() ? SQLITE_IOERR_DELETE : real_vfs->xDelete(real_vfs, name, sync);
}

int access_file(sqlite3_vfs*, const char* name, int flags, int* result) {
  return plan.fails() ? SQLITE_IOERR_ACCESS : real_vfs->xAccess(real_vfs, name, flags, result);
}

class StoreFaultsTest : public StoreFolder, public testing::WithParamInterface<bool> {
 protected:
  StoreFaultsTest() {
    real_vfs = sqlite3_vfs_find(nullptr);
    vfs_ = *real_vfs;
    vfs_.zName = "faults";
    vfs_.szOsFile = static_cast<int>(sizeof(ShimFile)) + real_vfs->szOsFile;
    vfs_.xOpen = open_file;
    vfs_.xDelete = delete_file;
    vfs_.xAccess = access_file;
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~StoreFaultsTest() override {
    plan = {};
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(real_vfs, 1);
  }

  sqlite3_vfs vfs_{};
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
    plan = {true, GetParam(), fail_at, 0};
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
    const bool reached = plan.calls >= fail_at;
    plan = {};
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

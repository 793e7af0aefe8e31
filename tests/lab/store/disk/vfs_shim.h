// SQLite's way to the disk with somebody in between, who may let a call fail or write down what it does.
#pragma once

#include <sqlite3.h>

#include <functional>
#include <string>
#include <string_view>

namespace atto {

// What the one in between does. Only files of stores and their logs come by, not the index of a log, which is memory.
struct DiskWatch {
  std::function<bool()> fails = [] { return false; };  // asked before each call that can fail
  std::function<void(const std::string& file, int64_t at, std::string_view bytes)> wrote = {};
  std::function<void(const std::string& file, int64_t size)> truncated = {};
  std::function<void(const std::string&file)> synced = {}, opened = {};
  std::function<void(const std::string& file, bool synced)> deleted = {};
};

// SQLite's files go by it as long as it lives. SQLite has one table of functions, so there is one at a time.
class VfsShim {
 public:
  explicit VfsShim(DiskWatch& watch) {
    watch_ = &watch;
    real_ = sqlite3_vfs_find(nullptr);
    vfs_ = *real_;
    vfs_.zName = "shim";
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.xOpen = open;
    vfs_.xDelete = remove;
    vfs_.xAccess = exists;
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~VfsShim() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(real_, 1);
    watch_ = nullptr;
  }
  VfsShim(const VfsShim&) = delete;
  VfsShim& operator=(const VfsShim&) = delete;

 private:
  using M = sqlite3_io_methods;
  struct File {
    sqlite3_file base;
    std::string* name;
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };
  static File* shim(sqlite3_file* file) { return reinterpret_cast<File*>(file); }

  // A method of the real file, with a failure of its own in between.
  template <auto kMethod, int kFailure, typename... Arguments>
  static int forward(sqlite3_file* file, Arguments... arguments) {
    if (kFailure != SQLITE_OK && watch_->fails()) return kFailure;
    sqlite3_file* const real = shim(file)->real();
    return (real->pMethods->*kMethod)(real, arguments...);
  }
  static int close(sqlite3_file* file) {
    delete shim(file)->name;
    return forward<&M::xClose, SQLITE_OK>(file);
  }
  static int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
    const int result = forward<&M::xWrite, SQLITE_IOERR_WRITE>(file, bytes, size, at);
    if (result == SQLITE_OK && watch_->wrote)
      watch_->wrote(*shim(file)->name, at, {static_cast<const char*>(bytes), static_cast<size_t>(size)});
    return result;
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    const int result = forward<&M::xTruncate, SQLITE_IOERR_TRUNCATE>(file, size);
    if (result == SQLITE_OK && watch_->truncated) watch_->truncated(*shim(file)->name, size);
    return result;
  }
  static int sync(sqlite3_file* file, int flags) {
    const int result = forward<&M::xSync, SQLITE_IOERR_FSYNC>(file, flags);
    if (result == SQLITE_OK && watch_->synced) watch_->synced(*shim(file)->name);
    return result;
  }
  static void barrier(sqlite3_file* file) { shim(file)->real()->pMethods->xShmBarrier(shim(file)->real()); }

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    static const M kMethods = {
        3,
        close,
        forward<&M::xRead, SQLITE_IOERR_READ, void*, int, sqlite3_int64>,
        write,
        truncate,
        sync,
        forward<&M::xFileSize, SQLITE_IOERR_FSTAT, sqlite3_int64*>,
        forward<&M::xLock, SQLITE_IOERR_LOCK, int>,
        forward<&M::xUnlock, SQLITE_OK, int>,
        forward<&M::xCheckReservedLock, SQLITE_OK, int*>,
        forward<&M::xFileControl, SQLITE_OK, int, void*>,
        forward<&M::xSectorSize, SQLITE_OK>,
        forward<&M::xDeviceCharacteristics, SQLITE_OK>,
        forward<&M::xShmMap, SQLITE_IOERR_SHMMAP, int, int, int, void volatile**>,
        forward<&M::xShmLock, SQLITE_OK, int, int, int>,
        barrier,
        forward<&M::xShmUnmap, SQLITE_OK, int>,
        forward<&M::xFetch, SQLITE_OK, sqlite3_int64, int, void**>,
        forward<&M::xUnfetch, SQLITE_OK, sqlite3_int64, void*>,
    };
    file->pMethods = nullptr;
    if (watch_->fails()) return SQLITE_CANTOPEN;
    const int result = real_->xOpen(real_, name, shim(file)->real(), flags, out_flags);
    if (shim(file)->real()->pMethods == nullptr) return result;
    file->pMethods = &kMethods;
    shim(file)->name = new std::string(name == nullptr ? "" : name);
    if (watch_->opened) watch_->opened(*shim(file)->name);
    return result;
  }
  static int remove(sqlite3_vfs*, const char* name, int sync) {
    if (watch_->fails()) return SQLITE_IOERR_DELETE;
    const int result = real_->xDelete(real_, name, sync);
    if (result == SQLITE_OK && watch_->deleted) watch_->deleted(name, sync != 0);
    return result;
  }
  static int exists(sqlite3_vfs*, const char* name, int flags, int* result) {
    return watch_->fails() ? SQLITE_IOERR_ACCESS : real_->xAccess(real_, name, flags, result);
  }

  inline static DiskWatch* watch_ = nullptr;
  inline static sqlite3_vfs* real_ = nullptr;
  sqlite3_vfs vfs_{};
};

}  // namespace atto

#include "lab/store/disk/gathered_writes.h"

#include <sqlite3.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace atto {
namespace {

constexpr size_t kMostGathered = 31 * 4096;  // bytes: SQLite writes fewer than 2^17 in one call

using Methods = sqlite3_io_methods;

// Found anew whenever a file is opened: tests put a VFS of their own in its place.
sqlite3_vfs* default_vfs() { return sqlite3_vfs_find(nullptr); }

// What is written to one file and has not gone there yet.
class Gathered {
 public:
  // Writes it. Where that fails it is kept, for calls whose failure SQLite does not look at.
  int try_flush(sqlite3_file* file) {
    if (size_ == 0) return SQLITE_OK;
    const int result = file->pMethods->xWrite(file, bytes_.get(), static_cast<int>(size_), first_);
    if (result == SQLITE_OK) size_ = 0;
    return result;
  }
  // Where this fails it is gone, as what a call of its own could not write: SQLite hears of it before a sync could tell
  // it that all is well, and takes its transaction back.
  int flush(sqlite3_file* file) {
    const int result = try_flush(file);
    size_ = 0;
    return result;
  }
  int write(sqlite3_file* file, const void* bytes, size_t count, sqlite3_int64 at) {
    const bool goes_on =
        size_ > 0 && at == first_ + static_cast<sqlite3_int64>(size_) && size_ + count <= kMostGathered;
    if (!goes_on)
      if (const int result = flush(file); result != SQLITE_OK) return result;
    if (!bytes_) bytes_.reset(new (std::nothrow) char[kMostGathered]);
    if (!bytes_ || count > kMostGathered) return file->pMethods->xWrite(file, bytes, static_cast<int>(count), at);
    if (size_ == 0) first_ = at;
    std::memcpy(bytes_.get() + size_, bytes, count);
    size_ += count;
    return SQLITE_OK;
  }

 private:
  std::unique_ptr<char[]> bytes_;  // made by the first write: most files that are opened are only read
  size_t size_ = 0;
  sqlite3_int64 first_ = 0;  // where in the file they belong
};

// SQLite gives the memory of a file and knows it by its first member.
struct GatheredFile {
  sqlite3_file base;
  sqlite3_file* real;
  Gathered* gathered;
};

GatheredFile* own(sqlite3_file* file) { return reinterpret_cast<GatheredFile*>(file); }
int flush_gathered(sqlite3_file* file) { return own(file)->gathered->flush(own(file)->real); }

// A method of the file below, once it has all that was written.
template <auto kMethod, typename... Arguments>
int forward(sqlite3_file* file, Arguments... arguments) {
  if (const int result = flush_gathered(file); result != SQLITE_OK) return result;
  sqlite3_file* const real = own(file)->real;
  return (real->pMethods->*kMethod)(real, arguments...);
}

// A method that has no way to fail, and does not look at what is written.
template <auto kMethod, typename... Arguments>
auto forward_as_it_is(sqlite3_file* file, Arguments... arguments) {
  sqlite3_file* const real = own(file)->real;
  return (real->pMethods->*kMethod)(real, arguments...);
}

int write_gathered(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
  return own(file)->gathered->write(own(file)->real, bytes, static_cast<size_t>(size), at);
}

int unlock_gathered(sqlite3_file* file, int level) {
  own(file)->gathered->try_flush(own(file)->real);
  return own(file)->real->pMethods->xUnlock(own(file)->real, level);
}

int control_gathered(sqlite3_file* file, int operation, void* argument) {
  own(file)->gathered->try_flush(own(file)->real);
  return own(file)->real->pMethods->xFileControl(own(file)->real, operation, argument);
}

int close_gathered(sqlite3_file* file) {
  const int written = flush_gathered(file);
  GatheredFile* const mine = own(file);
  const int closed = mine->real->pMethods->xClose(mine->real);
  std::free(mine->real);
  delete mine->gathered;
  return closed == SQLITE_OK ? written : closed;
}

int open_gathered(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  static const Methods kMethods = {
      3,
      close_gathered,
      forward<&Methods::xRead, void*, int, sqlite3_int64>,
      write_gathered,
      forward<&Methods::xTruncate, sqlite3_int64>,
      forward<&Methods::xSync, int>,
      forward<&Methods::xFileSize, sqlite3_int64*>,
      forward<&Methods::xLock, int>,
      unlock_gathered,
      forward<&Methods::xCheckReservedLock, int*>,
      control_gathered,
      forward_as_it_is<&Methods::xSectorSize>,
      forward_as_it_is<&Methods::xDeviceCharacteristics>,
      forward_as_it_is<&Methods::xShmMap, int, int, int, void volatile**>,
      forward_as_it_is<&Methods::xShmLock, int, int, int>,
      forward_as_it_is<&Methods::xShmBarrier>,
      forward_as_it_is<&Methods::xShmUnmap, int>,
      forward<&Methods::xFetch, sqlite3_int64, int, void**>,
      forward<&Methods::xUnfetch, sqlite3_int64, void*>,
  };
  file->pMethods = nullptr;
  sqlite3_vfs* const below = default_vfs();
  auto* const real = static_cast<sqlite3_file*>(std::calloc(1, static_cast<size_t>(below->szOsFile)));
  auto* const gathered = new (std::nothrow) Gathered;
  const int result = real && gathered ? below->xOpen(below, name, real, flags, out_flags) : SQLITE_NOMEM;
  if (result != SQLITE_OK || real->pMethods == nullptr || real->pMethods->iVersion < kMethods.iVersion) {
    if (real && real->pMethods) real->pMethods->xClose(real);
    std::free(real);
    delete gathered;
    return result == SQLITE_OK ? SQLITE_CANTOPEN : result;
  }
  own(file)->real = real;
  own(file)->gathered = gathered;
  file->pMethods = &kMethods;
  return SQLITE_OK;
}

int remove_below(sqlite3_vfs*, const char* name, int sync) { return default_vfs()->xDelete(default_vfs(), name, sync); }
int exists_below(sqlite3_vfs*, const char* name, int flags, int* result) {
  return default_vfs()->xAccess(default_vfs(), name, flags, result);
}
int last_error_below(sqlite3_vfs*, int size, char* text) {
  return default_vfs()->xGetLastError(default_vfs(), size, text);
}

}  // namespace

const char* gathering_vfs() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs mine = *default_vfs();  // names, random numbers and clocks are its own
    mine.zName = "atto-gathering";
    mine.szOsFile = sizeof(GatheredFile);
    mine.pNext = nullptr;
    mine.xOpen = open_gathered;
    mine.xDelete = remove_below;
    mine.xAccess = exists_below;
    mine.xGetLastError = last_error_below;
    return mine;
  }();
  static const int registered = sqlite3_vfs_register(&vfs, 0);
  return registered == SQLITE_OK ? vfs.zName : nullptr;
}

}  // namespace atto

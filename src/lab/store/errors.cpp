#include "lab/store/errors.h"

#include <sqlite3.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"

namespace atto {

std::string system_message(int system_error) { return std::generic_category().message(system_error); }

void throw_disk_full(const std::string& path) {
  throw Error(ErrorKind::resources, path + ": the disk is full or a quota is used up; every run saved so far is kept",
              "free some space or give --store another path, then run again to continue");
}

void throw_damaged(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::store, path + ": the store is damaged: " + what,
              "`atto check --repair --store " + path + "` keeps what is whole and says what to train again");
}

void throw_not_writable(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::store, path + ": the store cannot be written: " + why,
              "change the permissions or give --store another path");
}

bool is_passing(int result) {
  switch (result & 0xff) {
    case SQLITE_IOERR:
      return result != SQLITE_IOERR_SHORT_READ && result != SQLITE_IOERR_CORRUPTFS;
    case SQLITE_NOMEM:
    case SQLITE_FULL:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
    case SQLITE_INTERRUPT:
      return true;
    default:
      return false;
  }
}

int last_system_error(const SQLite::Database& database) {
  if (const int known = sqlite3_system_errno(database.getHandle())) return known;
  // A failed commit leaves it with the file that was written to: the log, or the store itself.
  for (const int which : {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER}) {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(database.getHandle(), "main", which, &file);
    int known = 0;
    if (file != nullptr && file->pMethods != nullptr)
      file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &known);
    if (known != 0) return known;
  }
  return 0;
}

void throw_store_error(const SQLite::Exception& error, const std::string& path, int system_error) {
  const std::string what = error.what();
  switch (error.getErrorCode() & 0xff) {
    case SQLITE_FULL:
      throw_disk_full(path);
    case SQLITE_IOERR:
      if (system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG) throw_disk_full(path);
      throw Error(ErrorKind::store,
                  path + ": the disk reports an error: " + what +
                      (system_error ? " (" + system_message(system_error) + ")" : ""),
                  "check the disk, or give --store another path");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(ErrorKind::store, path + ": another program is writing to the store",
                  "wait for it to finish, or give --store another path");
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      throw_not_writable(path, what + (system_error ? " (" + system_message(system_error) + ")" : ""));
    case SQLITE_NOMEM:
      throw Error(ErrorKind::resources, path + ": not enough memory to read the store", "close other programs");
    default:
      // Our statements are right for a store that is whole, so whatever else fails is the file's doing.
      throw_damaged(path, what);
  }
}

}  // namespace atto

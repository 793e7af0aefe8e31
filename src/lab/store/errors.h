// What can be wrong with a store, in words and with a remedy. Internal to the store.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

namespace atto {

inline constexpr const char* kElsewhere = "move it away or give --store another path";

std::string system_message(int system_error);  // "Permission denied"

[[noreturn]] void throw_disk_full(const std::string& path);
[[noreturn]] void throw_damaged(const std::string& path, const std::string& what);
[[noreturn]] void throw_not_writable(const std::string& path, const std::string& why);
// What SQLite complained about. `system_error` is the errno behind it, 0 if there is none.
[[noreturn]] void throw_store_error(const SQLite::Exception& error, const std::string& path, int system_error);

// Was it the machine, and not the file: no memory, a disk that fails, another program? What could not be read then may
// be whole.
bool is_passing(int result);

int last_system_error(const SQLite::Database& database);

// Runs `work`, translating SQLite's complaints.
template <typename Work>
auto with_store_errors(const SQLite::Database& database, const std::string& path, Work&& work) {
  try {
    return work();
  } catch (const SQLite::Exception& error) {
    throw_store_error(error, path, last_system_error(database));
  }
}

}  // namespace atto

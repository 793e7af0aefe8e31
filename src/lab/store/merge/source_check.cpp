#include "lab/store/merge/source_check.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <vector>

#include "base/machine.h"
#include "lab/store/schema.h"

namespace atto {
namespace {

// A damaged page can hide rows, so every page is looked at before anything is taken. The four tables of the runs are as
// good as all of the file. Each must have as many rows as the index through which they are read; that an entry of it
// leads to the right row, and that this row is whole, shows when it is read. So their entries are not looked up here.
void require_all_rows(SQLite::Database& database) {
  SQLite::Statement check(database, "PRAGMA quick_check(1)");
  while (check.executeStep())
    if (const std::string answer = check.getColumn(0).getString(); answer != "ok") RowReader::damaged(answer);
  for (const TableSchema& table : store_tables()) {
    const std::string name = table.name, count = "SELECT count(*) FROM " + name;
    if (!database.tableExists(name)) continue;
    if (name != "runs" && name != "series" && name != "weights" && name != "timings") check_structure(database, name);
    else if (database.execAndGet(count + " NOT INDEXED").getInt64() !=
             database.execAndGet(count + " INDEXED BY sqlite_autoindex_" + name + "_1").getInt64())
      RowReader::damaged("the index of '" + name + "' has other rows than the table");
  }
}

}  // namespace

void require_whole_sources(std::span<Store::State* const> sources) {
  std::vector<std::exception_ptr> errors(sources.size());
  std::atomic<size_t> taken = 0;
  const auto check_some = [&] {
    for (size_t i = taken++; i < sources.size(); i = taken++) {
      try {
        sources[i]->guarded([&] { require_all_rows(sources[i]->database); });
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::future<void>> others;  // none where the system has no more threads: this one does it all
    const size_t most = std::min(sources.size(), static_cast<size_t>(usable_cores()));
    while (others.size() + 1 < most)
      others.push_back(std::async(std::launch::async | std::launch::deferred, check_some));
    check_some();
    for (const std::future<void>& other : others) other.wait();
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace atto

// What a Store consists of: the lock, the connection, its kept statements. Internal to the store.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lab/store/errors.h"
#include "lab/store/lock.h"
#include "lab/store/row.h"
#include "lab/store/store.h"

namespace atto {

struct Store::State {
  std::string path;       // as the user wrote it
  std::string real_path;  // absolute, links resolved: two names of one file share one lock
  std::optional<WriterLock> lock;
  std::vector<std::string> notices;
  SQLite::Database database;
  bool runs_are_whole = false;  // the table `runs` was checked; a writer checks everything when it opens the store
  std::map<std::string, SQLite::Statement, std::less<>> statements;

  State(const std::string& given, Mode mode);

  SQLite::Statement& statement(const char* sql);  // prepared on first use, then kept
  template <typename Work>
  auto guarded(Work&& work) {
    return with_store_errors(database, path, std::forward<Work>(work));
  }
  // All that `work` reads belongs to one moment, and all that it writes comes true at once or not at all.
  template <typename Work>
  auto together(SQLite::TransactionBehavior behavior, Work&& work) {
    return guarded([&] {
      SQLite::Transaction transaction(database, behavior);
      if constexpr (std::is_void_v<decltype(work())>) {
        work();
        transaction.commit();
      } else {
        auto result = work();
        transaction.commit();
        return result;
      }
    });
  }
  template <typename Work>
  auto reading(Work&& work) {
    return together(SQLite::TransactionBehavior::DEFERRED, std::forward<Work>(work));
  }
  template <typename Work>
  auto writing(Work&& work) {
    return together(SQLite::TransactionBehavior::IMMEDIATE, std::forward<Work>(work));
  }

  struct RunRow {
    RunSummary summary;
    Recording recording;  // its scalars only
    int64_t series_count = 0, weights_count = 0;
  };
  // Throws SQLITE_CORRUPT unless every row of `runs` can be found and read; looks once. A damaged index would otherwise
  // read as "there is no such run".
  void require_whole_runs();
  // Within a transaction. A run goes with everything that belongs to it.
  void insert(const FinishedRun& run);
  // `bind` writes the columns of an item; what it binds beside the item is in a Kept until all are entered.
  template <typename Kept, typename Item, typename Bind>
  void insert_items(const char* table, int columns, const std::vector<Item>& items, const Bind& bind);
  void remove(const std::string& run_id);
  void remove_checkpoint(const std::string& run_id);
  bool holds(const std::string& run_id);  // of any revision
  void remove_by(const char* sql, const std::string& run_id);
  static RunRow read_run(RowReader& row);     // SELECT * FROM runs
  RunRow run_row(const std::string& run_id);  // Error(missing) when it is not there or of another revision
};

}  // namespace atto

// One row of the store, written or read column by column. Internal to the store.
//
// SQLite does not notice a flipped bit inside a value, so every row ends with `checksum`: XXH3-64 over its other
// columns in order, each as a type letter, for texts and blobs the length (8 bytes), and the bytes (integers and reals
// take 8), all little-endian. Both sides feed the hash as they go, so they cannot disagree about what it covers.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace atto {

inline constexpr size_t kLargestBlob = 1'000'000'000;  // bytes; SQLite's own limit

// Short rows are gathered and hashed at once, which takes a fraction of the time of hashing them piece by piece.
class RowHash {
 public:
  RowHash();
  ~RowHash();
  void reset();
  void add(char type, const void* bytes, size_t size);  // type: n null, i integer, f real, t text, b blob
  int64_t value();

 private:
  struct State;
  void flush();

  std::array<char, 4096> gathered_;
  size_t size_ = 0;
  bool begun_ = false;            // pieces have left for the state
  std::unique_ptr<State> state_;  // made for the first row that is long
};

// Gives a kept statement back in a clean state, whatever happens: an unfinished SELECT would hold its snapshot open.
class StatementUse {
 public:
  explicit StatementUse(SQLite::Statement& statement) : statement_(statement) {}
  ~StatementUse() {
    statement_.tryReset();
    statement_.clearBindings();
  }
  StatementUse(const StatementUse&) = delete;
  StatementUse& operator=(const StatementUse&) = delete;
  SQLite::Statement* operator->() const { return &statement_; }

 private:
  SQLite::Statement& statement_;
};

// One statement enters so many rows of a table, since one statement for each would take half as long again.
inline constexpr size_t kRowsTogether = 8;
std::string insertion(const std::string& table, int columns, size_t rows);  // INSERT INTO t VALUES (?, ?), (?, ?)

// Binds the columns of an INSERT in order, of several rows with next_row() in between. Texts and blobs must live until
// insert().
class RowWriter {
 public:
  explicit RowWriter(SQLite::Statement& insert) : insert_(insert) {}
  RowWriter& integer(std::optional<int64_t> value);
  RowWriter& real(std::optional<double> value);  // NaN is stored as NULL, as SQLite has none
  RowWriter& text(const std::string& value);
  template <typename Number>
  RowWriter& blob(const std::vector<Number>& values) {
    return bytes(values.data(), values.size() * sizeof(Number));
  }
  void next_row();
  void insert();

 private:
  RowWriter& bytes(const void* data, size_t size);

  StatementUse insert_;
  RowHash hash_;
  int column_ = 0;
};

// Reads the columns of a SELECT in order; check() compares the last one, the checksum, and throws SQLITE_CORRUPT.
class RowReader {
 public:
  explicit RowReader(SQLite::Statement& select) : select_(select) {}
  template <typename... Keys>
  RowReader& where(const Keys&... keys) {
    int index = 0;
    (select_->bind(++index, keys), ...);
    return *this;
  }
  bool next();
  int64_t integer();
  std::optional<int64_t> maybe_integer();
  double real();
  std::optional<double> maybe_real();
  std::string text();
  template <typename Number>
  std::vector<Number> blob() {
    const auto [data, size] = bytes();
    if (size % sizeof(Number) != 0) damaged("a blob has a length that does not fit its type");
    std::vector<Number> values(size / sizeof(Number));
    if (size > 0) std::memcpy(values.data(), data, size);
    return values;
  }
  void check();
  // Of a SELECT *, typeof(key), rowid, after check().
  std::pair<std::string, int64_t> after_checksum();

  [[noreturn]] static void damaged(const std::string& what);

 private:
  std::pair<const void*, size_t> bytes();

  StatementUse select_;
  RowHash hash_;
  int column_ = 0;
};

// May so many numbers be the blobs of one row? The limit of a blob is that of a whole row, too.
bool fits_a_row(size_t singles, size_t doubles);

// Throws SQLITE_CORRUPT unless it is letters and digits only: ids become parts of file names.
void require_run_id(const std::string& id);

}  // namespace atto

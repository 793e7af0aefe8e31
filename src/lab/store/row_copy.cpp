#include "lab/store/row_copy.h"

#include <sqlite3.h>

namespace atto {
namespace {

void require(sqlite3* database, int code) {
  if (code != SQLITE_OK) throw SQLite::Exception(database, code);
}

// Values of a row can be asked for without a lock for each question while nobody else can use the connection.
class Undisturbed {
 public:
  explicit Undisturbed(sqlite3_stmt* statement) : mutex_(sqlite3_db_mutex(sqlite3_db_handle(statement))) {
    sqlite3_mutex_enter(mutex_);
  }
  ~Undisturbed() { sqlite3_mutex_leave(mutex_); }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  sqlite3_mutex* const mutex_;
};

}  // namespace

RawStatement::RawStatement(SQLite::Database& database, const char* sql) : database_(database.getHandle()) {
  require(database_, sqlite3_prepare_v3(database_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr));
}

RawStatement::~RawStatement() { sqlite3_finalize(statement_); }

bool RawStatement::step() {
  const int code = sqlite3_step(statement_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    const SQLite::Exception error(database_, code);
    sqlite3_reset(statement_);
    throw error;
  }
  return code == SQLITE_ROW;
}

void RawStatement::finish() {
  while (step()) continue;
  sqlite3_reset(statement_);
}

int RawStatement::changes() const { return sqlite3_changes(database_); }

void SourceRows::where(std::string_view first, std::string_view second) {
  int place = 0;
  for (const std::string_view text : {first, second})
    require(sqlite3_db_handle(select_.get()), sqlite3_bind_text(select_.get(), ++place, text.data(),
                                                                static_cast<int>(text.size()), SQLITE_TRANSIENT));
}

bool SourceRows::next() {
  there_ = select_.step();
  return there_;
}

std::string_view SourceRows::text(int column) const {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(select_.get(), column));
  return {text == nullptr ? "" : text, static_cast<size_t>(sqlite3_column_bytes(select_.get(), column))};
}

int64_t SourceRows::integer(int column) const { return sqlite3_column_int64(select_.get(), column); }

int64_t SourceRows::verify() {
  sqlite3_stmt* const select = select_.get();
  const Undisturbed undisturbed(select);
  hash_.reset();
  count_ = sqlite3_column_count(select) - 1;
  for (int i = 0; i < count_; ++i) {
    sqlite3_value* const value = sqlite3_column_value(select, i);
    Field& field = fields_[static_cast<size_t>(i)];
    field.type = sqlite3_value_type(value);
    switch (field.type) {
      case SQLITE_NULL:
        hash_.add('n', nullptr, 0);
        break;
      case SQLITE_INTEGER:
        field.whole = sqlite3_value_int64(value);
        hash_.add('i', &field.whole, sizeof field.whole);
        break;
      case SQLITE_FLOAT:
        field.real = sqlite3_value_double(value);
        hash_.add('f', &field.real, sizeof field.real);
        break;
      default: {
        const bool text = field.type == SQLITE_TEXT;
        field.data = text ? static_cast<const void*>(sqlite3_value_text(value)) : sqlite3_value_blob(value);
        field.size = sqlite3_value_bytes(value);
        hash_.add(text ? 't' : 'b', field.data, static_cast<size_t>(field.size));
      }
    }
  }
  checksum_ = hash_.value();
  if (sqlite3_column_type(select, count_) != SQLITE_INTEGER || sqlite3_column_int64(select, count_) != checksum_)
    RowReader::damaged("a row does not match its checksum");
  return checksum_;
}

void SourceRows::copy(RawStatement& insert) {
  sqlite3_stmt* const to = insert.get();
  sqlite3* const database = sqlite3_db_handle(to);
  for (int i = 0; i < count_; ++i) {
    const Field& field = fields_[static_cast<size_t>(i)];
    const void* const data = field.size > 0 ? field.data : "";  // a null pointer would bind NULL
    switch (field.type) {
      case SQLITE_NULL:
        require(database, sqlite3_bind_null(to, i + 1));
        break;
      case SQLITE_INTEGER:
        require(database, sqlite3_bind_int64(to, i + 1, field.whole));
        break;
      case SQLITE_FLOAT:
        require(database, sqlite3_bind_double(to, i + 1, field.real));
        break;
      case SQLITE_TEXT:  // the source keeps it until it goes to its next row
        require(database, sqlite3_bind_text(to, i + 1, static_cast<const char*>(data), field.size, SQLITE_STATIC));
        break;
      default:
        require(database, sqlite3_bind_blob(to, i + 1, data, field.size, SQLITE_STATIC));
    }
  }
  require(database, sqlite3_bind_int64(to, count_ + 1, checksum_));
  insert.finish();
}

}  // namespace atto

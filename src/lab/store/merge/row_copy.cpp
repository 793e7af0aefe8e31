#include "lab/store/merge/row_copy.h"

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

bool has_bytes(int type) { return type == SQLITE_TEXT || type == SQLITE_BLOB; }

// `data` stays where it is until the statement is done.
void bind_value(sqlite3_stmt* to, int place, const RowField& field, const char* data) {
  if (field.size == 0) data = "";  // a null pointer would bind NULL
  const auto code = [&] {
    switch (field.type) {
      case SQLITE_NULL:
        return sqlite3_bind_null(to, place);
      case SQLITE_INTEGER:
        return sqlite3_bind_int64(to, place, field.whole);
      case SQLITE_FLOAT:
        return sqlite3_bind_double(to, place, field.real);
      case SQLITE_TEXT:
        return sqlite3_bind_text(to, place, data, field.size, SQLITE_STATIC);
      default:
        return sqlite3_bind_blob(to, place, data, field.size, SQLITE_STATIC);
    }
  };
  require(sqlite3_db_handle(to), code());
}

}  // namespace

RawStatement::RawStatement(SQLite::Database& database, const std::string& sql) : database_(database.getHandle()) {
  require(database_, sqlite3_prepare_v3(database_, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr));
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
    require(sqlite3_db_handle(select_.get()),
            sqlite3_bind_text(select_.get(), ++place, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
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

bool SourceRows::is_null(int column) const { return sqlite3_column_type(select_.get(), column) == SQLITE_NULL; }

int64_t SourceRows::verify() {
  sqlite3_stmt* const select = select_.get();
  const Undisturbed undisturbed(select);
  hash_.reset();
  count_ = sqlite3_column_count(select) - 1;
  for (int i = 0; i < count_; ++i) {
    sqlite3_value* const value = sqlite3_column_value(select, i);
    RowField& field = fields_[static_cast<size_t>(i)];
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
        field.data = text ? reinterpret_cast<const char*>(sqlite3_value_text(value))
                          : static_cast<const char*>(sqlite3_value_blob(value));
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

void SourceRows::copy(RawStatement& insert) const {
  for (int i = 0; i < count_; ++i) {
    const RowField& field = fields_[static_cast<size_t>(i)];
    bind_value(insert.get(), i + 1, field, field.data);  // the source keeps its data until it goes to its next row
  }
  require(sqlite3_db_handle(insert.get()), sqlite3_bind_int64(insert.get(), count_ + 1, checksum_));
  insert.finish();
}

void HeldRows::hold(const RowField* fields, int count, int64_t checksum) {
  rows_.push_back({fields_.size(), count, checksum});
  for (int i = 0; i < count; ++i) {
    fields_.push_back({fields[i], bytes_.size()});
    if (has_bytes(fields[i].type)) bytes_.append(fields[i].data, static_cast<size_t>(fields[i].size));
  }
}

const RowField& HeldRows::field(size_t row, int column) const {
  return fields_[rows_[row].first + static_cast<size_t>(column)].value;
}

std::string_view HeldRows::text(size_t row, int column) const {
  const Field& field = fields_[rows_[row].first + static_cast<size_t>(column)];
  return {data(field), static_cast<size_t>(field.value.size)};
}

int HeldRows::bind(size_t row, RawStatement& insert, int place) const {
  const auto& [first, count, checksum] = rows_[row];
  for (int i = 0; i < count; ++i) {
    const Field& field = fields_[first + static_cast<size_t>(i)];
    bind_value(insert.get(), ++place, field.value, data(field));
  }
  require(sqlite3_db_handle(insert.get()), sqlite3_bind_int64(insert.get(), ++place, checksum));
  return place;
}

void HeldRows::copy(size_t row, RawStatement& insert) const {
  bind(row, insert, 0);
  insert.finish();
}

RowInserter::RowInserter(SQLite::Database& database, const std::string& table, int columns)
    : several_(database, insertion(table, columns, kRowsTogether)), single_(database, insertion(table, columns, 1)) {}

void RowInserter::enter(const HeldRows& rows, size_t row) {
  waiting_.emplace_back(&rows, row);
  if (waiting_.size() < kRowsTogether) return;
  int place = 0;
  for (const auto& [from, number] : waiting_) place = from->bind(number, several_, place);
  waiting_.clear();
  several_.finish();
}

void RowInserter::finish() {
  for (const auto& [from, number] : std::exchange(waiting_, {})) from->copy(number, single_);
}

}  // namespace atto

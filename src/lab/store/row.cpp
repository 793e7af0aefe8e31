#include "lab/store/row.h"

#include <sqlite3.h>
#define XXH_STATIC_LINKING_ONLY  // the state as a member, without an allocation of its own
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"

namespace atto {

static_assert(std::endian::native == std::endian::little, "the store's blobs are little-endian");

struct RowHash::State {
  XXH3_state_t xxh;
};

RowHash::RowHash() = default;
RowHash::~RowHash() = default;

void RowHash::reset() {
  size_ = 0;
  begun_ = false;
}

void RowHash::flush() {
  if (!begun_) {
    if (!state_) state_ = std::make_unique<State>();
    XXH3_64bits_reset(&state_->xxh);
    begun_ = true;
  }
  XXH3_64bits_update(&state_->xxh, gathered_.data(), size_);
  size_ = 0;
}

void RowHash::add(char type, const void* bytes, size_t size) {
  constexpr size_t kBefore = 1 + sizeof(uint64_t);  // the letter and the length
  if (size_ + kBefore + size > gathered_.size()) flush();
  gathered_[size_++] = type;
  if (type == 't' || type == 'b') {
    const auto length = static_cast<uint64_t>(size);
    std::memcpy(gathered_.data() + size_, &length, sizeof length);
    size_ += sizeof length;
  }
  if (size == 0) return;
  if (size_ + size > gathered_.size()) {
    flush();
    XXH3_64bits_update(&state_->xxh, bytes, size);
  } else {
    std::memcpy(gathered_.data() + size_, bytes, size);
    size_ += size;
  }
}

int64_t RowHash::value() {
  if (!begun_) return static_cast<int64_t>(XXH3_64bits(gathered_.data(), size_));
  flush();
  return static_cast<int64_t>(XXH3_64bits_digest(&state_->xxh));
}

std::string insertion(const std::string& table, int columns, size_t rows) {
  std::string row;
  for (int i = 0; i < columns; ++i) row += i == 0 ? "(?" : ", ?";
  row += ")";
  std::string sql = "INSERT INTO " + table + " VALUES " + row;
  for (size_t i = 1; i < rows; ++i) sql += ", " + row;
  return sql;
}

RowWriter& RowWriter::integer(std::optional<int64_t> value) {
  ++column_;
  if (value) {
    hash_.add('i', &*value, sizeof *value);
    insert_->bind(column_, *value);
  } else {
    hash_.add('n', nullptr, 0);
    insert_->bind(column_);
  }
  return *this;
}

RowWriter& RowWriter::real(std::optional<double> value) {
  ++column_;
  if (value && !std::isnan(*value)) {
    const double stored = *value + 0.0;  // SQLite drops the sign of -0
    hash_.add('f', &stored, sizeof stored);
    insert_->bind(column_, stored);
  } else {
    hash_.add('n', nullptr, 0);
    insert_->bind(column_);
  }
  return *this;
}

RowWriter& RowWriter::text(const std::string& value) {
  hash_.add('t', value.data(), value.size());
  insert_->bindNoCopy(++column_, value);
  return *this;
}

RowWriter& RowWriter::bytes(const void* data, size_t size) {
  if (size > kLargestBlob)
    throw Error(ErrorKind::resources,
                "one series or matrix of a run takes " + std::to_string(size) + " bytes, and a store holds at most " +
                    std::to_string(kLargestBlob) + " in one piece",
                "measure it at fewer steps");
  hash_.add('b', data, size);
  // A null pointer would bind NULL, so an empty blob needs some address.
  insert_->bindNoCopy(++column_, size > 0 ? data : "", static_cast<int>(size));
  return *this;
}

void RowWriter::next_row() {
  insert_->bind(++column_, hash_.value());
  hash_.reset();
}

void RowWriter::insert() {
  next_row();
  insert_->exec();
}

bool RowReader::next() {
  column_ = 0;
  hash_.reset();
  return select_->executeStep();
}

std::optional<int64_t> RowReader::maybe_integer() {
  const SQLite::Column column = select_->getColumn(column_++);
  if (column.isNull()) {
    hash_.add('n', nullptr, 0);
    return std::nullopt;
  }
  const int64_t value = column.getInt64();
  hash_.add('i', &value, sizeof value);
  return value;
}

std::optional<double> RowReader::maybe_real() {
  const SQLite::Column column = select_->getColumn(column_++);
  if (column.isNull()) {
    hash_.add('n', nullptr, 0);
    return std::nullopt;
  }
  const double value = column.getDouble();
  hash_.add('f', &value, sizeof value);
  return value;
}

int64_t RowReader::integer() {
  if (const auto value = maybe_integer()) return *value;
  damaged("a number is missing");
}

double RowReader::real() {
  if (const auto value = maybe_real()) return *value;
  damaged("a number is missing");
}

std::string RowReader::text() {
  const SQLite::Column column = select_->getColumn(column_++);
  std::string value = column.getString();
  hash_.add('t', value.data(), value.size());
  return value;
}

std::pair<const void*, size_t> RowReader::bytes() {
  const SQLite::Column column = select_->getColumn(column_++);
  const void* data = column.getBlob();
  const auto size = static_cast<size_t>(column.getBytes());
  hash_.add('b', data, size);
  return {data, size};
}

void RowReader::check() {
  const SQLite::Column column = select_->getColumn(column_);
  if (!column.isInteger() || column.getInt64() != hash_.value()) damaged("a row does not match its checksum");
}

std::pair<std::string, int64_t> RowReader::after_checksum() {
  return {select_->getColumn(column_ + 1).getString(), select_->getColumn(column_ + 2).getInt64()};
}

void require_run_id(const std::string& id) {
  constexpr size_t kLongest = 64;
  const auto is_plain = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
  if (id.empty() || id.size() > kLongest || !std::all_of(id.begin(), id.end(), is_plain))
    RowReader::damaged("a run has an id that no run can have");
}

void RowReader::damaged(const std::string& what) { throw SQLite::Exception(what, SQLITE_CORRUPT); }

}  // namespace atto

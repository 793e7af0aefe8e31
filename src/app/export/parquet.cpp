#include "app/export/parquet.h"

#include <zlib.h>

#include <cstring>

#include "app/export/thrift.h"
#include "base/error.h"
#include "base/version.h"

namespace atto {
namespace {

constexpr int64_t kGroupRows = 100'000;
constexpr size_t kGroupBytes = 64'000'000;
constexpr int64_t kPlainEncoding = 0, kRunLengthEncoding = 3;  // encodings
constexpr int64_t kGzipCodec = 2, kOptional = 1, kUtf8 = 0, kDataPage = 0;

int64_t physical_type(ParquetKind kind) {
  switch (kind) {
    case ParquetKind::truth:
      return 0;
    case ParquetKind::integer:
      return 2;
    case ParquetKind::real:
      return 5;
    case ParquetKind::text:
      return 6;
  }
  return 6;
}

void put_little_endian(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

std::string bits(const std::vector<bool>& values) {
  std::string out((values.size() + 7) / 8, '\0');
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i]) out[i / 8] = static_cast<char>(out[i / 8] | 1 << (i % 8));
  return out;
}

// Which values are there, one bit each: a single run of packed bits, after its length.
std::string definition_levels(const std::vector<bool>& present) {
  std::string run;
  uint64_t head = (present.size() + 7) / 8 << 1 | 1;
  for (; head >= 0x80; head >>= 7) run += static_cast<char>((head & 0x7F) | 0x80);
  run += static_cast<char>(head);
  run += bits(present);
  std::string out;
  put_little_endian(out, run.size(), 4);
  return out + run;
}

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  constexpr int kWindowWithGzipHeader = 15 + 16;
  if (deflateInit2(&stream, 6, Z_DEFLATED, kWindowWithGzipHeader, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error(ErrorKind::resources, "no memory to compress with");
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int end = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (end != Z_STREAM_END) throw Error(ErrorKind::internal, "a page could not be compressed");
  return out;
}

}  // namespace

ParquetWriter::ParquetWriter(const std::filesystem::path& path, std::vector<ParquetColumn> columns)
    : file_(path), columns_(std::move(columns)), waiting_(columns_.size()) {
  put("PAR1");
}

void ParquetWriter::put(const std::string& bytes) {
  file_.write(bytes);
  written_ += std::ssize(bytes);
}

void ParquetWriter::row(const std::vector<ParquetValue>& values) {
  if (values.size() != columns_.size()) throw Error(ErrorKind::internal, "a row of a Parquet file has another length");
  for (size_t i = 0; i < values.size(); ++i) {
    Waiting& column = waiting_[i];
    const size_t before = column.bytes.size();
    const auto index = static_cast<ParquetKind>(std::max<size_t>(values[i].index(), 1) - 1);
    column.present.push_back(values[i].index() != 0);
    if (!column.present.back()) continue;
    if (index != columns_[i].kind) throw Error(ErrorKind::internal, columns_[i].name + " holds values of one kind");
    if (const auto* truth = std::get_if<bool>(&values[i])) column.truths.push_back(*truth);
    if (const auto* integer = std::get_if<int64_t>(&values[i]))
      put_little_endian(column.bytes, static_cast<uint64_t>(*integer), 8);
    if (const auto* real = std::get_if<double>(&values[i])) {
      uint64_t pattern = 0;
      std::memcpy(&pattern, real, sizeof pattern);
      put_little_endian(column.bytes, pattern, 8);
    }
    if (const auto* text = std::get_if<std::string>(&values[i])) {
      put_little_endian(column.bytes, text->size(), 4);
      column.bytes += *text;
    }
    waiting_bytes_ += column.bytes.size() - before;
  }
  if (++rows_ == kGroupRows || waiting_bytes_ >= kGroupBytes) write_group();
}

ParquetWriter::Chunk ParquetWriter::write_chunk(const Waiting& column, ParquetKind kind) {
  const std::string page =
      definition_levels(column.present) + (kind == ParquetKind::truth ? bits(column.truths) : column.bytes);
  const std::string packed = gzip(page);
  ThriftWriter header;
  header.integer32(1, kDataPage).integer32(2, std::ssize(page)).integer32(3, std::ssize(packed));
  header.begin(5)
      .integer32(1, std::ssize(column.present))
      .integer32(2, kPlainEncoding)
      .integer32(3, kRunLengthEncoding)
      .integer32(4, kRunLengthEncoding)
      .end();
  const std::string head = header.finish();
  const Chunk chunk{written_, std::ssize(head) + std::ssize(page), std::ssize(head) + std::ssize(packed)};
  put(head);
  put(packed);
  return chunk;
}

void ParquetWriter::write_group() {
  if (rows_ == 0) return;
  Group group{rows_, {}};
  for (size_t i = 0; i < columns_.size(); ++i) group.chunks.push_back(write_chunk(waiting_[i], columns_[i].kind));
  groups_.push_back(std::move(group));
  waiting_.assign(columns_.size(), {});
  rows_ = 0;
  waiting_bytes_ = 0;
}

std::string ParquetWriter::footer() const {
  int64_t rows = 0;
  for (const Group& group : groups_) rows += group.rows;
  ThriftWriter out;
  out.integer32(1, 1).structs(2, columns_.size() + 1);
  out.begin_element().text(4, "schema").integer32(5, std::ssize(columns_)).end();
  for (const ParquetColumn& column : columns_) {
    out.begin_element().integer32(1, physical_type(column.kind)).integer32(3, kOptional).text(4, column.name);
    if (column.kind == ParquetKind::text) out.integer32(6, kUtf8);
    out.end();
  }
  out.integer64(3, rows).structs(4, groups_.size());
  for (const Group& group : groups_) {
    out.begin_element().structs(1, columns_.size());
    int64_t bytes = 0;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Chunk& chunk = group.chunks[i];
      bytes += chunk.plain_size;
      out.begin_element()
          .integer64(2, chunk.offset)
          .begin(3)
          .integer32(1, physical_type(columns_[i].kind))
          .integers(2, {kPlainEncoding, kRunLengthEncoding})
          .texts(3, {columns_[i].name})
          .integer32(4, kGzipCodec)
          .integer64(5, group.rows)
          .integer64(6, chunk.plain_size)
          .integer64(7, chunk.size)
          .integer64(9, chunk.offset)
          .end()
          .end();
    }
    out.integer64(2, bytes).integer64(3, group.rows).end();
  }
  out.text(6, std::string("atto ") + kVersion);
  return out.finish();
}

void ParquetWriter::finish() {
  write_group();
  std::string end = footer();
  const size_t size = end.size();
  put_little_endian(end, size, 4);
  put(end + "PAR1");
  file_.commit();
}

}  // namespace atto

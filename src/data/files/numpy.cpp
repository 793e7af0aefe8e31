// NumPy's arrays: NPY, and NPZ, a zip archive of them.
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "data/files/formats.h"

namespace atto {
namespace {

constexpr const char* kSaveAgain = "save it again with numpy.save or numpy.savez";

// The text after 'key': in the dictionary of a header.
std::string_view header_value(std::string_view header, const std::string& key, const std::string& place) {
  const size_t at = header.find("'" + key + "'");
  const size_t colon = at == std::string_view::npos ? at : header.find(':', at);
  if (colon == std::string_view::npos)
    refuse_file(place + ": the header of the array has no '" + key + "'", kSaveAgain);
  const size_t first = header.find_first_not_of(' ', colon + 1);
  return first == std::string_view::npos ? "" : header.substr(first);
}

std::vector<size_t> shape_of(std::string_view text, const std::string& place) {
  std::vector<size_t> shape;
  const size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos)
    refuse_file(place + ": the shape of the array cannot be read", kSaveAgain);
  for (size_t at = 1; at < end;) {
    size_t extent = 0;
    const auto [stop, status] = std::from_chars(text.data() + at, text.data() + end, extent);
    if (status == std::errc::result_out_of_range)
      refuse_file(place + ": the shape of the array has numbers beyond any memory", kSaveAgain);
    if (status == std::errc()) {
      shape.push_back(extent);
      at = static_cast<size_t>(stop - text.data());
    }
    while (at < end && (text[at] < '0' || text[at] > '9')) ++at;
  }
  return shape;
}

template <class Number>
double read_as(const char* at) {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return static_cast<double>(number);
}

// How to read one number of a type such as "<f8", and how many bytes it has.
struct NumberType {
  size_t bytes;
  double (*read)(const char*);
};

NumberType type_of(std::string_view descr, const std::string& place) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::pair<const char*, NumberType> kTypes[] = {
      {"'<f8'", {8, read_as<double>}},   {"'<f4'", {4, read_as<float>}},    {"'<i8'", {8, read_as<int64_t>}},
      {"'<i4'", {4, read_as<int32_t>}},  {"'<i2'", {2, read_as<int16_t>}},  {"'|i1'", {1, read_as<int8_t>}},
      {"'<u8'", {8, read_as<uint64_t>}}, {"'<u4'", {4, read_as<uint32_t>}}, {"'<u2'", {2, read_as<uint16_t>}},
      {"'|u1'", {1, read_as<uint8_t>}},  {"'|b1'", {1, read_as<uint8_t>}}};
  for (const auto& [name, type] : kTypes)
    if (descr.starts_with(name)) return type;
  refuse_file(place + ": the array has numbers of type " + std::string(descr.substr(0, descr.find(','))),
              "save it as whole or real numbers, as in numpy.save(path, array.astype('<f8'))");
}

}  // namespace

void parse_npy(std::string_view bytes, const std::string& array, NumberFile& file) {
  const std::string place = file.name + (array.empty() ? "" : ", " + array);
  const auto cut_short = [&] { refuse_file(place + ": the array ends before its last number", kSaveAgain); };
  if (!bytes.starts_with("\x93NUMPY")) refuse_file(place + ": this is no array of NumPy", kSaveAgain);
  if (bytes.size() < 12) cut_short();
  const size_t length_bytes = bytes[6] == 1 ? 2 : 4;  // version 1, or a later one
  const size_t start = 8 + length_bytes + little_endian(bytes, 8, length_bytes);
  if (bytes.size() < start) cut_short();
  const std::string_view header = bytes.substr(8 + length_bytes, start - 8 - length_bytes);
  const NumberType type = type_of(header_value(header, "descr", place), place);
  const bool by_columns = header_value(header, "fortran_order", place).starts_with("True");
  NumberArray out{array, shape_of(header_value(header, "shape", place), place), {}, {}};

  size_t count = 1;
  for (const size_t extent : out.shape)
    if (__builtin_mul_overflow(count, extent, &count)) cut_short();
  if (count == 0) refuse_file(place + ": the array is empty", "check that it is the right file");
  if ((bytes.size() - start) / type.bytes < count) cut_short();
  if (by_columns && out.shape.size() > 2)
    refuse_file(place + ": the array is stored by columns and has more than two extents",
                "save numpy.ascontiguousarray(array)");
  out.values.resize(count);
  const size_t rows = by_columns && out.shape.size() == 2 ? out.shape[0] : 1, columns = count / rows;
  for (size_t i = 0; i < count; ++i)  // row-major out, from [columns][rows] in
    out.values[i] = type.read(bytes.data() + start + (i % columns * rows + i / columns) * type.bytes);
  file.arrays.push_back(std::move(out));
}

namespace {

std::string inflated(std::string_view packed, size_t size, const std::string& place) {
  constexpr size_t kMostFold = 1032;  // deflate packs no better, so memory for more is asked in vain
  if (size / kMostFold > packed.size())
    refuse_file(place + ": the array says that it is larger than it can be", kSaveAgain);
  std::string plain(size, '\0');
  z_stream stream{};
  constexpr int kRaw = -15;  // no header of its own
  if (inflateInit2(&stream, kRaw) != Z_OK) refuse_file(place + ": cannot be unpacked", kSaveAgain);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(plain.size());
  const int status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (status != Z_STREAM_END || stream.avail_out != 0) refuse_file(place + ": the packed array is damaged", kSaveAgain);
  return plain;
}

struct ArchiveMember {
  std::string name;
  bool packed = false;
  uint64_t size = 0, crc = 0;  // of what it unpacks to
  std::string_view raw;
};

// The directory at the end of a zip archive names its members and where they stand.
std::vector<ArchiveMember> members_of(std::string_view bytes, const std::string& file) {
  constexpr size_t kEnd = 22, kEntry = 46, kLocal = 30;
  constexpr uint64_t kTooLarge = 0xffffffff, kStored = 0, kDeflated = 8;
  const auto damaged = [&] { refuse_file(file + ": the archive is damaged or cut short", kSaveAgain); };
  const size_t end = bytes.rfind("PK\x05\x06");
  if (end == std::string_view::npos || bytes.size() < end + kEnd) damaged();
  std::vector<ArchiveMember> members;
  size_t at = little_endian(bytes, end + 16, 4);
  for (uint64_t left = little_endian(bytes, end + 10, 2); left > 0; --left) {
    if (at > bytes.size() || bytes.size() - at < kEntry || !bytes.substr(at).starts_with("PK\x01\x02")) damaged();
    const uint64_t method = little_endian(bytes, at + 10, 2), crc = little_endian(bytes, at + 16, 4);
    const uint64_t packed = little_endian(bytes, at + 20, 4), size = little_endian(bytes, at + 24, 4);
    const uint64_t name_length = little_endian(bytes, at + 28, 2), local = little_endian(bytes, at + 42, 4);
    if (bytes.size() - at < kEntry + name_length) damaged();
    std::string name(bytes.substr(at + kEntry, name_length));
    at += kEntry + name_length + little_endian(bytes, at + 30, 2) + little_endian(bytes, at + 32, 2);
    if (packed == kTooLarge || size == kTooLarge || local == kTooLarge)
      refuse_file(file + ", " + name + ": an array of 4 GB and more", "keep what the study needs");
    if (!name.ends_with(".npy")) continue;
    name.resize(name.size() - 4);
    if (local > bytes.size() || bytes.size() - local < kLocal) damaged();
    const size_t start = local + kLocal + little_endian(bytes, local + 26, 2) + little_endian(bytes, local + 28, 2);
    if (start > bytes.size() || bytes.size() - start < packed) damaged();
    if (method != kStored && method != kDeflated)
      refuse_file(file + ", " + name + ": packed in a way not known here", kSaveAgain);
    members.push_back(
        {name, method == kDeflated, method == kDeflated ? size : packed, crc, bytes.substr(start, packed)});
  }
  return members;
}

}  // namespace

void parse_npz(std::string_view bytes, NumberFile& file) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 30;
  const std::vector<ArchiveMember> members = members_of(bytes, file.name);
  uint64_t unpacked = 0;  // in all, as many names may stand for the same bytes
  for (const ArchiveMember& one : members) unpacked += one.size;
  if (unpacked > kMostBytes) refuse_file(file.name + ": its arrays have more than 1 GB", "keep what the study needs");
  for (const ArchiveMember& one : members) {
    const std::string place = file.name + ", " + one.name;
    const std::string plain = one.packed ? inflated(one.raw, one.size, place) : std::string(one.raw);
    if (crc32_z(0, reinterpret_cast<const Bytef*>(plain.data()), plain.size()) != one.crc)
      refuse_file(place + ": the array is damaged", kSaveAgain);
    parse_npy(plain, one.name, file);
  }
  if (file.arrays.empty()) refuse_file(file.name + ": the archive holds no arrays", "check that it is the right file");
}

}  // namespace atto

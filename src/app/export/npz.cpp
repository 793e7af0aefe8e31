#include "app/export/npz.h"

#include <zlib.h>

#include <limits>

#include "base/error.h"

namespace atto {
namespace {

// Goes on with `crc`, 0 at the start.
uint32_t checksum(uint32_t crc, std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string little(uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> 8 * i & 0xFFu);
  return text;
}

// Magic, version 1.0, length of the rest, and a Python dictionary padded so that the data start at a multiple of 64.
std::string npy_header(const std::string& type, const std::vector<size_t>& shape) {
  std::string extents;
  for (const size_t extent : shape) extents += std::to_string(extent) + ",";
  std::string dictionary = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + extents + "), }";
  constexpr size_t kFixed = 10;
  dictionary.append((64 - (kFixed + dictionary.size() + 1) % 64) % 64, ' ');
  dictionary += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + little(dictionary.size(), 2) + dictionary;
}

constexpr uint32_t kDate = 0x00210000;  // 1 January 1980: equal runs give equal files
constexpr int kVersion20 = 20, kUtf8Names = 0x0800;

// The fields that the entry before the data and the one in the directory share.
std::string entry_fields(uint32_t crc, uint32_t size, size_t name_length) {
  return little(kVersion20, 2) + little(kUtf8Names, 2) + little(0, 2) + little(kDate, 4) + little(crc, 4) +
         little(size, 4) + little(size, 4) + little(name_length, 2) + little(0, 2);
}

}  // namespace

void NpzWriter::put(std::string_view bytes) {
  file_.write(bytes);
  written_ += bytes.size();
}

void NpzWriter::add_array(const std::string& name, const std::string& type, const std::vector<size_t>& shape,
                          std::string_view data) {
  const std::string header = npy_header(type, shape);
  const uint64_t size = header.size() + data.size();
  if (written_ + size > std::numeric_limits<uint32_t>::max() - (1u << 20))
    throw Error(ErrorKind::resources, "the archive would exceed 4 GB, the limit of the format written here",
                "export fewer observables (--observable) or fewer cells (--set)");
  Member member{name + ".npy", checksum(checksum(0, header), data), static_cast<uint32_t>(size),
                static_cast<uint32_t>(written_)};
  put("PK\x03\x04" + entry_fields(member.crc, member.size, member.name.size()) + member.name);
  put(header);
  put(data);
  members_.push_back(std::move(member));
}

void NpzWriter::add(const std::string& name, const std::vector<size_t>& shape, std::span<const double> values) {
  add_array(name, "<f8", shape, raw_bytes(values));
}

void NpzWriter::add(const std::string& name, const std::vector<size_t>& shape, std::span<const int64_t> values) {
  add_array(name, "<i8", shape, raw_bytes(values));
}

void NpzWriter::finish() {
  if (members_.size() > 0xFFFE)
    throw Error(ErrorKind::resources, "an archive of more than 65,534 arrays",
                "export fewer observables (--observable)");
  const uint64_t directory = written_;
  for (const Member& member : members_)  // then: comment, disk, internal and external attributes, offset
    put("PK\x01\x02" + little(kVersion20, 2) + entry_fields(member.crc, member.size, member.name.size()) +
        little(0, 2) + little(0, 2) + little(0, 2) + little(0, 4) + little(member.offset, 4) + member.name);
  const uint64_t length = written_ - directory;
  put("PK\x05\x06" + little(0, 4) + little(members_.size(), 2) + little(members_.size(), 2) + little(length, 4) +
      little(directory, 4) + little(0, 2));
  file_.commit();
}

}  // namespace atto

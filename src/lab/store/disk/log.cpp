#include "lab/store/disk/log.h"

#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace atto {
namespace {

// https://www.sqlite.org/fileformat2.html#the_write_ahead_log
constexpr size_t kHeaderSize = 32, kFrameHeaderSize = 24;
constexpr uint32_t kMagic = 0x377f0682;  // the lowest bit says in which byte order the checksums add up

uint32_t little_endian(const unsigned char* at) {
  uint32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

uint32_t big_endian(const unsigned char* at) { return __builtin_bswap32(little_endian(at)); }

// SQLite's sum over pairs of words; each frame goes on from the one before it.
struct Checksum {
  bool big = false;
  uint32_t first = 0, second = 0;

  void add(const unsigned char* bytes, size_t size) {
    for (size_t at = 0; at + 8 <= size; at += 8) {
      const uint32_t even = little_endian(bytes + at), odd = little_endian(bytes + at + 4);
      first += (big ? __builtin_bswap32(even) : even) + second;
      second += (big ? __builtin_bswap32(odd) : odd) + first;
    }
  }
  bool is(const unsigned char* at) const { return first == big_endian(at) && second == big_endian(at + 4); }
};

using FrameHeader = std::array<unsigned char, kFrameHeaderSize>;  // page, pages at a commit or 0, salts, checksum
using Page = std::vector<unsigned char>;

bool fits(Checksum before, const FrameHeader& frame, const Page& page) {
  before.add(frame.data(), 8);
  before.add(page.data(), page.size());
  return before.is(frame.data() + 16);
}

// Did this frame end a transaction before one of its bits was flipped?
bool was_commit(const Checksum& before, FrameHeader frame, const Page& page) {
  for (size_t bit = 0; bit < 32; ++bit) {
    FrameHeader other = frame;
    other[4 + bit / 8] ^= static_cast<unsigned char>(1u << bit % 8);
    if (fits(before, other, page)) return true;
  }
  return false;
}

}  // namespace

std::string log_path(const std::string& store_path) { return store_path + "-wal"; }

bool has_log(const std::string& store_path) {
  std::error_code none;
  const auto size = std::filesystem::file_size(log_path(store_path), none);
  return !none && size > 0;
}

std::optional<LogDamage> find_log_damage(const std::string& store_path) {
  std::ifstream file(log_path(store_path), std::ios::binary);
  std::array<unsigned char, kHeaderSize> header{};
  const auto read = [&](auto& bytes) {
    return bool(file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())));
  };
  if (!read(header)) return std::nullopt;  // there is none, or nothing was ever written to it
  const uint32_t magic = big_endian(header.data()), page_size = big_endian(header.data() + 8);
  Checksum sum{(magic & 1) != 0};
  sum.add(header.data(), 24);
  LogDamage found;
  if ((magic & ~uint32_t{1}) != kMagic || !sum.is(header.data() + 24) || !std::has_single_bit(page_size) ||
      page_size < 512 || page_size > 65536) {
    // Without its header nothing of it is used. The pages are ours, so their size is known well enough to count them.
    const auto size = static_cast<int64_t>(std::filesystem::file_size(log_path(store_path)));
    found.lost_frames = (size - static_cast<int64_t>(kHeaderSize)) / static_cast<int64_t>(kFrameHeaderSize + 4096);
    return found.lost_frames > 0 ? std::optional(found) : std::nullopt;
  }
  const uint32_t salt1 = big_endian(header.data() + 16), salt2 = big_endian(header.data() + 20);
  FrameHeader frame{};
  Page page(page_size);
  bool whole = true, committed = false;
  while (read(frame) && read(page)) {
    // A new use of the file changes both salts, so a frame that has one of them is of this use.
    const bool same1 = big_endian(frame.data() + 8) == salt1, same2 = big_endian(frame.data() + 12) == salt2;
    if (whole) {
      whole = same1 && same2 && big_endian(frame.data()) != 0 && fits(sum, frame, page);
      if (!whole && same1 && same2) committed = was_commit(sum, frame, page);
      sum.add(frame.data(), 8);
      sum.add(page.data(), page.size());
    }
    if (whole) {
      ++found.usable_frames;
    } else if (same1 || same2) {
      ++found.lost_frames;
      committed = committed || big_endian(frame.data() + 4) != 0;
    }
  }
  return committed ? std::optional(found) : std::nullopt;  // else a transaction that was stopped left them
}

}  // namespace atto

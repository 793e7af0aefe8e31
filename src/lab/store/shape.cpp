#include "lab/store/shape.h"

#include <charconv>

#include "lab/store/row.h"

namespace atto {
namespace {

constexpr size_t kMostAxes = 8;

// Of the extents that are not 0, so that the order of the axes does not matter.
size_t product(const std::vector<int64_t>& shape) {
  size_t all = 1;
  bool none = false;
  for (const int64_t extent : shape) {
    if (extent == 0) none = true;
    else if (__builtin_mul_overflow(all, static_cast<size_t>(extent), &all) || all > kLargestBlob)
      RowReader::damaged("a shape is larger than anything a store holds");
  }
  return none ? 0 : all;
}

}  // namespace

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const int64_t extent : shape) text += (text.size() > 1 ? "," : "") + std::to_string(extent);
  return text + "]";
}

std::vector<int64_t> parse_shape(const std::string& text) {
  std::vector<int64_t> shape;
  if (text == "[]") return shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  char expected = '[';
  while (at < end && *at == expected && shape.size() < kMostAxes) {
    int64_t extent = 0;
    const auto [next, problem] = std::from_chars(at + 1, end, extent);
    if (problem != std::errc() || extent < 0) break;
    shape.push_back(extent);
    if (next + 1 == end && *next == ']') return shape;
    at = next;
    expected = ',';
  }
  RowReader::damaged("'" + text.substr(0, 80) + "' is no shape");
}

void require_count(const std::vector<int64_t>& shape, size_t blocks, size_t count) {
  // Both are at most kLargestBlob: the numbers of a blob, and a shape that passed.
  if (product(shape) * blocks != count) RowReader::damaged("a series does not have as many values as its shape says");
}

}  // namespace atto

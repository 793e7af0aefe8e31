// Thrift's compact protocol, as far as the metadata of Parquet needs it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atto {

class ThriftWriter {
 public:
  ThriftWriter& integer32(int field, int64_t value) { return number(field, kInteger32, value); }
  ThriftWriter& integer64(int field, int64_t value) { return number(field, kInteger64, value); }
  ThriftWriter& text(int field, std::string_view value) {
    header(field, kBinary);
    bytes(value);
    return *this;
  }
  ThriftWriter& integers(int field, const std::vector<int64_t>& values) {
    list(field, kInteger32, values.size());
    for (const int64_t value : values) zigzag(value);
    return *this;
  }
  ThriftWriter& texts(int field, const std::vector<std::string>& values) {
    list(field, kBinary, values.size());
    for (const std::string& value : values) bytes(value);
    return *this;
  }
  // Then so many begin_element() … end().
  ThriftWriter& structs(int field, size_t count) {
    list(field, kStruct, count);
    return *this;
  }
  ThriftWriter& begin(int field) {
    header(field, kStruct);
    return begin_element();
  }
  ThriftWriter& begin_element() {
    last_.push_back(0);
    return *this;
  }
  ThriftWriter& end() {
    out_ += '\0';
    last_.pop_back();
    return *this;
  }
  // Of the outermost struct, which needs no begin.
  std::string finish() {
    out_ += '\0';
    return std::move(out_);
  }

 private:
  enum Type : int { kInteger32 = 5, kInteger64 = 6, kBinary = 8, kList = 9, kStruct = 12 };

  void header(int field, Type type) {  // numbers grow by at most 15 in all structs of Parquet
    out_ += static_cast<char>((field - last_.back()) << 4 | type);
    last_.back() = field;
  }
  ThriftWriter& number(int field, Type type, int64_t value) {
    header(field, type);
    zigzag(value);
    return *this;
  }
  void list(int field, Type type, size_t count) {
    header(field, kList);
    if (count < 15) {
      out_ += static_cast<char>(count << 4 | static_cast<size_t>(type));
    } else {
      out_ += static_cast<char>(0xF0 | type);
      varint(count);
    }
  }
  void bytes(std::string_view value) {
    varint(value.size());
    out_ += value;
  }
  void zigzag(int64_t value) { varint(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63)); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>((value & 0x7F) | 0x80);
    out_ += static_cast<char>(value);
  }

  std::string out_;
  std::vector<int> last_ = {0};  // field of each open struct
};

}  // namespace atto

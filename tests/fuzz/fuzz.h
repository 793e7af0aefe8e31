// What the fuzzers share. Each is a function that gets any bytes; libFuzzer calls it (`make fuzz`), and the tests call
// it with the bytes that are kept in corpus/ (replay.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace atto::fuzz {

// A promise that does not hold ends the program; the fuzzer then keeps the input.
inline void require(bool holds, const std::string& promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise.c_str());
  std::abort();
}

// Input may be refused, with an Error that is not about ourselves. Everything else that is thrown ends the program.
template <typename Work>
void may_refuse(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    require(error.kind() != ErrorKind::internal, std::string("an internal error: ") + error.what());
  }
}

// The input, taken apart from the front. Where it ends, zeros come.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  size_t left() const { return size_; }
  uint64_t number(size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes && size_ > 0; ++i, ++data_, --size_) value |= uint64_t{*data_} << 8 * i;
    return value;
  }
  std::string text(size_t most) {
    const size_t length = most < size_ ? most : size_;
    std::string taken(reinterpret_cast<const char*>(data_), length);
    data_ += length;
    size_ -= length;
    return taken;
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

}  // namespace atto::fuzz

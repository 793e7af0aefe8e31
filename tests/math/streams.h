// Simulated runs for tests of intervals: uniform numbers that depend on a key and their place alone.
#pragma once

#include <Random123/philox.h>

#include <cstdint>

namespace atto {

// Uniform in [0, 1), in steps of 2^-32. Streams of other keys or numbers are independent.
class Stream {
 public:
  Stream(uint32_t key, uint32_t number) : key_{{key, 0x5e0u}}, counter_{{0, number, 0, 0}} {}

  double operator()() {
    if (lane_ == 4) {
      words_ = r123::Philox4x32()(counter_, key_);
      ++counter_[0];
      lane_ = 0;
    }
    return static_cast<double>(words_[lane_++]) * 0x1p-32;
  }

 private:
  r123::Philox4x32::key_type key_;
  r123::Philox4x32::ctr_type counter_, words_ = {};
  size_t lane_ = 4;
};

}  // namespace atto

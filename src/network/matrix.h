// A weight matrix: its name, its shape, its place among the parameters and how it starts.
#pragma once

#include <cstddef>
#include <string>

namespace atto {

// How a matrix starts; `scale` is the half-width of a uniform or the deviation of a normal distribution, the number
// that all entries have, or a factor on 2^(-8(h+1)/H), the slopes of H heads.
struct Init {
  enum class Kind { uniform, normal, constant, slopes } kind = Kind::uniform;
  double scale = 0;
};

// One weight matrix in the parameter arena, row-major.
struct Matrix {
  std::string name;  // the field's name: "W_E", "blocks.0.attn.W_Q"
  int rows = 0, columns = 0;
  size_t offset = 0;  // floats from the start of the arena; a multiple of 16
  Init init;
  // Where its lane sums begin, in weights; kPlainSums when its gradient is summed without them.
  size_t lane_offset = kPlainSums;

  static constexpr size_t kPlainSums = static_cast<size_t>(-1);

  size_t size() const { return static_cast<size_t>(rows) * static_cast<size_t>(columns); }
};

}  // namespace atto

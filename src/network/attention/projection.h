// The queries or the keys of H heads: a linear map of the input, then, where the network asks for it, a norm over the
// features of each head and a rotation by position.
//
//   y = R_p (w ⊙ z / rms(z)),  z = W x_p + b
#pragma once

#include <string>
#include <vector>

#include "network/layers/blocks.h"
#include "network/layers/linear_map.h"

namespace atto {

class Projection {
 public:
  Projection() = default;
  // `letter` is that of its matrix, "Q" or "K"; it is formed at the positions of a stream from `first` on.
  Projection(Layout& layout, const BlockConfig& config, const std::string& block, const std::string& letter,
             const Stream& input, int first);

  const float* rows(const Pass& pass) const { return pass.row(normed_ ? rows_ : raw_); }  // [P][H·K]
  float* gradient(const Pass& pass) const { return pass.row(gradient_); }                 // of the rows

  void forward(const Pass& pass) const;
  // From the gradient of the rows, which it uses up: those of the weights, and dx of its positions, or += when `add`.
  void backward(const Pass& pass, bool add) const;

 private:
  float* input_rows(const Pass& pass, const Rows& rows) const { return pass.row(rows, input_.row_of(first_)); }

  Stream input_;
  int first_ = 0, positions_ = 0, heads_ = 0, width_ = 0;
  bool normed_ = false;
  LinearMap map_;
  Matrix scale_;                // [1][K]
  std::vector<float> angles_;   // [P][K/2][2]: cosine and sine; empty: not rotated
  Rows raw_, rows_, gradient_;  // [P][H·K]; rows_ only if normed
  Rows inverses_;               // [P][H]
};

}  // namespace atto

// Reserves parameters and activation rows while a network is put together.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "network/layer.h"

namespace atto {

class Layout {
 public:
  // How the gradient of a matrix is summed: per lane over a whole step (small matrices, kernels/kernels.h), or plainly.
  enum class Sums { by_lane, plain };
  // The returned copy stays valid; its offset is final.
  Matrix matrix(std::string name, int rows, int columns, Init init, Sums sums = Sums::by_lane);
  // Throws Error(config) when there are more than 2^31 in all.
  Rows rows(int64_t count);
  // Rows of kLossLanes lanes, or of a tile's if those are fewer, for a loss that takes a tile piece by piece.
  void loss_rows(int count) { loss_row_count_ = count; }
  // Rows that observers may read by address, as [Q][C] weights and the like.
  Rows named_rows(const std::string& address, int64_t count);
  Stream stream(int first, int positions, int features);
  Stream named_stream(const std::string& address, int first, int positions, int features);

  const std::vector<Matrix>& matrices() const { return matrices_; }
  const std::map<std::string, Rows>& named() const { return named_; }
  int row_count() const { return row_count_; }
  size_t loss_chunk_size(int lanes) const;                     // of the loss's rows, in floats
  size_t parameter_count() const { return parameter_count_; }  // padding included
  const std::vector<LaneRange>& lane_ranges() const { return lane_ranges_; }
  size_t lane_sum_count() const { return lane_sum_count_; }

 private:
  std::vector<Matrix> matrices_;
  std::map<std::string, Rows> named_;
  int row_count_ = 0, loss_row_count_ = 0;
  size_t parameter_count_ = 0;
  std::vector<LaneRange> lane_ranges_;
  size_t lane_sum_count_ = 0;
};

}  // namespace atto

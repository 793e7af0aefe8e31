#include "network/layout.h"

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace atto {

Matrix Layout::matrix(std::string name, int rows, int columns, Init init, Sums sums) {
  Matrix matrix{std::move(name), rows, columns, parameter_count_, init};
  const auto padded = [&](size_t multiple) { return (matrix.size() + multiple - 1) / multiple * multiple; };
  if (sums == Sums::by_lane) {
    matrix.lane_offset = lane_sum_count_;
    lane_sum_count_ += padded(4);  // so many are added up at a time
    if (!lane_ranges_.empty() && lane_ranges_.back().weight + lane_ranges_.back().count == matrix.offset)
      lane_ranges_.back().count += padded(4);
    else lane_ranges_.push_back({matrix.offset, matrix.lane_offset, padded(4)});
  }
  parameter_count_ += padded(kLanes);
  matrices_.push_back(matrix);
  return matrix;
}

Rows Layout::rows(int64_t count) {
  if (count > std::numeric_limits<int>::max() - row_count_)
    throw Error(ErrorKind::config, "this network has more than 2^31 activations for each sequence",
                "lower data.context, network.heads, layers or width");
  const Rows rows{row_count_, static_cast<int>(count)};
  row_count_ += rows.count;
  return rows;
}

Rows Layout::named_rows(const std::string& address, int64_t count) { return named_[address] = rows(count); }

size_t Layout::loss_chunk_size(int lanes) const {
  return static_cast<size_t>(loss_row_count_) * static_cast<size_t>(std::min(lanes, kLossLanes));
}

Stream Layout::stream(int first, int positions, int features) {
  return {rows(positions * features), rows(positions * features), first, positions, features};
}

Stream Layout::named_stream(const std::string& address, int first, int positions, int features) {
  const Stream stream = this->stream(first, positions, features);
  named_[address] = stream.value;
  return stream;
}

Workspace::Workspace(const BatchShape& shape, const Layout& layout, int tile_lanes)
    : lanes(tile_lanes),
      activations(static_cast<size_t>(layout.row_count()) * static_cast<size_t>(tile_lanes)),
      loss_chunk(layout.loss_chunk_size(tile_lanes)),
      lane_gradients(layout.lane_sum_count() * kLanes),
      memory(shape, tile_lanes) {}

}  // namespace atto

#include "network/plan.h"

namespace atto {

Matrix Plan::matrix(std::string name, int rows, int columns, Init init) {
  Matrix matrix{std::move(name), rows, columns, parameter_count_, init};
  parameter_count_ += (matrix.size() + kLaneGroup - 1) / kLaneGroup * kLaneGroup;
  matrices_.push_back(matrix);
  return matrix;
}

Rows Plan::rows(int count) {
  const Rows rows{row_count_, count};
  row_count_ += count;
  return rows;
}

Rows Plan::named_rows(const std::string& address, int count) { return named_[address] = rows(count); }

Stream Plan::stream(int first, int positions, int features) {
  return {rows(positions * features), rows(positions * features), first, positions, features};
}

Workspace::Workspace(int context, int first_asked, int rows, size_t parameters, int tile_lanes)
    : lanes(tile_lanes),
      activations(static_cast<size_t>(rows) * static_cast<size_t>(tile_lanes)),
      lane_gradients(parameters * kLaneGroup),
      tokens(static_cast<size_t>((context + 4) / 4 * 4) * static_cast<size_t>(tile_lanes)),
      targets(static_cast<size_t>(context - first_asked) * static_cast<size_t>(tile_lanes)),
      weights(static_cast<size_t>(context - first_asked) * static_cast<size_t>(tile_lanes)),
      batch{context, tile_lanes, tile_lanes, first_asked, tokens.data(), targets.data(), weights.data()} {}

}  // namespace atto

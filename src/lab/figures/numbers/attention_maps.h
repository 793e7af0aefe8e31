// The attention weights that a run recorded, map by map.
#pragma once

#include <algorithm>
#include <cmath>

#include "observe/recording.h"

namespace atto {

// The maps of one run: weight(sample, query, key) at a measurement, for one head.
class Maps {
 public:
  // A series of another shape than [samples][heads]?[queries][keys] has no samples.
  Maps(const Series& series, int64_t head) : series_(series) {
    const std::vector<int64_t>& shape = series.shape;
    if (shape.size() != 3 && shape.size() != 4) return;
    if (series.block() == 0 || shape.back() != shape[shape.size() - 2]) return;
    samples_ = static_cast<size_t>(shape[0]);
    heads_ = shape.size() == 4 ? static_cast<size_t>(shape[1]) : 1;
    length_ = static_cast<size_t>(shape.back());
    head_ = std::min(static_cast<size_t>(head), heads_ - 1);
  }
  size_t samples() const { return samples_; }
  size_t heads() const { return heads_; }
  size_t head() const { return head_; }
  size_t length() const { return length_; }
  double weight(size_t measurement, size_t sample, size_t query, size_t key) const {
    const size_t map = (measurement * samples_ + sample) * heads_ + head_;
    return series_.values[(map * length_ + query) * length_ + key];
  }
  // The largest weight among `block` queries and as many keys; what a map keeps of a pair that is finer than it.
  double largest(size_t measurement, size_t sample, size_t row, size_t column, size_t block) const {
    double most = NAN;
    for (size_t query = row * block; query < std::min((row + 1) * block, length_); ++query)
      for (size_t key = column * block; key < std::min((column + 1) * block, length_); ++key)
        most = std::fmax(most, weight(measurement, sample, query, key));
    return most;
  }

 private:
  const Series& series_;
  size_t samples_ = 0, heads_ = 0, head_ = 0, length_ = 0;
};

}  // namespace atto

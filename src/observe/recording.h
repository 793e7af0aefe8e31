// The record of one run: what was measured, when, and how the run ended. This is what the store keeps and detectors
// read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atto {

// One observable over time. `values` holds steps.size() blocks of product(shape) numbers, row-major; shape {} is a
// scalar.
struct Series {
  std::string address;  // "perplexity", "layer.0.query.effective_rank", "embedding"
  std::vector<int64_t> shape;
  std::vector<int64_t> steps;
  std::vector<double> values;

  size_t block() const {
    size_t count = 1;
    for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
    return count;
  }
};

// A named weight matrix at the end of the run, row-major, under the field's name ("W_E", "blocks.0.attn.W_Q").
struct WeightMatrix {
  std::string name;
  int64_t rows = 0, columns = 0;
  std::vector<float> values;
};

struct Recording {
  int64_t steps_done = 0;
  std::optional<int64_t> diverged_at;  // first step whose loss was NaN or infinite
  bool stopped_early = false;          // a stop condition ended it
  std::optional<double> best_loss;     // the lowest loss the task allows, where known
  std::vector<Series> series;
  std::vector<WeightMatrix> weights;

  const Series* find(std::string_view address) const {
    for (const Series& one : series)
      if (one.address == address) return &one;
    return nullptr;
  }
};

}  // namespace atto

#include "data/sequence_set.h"

#include <algorithm>
#include <numeric>

namespace atto {

SequenceSet::SequenceSet(const BatchShape& shape, int64_t size)
    : shape_(shape),
      size_(size),
      tokens_(static_cast<size_t>(shape.context) * static_cast<size_t>(size)),
      targets_(static_cast<size_t>(shape.asked()) * static_cast<size_t>(size)),
      weights_(static_cast<size_t>(size), 1.0f) {}

namespace {

// Row by row from a table [rows][from] to one [rows][to], as far as both go on from where they stand.
void copy_rows(const int32_t* source, size_t from, int32_t* target, size_t to, int rows, size_t count) {
  for (size_t row = 0; row < static_cast<size_t>(rows); ++row)
    std::copy_n(source + row * from, count, target + row * to);
}

}  // namespace

void SequenceSet::keep(int64_t first, const Batch& batch) {
  const auto lanes = static_cast<size_t>(batch.lanes), samples = static_cast<size_t>(batch.samples);
  const auto count = static_cast<size_t>(size_);
  copy_rows(batch.tokens, lanes, tokens_.data() + first, count, shape_.context, samples);
  copy_rows(batch.targets, lanes, targets_.data() + first, count, shape_.asked(), samples);
}

void SequenceSet::fill(int64_t first, const Batch& batch) const {
  const auto lanes = static_cast<size_t>(batch.lanes), samples = static_cast<size_t>(batch.samples);
  const auto count = static_cast<size_t>(size_), from = static_cast<size_t>(first);
  const auto copy_row = [&](const auto& table, size_t source, auto* rows, size_t target) {
    const auto end = std::copy_n(table.data() + source * count + from, samples, rows + target * lanes);
    std::fill_n(end, lanes - samples, 0);
  };
  for (size_t row = 0; row < static_cast<size_t>(shape_.context); ++row) copy_row(tokens_, row, batch.tokens, row);
  for (size_t row = 0; row < static_cast<size_t>(shape_.asked()); ++row) {
    copy_row(targets_, row, batch.targets, row);
    copy_row(weights_, 0, batch.weights, row);
  }
}

void SequenceSet::pick(std::span<const uint32_t> which, const Batch& batch, int lane) const {
  const auto lanes = static_cast<size_t>(batch.lanes), count = static_cast<size_t>(size_);
  const auto pick_rows = [&](const std::vector<int32_t>& table, int rows, int32_t* to) {
    for (size_t row = 0; row < static_cast<size_t>(rows); ++row) {
      const int32_t* source = table.data() + row * count;
      int32_t* target = to + row * lanes + lane;
      for (size_t i = 0; i < which.size(); ++i) target[i] = source[which[i]];
    }
  };
  pick_rows(tokens_, shape_.context, batch.tokens);
  pick_rows(targets_, shape_.asked(), batch.targets);
}

SequenceSet SequenceSet::part(std::span<const uint32_t> which) const {
  SequenceSet chosen(shape_, static_cast<int64_t>(which.size()));
  const auto pick_rows = [&](const std::vector<int32_t>& table, std::vector<int32_t>& to) {
    for (size_t row = 0; row * which.size() < to.size(); ++row)
      for (size_t i = 0; i < which.size(); ++i)
        to[row * which.size() + i] = table[row * static_cast<size_t>(size_) + which[i]];
  };
  pick_rows(tokens_, chosen.tokens_);
  pick_rows(targets_, chosen.targets_);
  double total = 0;
  for (const uint32_t number : which) total += weights_[number];
  const double scale = total > 0 ? static_cast<double>(which.size()) / total : 0;
  for (size_t i = 0; i < which.size(); ++i) chosen.weights_[i] = static_cast<float>(weights_[which[i]] * scale);
  return chosen;
}

size_t SequenceSet::bytes(const BatchShape& shape, double size) {
  return sizeof(float) * static_cast<size_t>(shape.context + shape.asked() + 1) * static_cast<size_t>(size);
}

}  // namespace atto

#include "data/batch.h"

namespace atto {
namespace {

size_t padded(int rows) { return (static_cast<size_t>(rows) + 3) / 4 * 4; }

// Rows of each buffer; a row is `lanes` numbers of 4 bytes.
struct RowCounts {
  explicit RowCounts(const BatchShape& shape)
      : tokens(shape.vectors() ? 0 : padded(shape.context + 1)),
        targets(shape.vectors() ? 0 : static_cast<size_t>(shape.asked())),
        weights(static_cast<size_t>(shape.asked())),
        inputs(shape.vectors() ? padded(shape.context * shape.inputs) : 0),
        answers(static_cast<size_t>(shape.outputs)),
        relevant(static_cast<size_t>(shape.context)) {}

  size_t tokens, targets, weights, inputs, answers, relevant;
};

}  // namespace

BatchMemory::BatchMemory(const BatchShape& shape, int lanes) {
  const RowCounts rows(shape);
  const auto n = static_cast<size_t>(lanes);
  tokens_ = Arena<int32_t>(rows.tokens * n);
  targets_ = Arena<int32_t>(rows.targets * n);
  weights_ = Arena<float>(rows.weights * n);
  inputs_ = Arena<float>(rows.inputs * n);
  answers_ = Arena<float>(rows.answers * n);
  relevant_ = Arena<float>(rows.relevant * n);
  batch = {shape.context,   lanes,           lanes,          shape.first_asked, tokens_.data(),
           targets_.data(), weights_.data(), inputs_.data(), answers_.data(),   relevant_.data()};
}

size_t BatchMemory::bytes(const BatchShape& shape, int lanes) {
  const RowCounts rows(shape);
  return sizeof(float) * static_cast<size_t>(lanes) *
         (rows.tokens + rows.targets + rows.weights + rows.inputs + rows.answers + rows.relevant);
}

}  // namespace atto

// The parts a network is a list of, and the memory they work in.
//
// Shapes: B batch, C context, D width, V vocabulary, Q asked positions. A row is `lanes` floats, one per sample of a
// tile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/arena.h"
#include "data/batch.h"
#include "kernels/kernels.h"
#include "network/matrix.h"

namespace atto {

// Rows first .. first + count - 1 of the activation arena.
struct Rows {
  int first = 0, count = 0;
};

class Layout;

// Gaussian noise on the embedded tokens: a function of seed, step and sample, like everything that is drawn.
struct EmbeddingNoise {
  float deviation = 0;  // 0: none
  uint64_t seed = 0, step = 0;
  uint32_t first_sample = 0;  // of the tile
  Arena<float> normals;       // [C·D, rounded up to a multiple of 4][lanes], where it is ever used
};

// The memory of one tile, a piece of a batch that goes through the network at once and fits the cache.
struct Workspace {
  Workspace(const BatchShape& shape, const Layout& layout, int tile_lanes);

  int lanes;
  Arena<float> activations;     // [rows][lanes]
  Arena<float> loss_chunk;      // [loss rows][lanes, or kLossLanes if that is less]
  Arena<float> lane_gradients;  // [lane sums][16]: see kernels/kernels.h
  BatchMemory memory;
  LossSums sums;  // added to by every loss
  EmbeddingNoise noise;

  Batch& batch() { return memory.batch; }
};

// What a layer sees of one pass.
struct Pass {
  const float* parameters;
  float* gradients;  // plain sums, same layout as parameters; nullptr: none are wanted
  Workspace& work;
  float loss_scale;  // 1 / (B · Q): turns a sum over the batch into the mean

  int lanes() const { return work.lanes; }
  // Row `index` of a block of rows.
  float* row(const Rows& rows, int index = 0) const {
    return work.activations.data() + static_cast<size_t>(rows.first + index) * static_cast<size_t>(work.lanes);
  }
  const float* weights(const Matrix& matrix) const { return parameters + matrix.offset; }
  float* gradient(const Matrix& matrix) const { return gradients + matrix.offset; }
  float* lane_gradient(const Matrix& matrix) const { return work.lane_gradients.data() + matrix.lane_offset * kLanes; }
};

// A layer reads the rows the one before it wrote and writes its own; backward *writes* (does not add to) the gradient
// of its input and adds to the gradients of its weights.
class Layer {
 public:
  virtual ~Layer() = default;
  virtual void forward(const Pass& pass) const = 0;
  virtual void backward(const Pass& pass) const = 0;
};

// The end of a network turns the last stream into a loss. It adds to the sums of the workspace and, when the pass wants
// gradients, writes that of its input and adds to those of its weights, both in one go: the gradient of a loss needs
// what its value left behind, and nobody else does.
class Loss {
 public:
  virtual ~Loss() = default;
  virtual void loss(const Pass& pass) const = 0;
  // What the loss compares with the truth, after the layers' forward pass: V logits, or the numbers of an answer, of
  // samples lane .. lane + count - 1 at their asked position number `asked`, [number][sample]. In plain loops, for
  // observers.
  virtual void answer(const Pass& pass, int asked, int lane, int count, double* out) const = 0;
};

// Activations that flow between layers: value and gradient, [positions][features] rows from position `first`.
struct Stream {
  Rows value, gradient;
  int first = 0;  // position of the first row block
  int positions = 0;
  int features = 0;

  int row_of(int position) const { return (position - first) * features; }
};

}  // namespace atto

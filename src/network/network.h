// A network: a list of layers and a head over one parameter arena and one activation arena.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "network/assembly.h"
#include "network/config.h"
#include "network/layer.h"
#include "network/layout.h"
#include "network/starting_values.h"

namespace atto {

class Network {
 public:
  // For batches of a task's shape; answers at positions first_asked .. context-1.
  Network(const NetworkConfig& config, const BatchShape& shape, Keep keep = Keep::nothing);

  const BatchShape& shape() const { return shape_; }
  int vocabulary() const { return shape_.vocabulary; }
  int context() const { return shape_.context; }
  int first_asked() const { return shape_.first_asked; }

  // Size of the parameter arena in floats: every matrix begins at a multiple of 16, gaps stay 0.
  size_t parameter_count() const { return layout_.parameter_count(); }
  const std::vector<Matrix>& matrices() const { return layout_.matrices(); }
  const Matrix* find(const std::string& name) const;  // nullptr when there is none
  // Activation rows by address ("layer.0.attention.pattern": [Q][C] rows); nullptr when there is none.
  const Rows* find_rows(const std::string& address) const;
  const std::map<std::string, Rows>& activations() const { return layout_.named(); }
  const AttentionMask& mask() const { return mask_; }  // of every layer
  bool wide() const { return wide_; }                  // of blocks: a step takes milliseconds, not microseconds

  // Draws the starting weights; each matrix has a stream of its own, so adding one leaves the others as they were.
  void initialise(uint64_t seed, float* parameters) const;
  // Draws the table of tokens of a step, as initialise() does with draws of its own; nothing where there is none.
  void draw_embeddings(uint64_t seed, uint64_t step, float* parameters) const;

  // Lanes of a tile for batches of `samples`: a multiple of 16, sized so that the activations stay in the second-level
  // cache.
  int tile_lanes(int64_t samples) const;
  Workspace make_workspace(int lanes) const;
  size_t workspace_bytes(int lanes) const;
  size_t noise_size(int lanes) const;  // floats of EmbeddingNoise::normals

  // The activations of the batch that stands in work.batch: what an observer needs.
  void forward(const float* parameters, Workspace& work) const;
  // Afterwards, of samples lane .. lane + count - 1 at their asked position number `asked`: V logits, or the numbers of
  // an answer, [number][sample].
  void answer(const float* parameters, Workspace& work, int asked, int lane, int count, double* out) const;
  // forward(), and adds the tile's loss to work.sums.
  void loss(const float* parameters, Workspace& work) const;
  // Adds the tile's loss to work.sums, and the gradient of loss_scale · Σ loss to `gradients` and to the lane sums ...
  void loss_and_gradient(const float* parameters, float* gradients, Workspace& work, float loss_scale) const;
  // ... which this adds to `gradients` once all tiles of a step are through.
  void finish_gradients(float* gradients, Workspace& work) const;

 private:
  BatchShape shape_;
  int width_;
  StartingValues start_;  // of single matrices
  Layout layout_;
  AttentionMask mask_;
  bool wide_;         // of blocks, for which wide kernels do the work
  bool cheap_tiles_;  // narrow, with one answer a sequence: what a tile takes besides its samples is little
  Assembly assembly_;
};

}  // namespace atto

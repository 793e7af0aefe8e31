#include "network/network.h"

#include <algorithm>
#include <cmath>

#include "kernels/random.h"
#include "network/assembly.h"

namespace atto {
namespace {

bool is_single_head(const NetworkConfig& config, const BatchShape& shape) {
  return !shape.vectors() && !needs_blocks(config);
}

double starting_weight(const Matrix& matrix, uint64_t seed, Purpose purpose, uint64_t stream, uint32_t index) {
  const double scale = matrix.init.scale;
  switch (matrix.init.kind) {
    case Init::Kind::normal:
      return scale * standard_normal(seed, purpose, stream, index);
    case Init::Kind::uniform:
      return scale * (2 * unit_real(random_block(seed, purpose, stream, index, 0)[0]) - 1);
    case Init::Kind::constant:
      return scale;
    case Init::Kind::slopes:
      return scale * std::exp2(-8.0 * (index + 1) / static_cast<double>(matrix.size()));
  }
  return 0;
}

void draw(const Matrix& matrix, uint64_t seed, Purpose purpose, uint64_t stream, float* parameters) {
  for (uint32_t i = 0; i < matrix.size(); ++i)
    parameters[matrix.offset + i] = static_cast<float>(starting_weight(matrix, seed, purpose, stream, i));
}

}  // namespace

AttentionMask attention_mask(const NetworkConfig& config) {
  return {config.mask != Mask::full, static_cast<int>(config.window), static_cast<int>(config.stride),
          config.mask != Mask::earlier};
}

Network::Network(const NetworkConfig& config, const BatchShape& shape, Keep keep)
    : shape_(shape),
      width_(static_cast<int>(config.width)),
      start_(config),
      mask_(attention_mask(config)),
      wide_(!is_single_head(config, shape)),
      cheap_tiles_(!wide_ && config.width <= kNarrowWidth && shape.asked() == 1) {
  assembly_ =
      wide_ ? assemble_transformer(layout_, config, shape, keep) : assemble_single_head(layout_, config, shape, keep);
}

const Matrix* Network::find(const std::string& name) const {
  for (const Matrix& matrix : layout_.matrices())
    if (matrix.name == name) return &matrix;
  return nullptr;
}

const Rows* Network::find_rows(const std::string& address) const {
  const auto found = layout_.named().find(address);
  return found == layout_.named().end() ? nullptr : &found->second;
}

void Network::initialise(uint64_t seed, float* parameters) const {
  std::fill_n(parameters, parameter_count(), 0.0f);
  for (const Matrix& matrix : layout_.matrices())
    draw(matrix, seed, Purpose::init, init_stream(matrix.name), parameters);
  start_matrices(start_, layout_.matrices(), seed, {parameters, parameter_count()});
}

void Network::draw_embeddings(uint64_t seed, uint64_t step, float* parameters) const {
  if (const Matrix* table = find("W_E")) draw(*table, seed, Purpose::fresh_embedding, step, parameters);
}

int Network::tile_lanes(int64_t samples) const {
  // Small tiles stay nearer to the processor, if what a tile takes besides its samples is little: 1.3 times as fast at
  // 64 positions of width 2.
  const int64_t tile_bytes = (cheap_tiles_ ? 128 : 512) * 1024;
  constexpr int64_t kMost = 128;
  constexpr int64_t kFull = kLossLanes;  // what the unembedding takes at once on the widest registers
  // Wide networks take two groups if their activations fit the second-level cache, else one: beyond it the lines of one
  // group cost twice as much when the other's stand between them, and some kernels take a group at a time.
  constexpr int64_t kWideTileBytes = 2 * 1024 * 1024;
  const int64_t sample_bytes = static_cast<int64_t>(sizeof(float)) * layout_.row_count();
  int64_t fitting = tile_bytes / sample_bytes;
  fitting = std::clamp(fitting / kLanes * kLanes, int64_t{kLanes}, kMost);
  if (fitting > kFull) fitting = fitting / kFull * kFull;
  if (wide_) fitting = 2 * kLanes * sample_bytes <= kWideTileBytes ? 2 * kLanes : kLanes;
  // All tiles alike, so that none is mostly empty: 144 samples go as 80 and 64.
  const auto groups = [](int64_t lanes) { return (lanes + kLanes - 1) / kLanes; };
  const int64_t tiles = (samples + fitting - 1) / fitting;
  return static_cast<int>(groups((samples + tiles - 1) / tiles) * kLanes);
}

Workspace Network::make_workspace(int lanes) const { return Workspace(shape_, layout_, lanes); }

size_t Network::workspace_bytes(int lanes) const {
  return BatchMemory::bytes(shape_, lanes) +
         sizeof(float) * (static_cast<size_t>(layout_.row_count()) * static_cast<size_t>(lanes) +
                          layout_.loss_chunk_size(lanes) + layout_.lane_sum_count() * kLanes);
}

size_t Network::noise_size(int lanes) const {
  const int rows = (shape_.context * width_ + 3) / 4 * 4;
  return static_cast<size_t>(rows) * static_cast<size_t>(lanes);
}

void Network::forward(const float* parameters, Workspace& work) const {
  const Pass pass{parameters, nullptr, work, 0};
  for (const auto& layer : assembly_.layers) layer->forward(pass);
}

void Network::answer(const float* parameters, Workspace& work, int asked, int lane, int count, double* out) const {
  assembly_.loss->answer({parameters, nullptr, work, 0}, asked, lane, count, out);
}

void Network::loss(const float* parameters, Workspace& work) const {
  const Pass pass{parameters, nullptr, work, 0};
  for (const auto& layer : assembly_.layers) layer->forward(pass);
  assembly_.loss->loss(pass);
}

void Network::loss_and_gradient(const float* parameters, float* gradients, Workspace& work, float loss_scale) const {
  const Pass pass{parameters, gradients, work, loss_scale};
  for (const auto& layer : assembly_.layers) layer->forward(pass);
  assembly_.loss->loss(pass);
  for (auto layer = assembly_.layers.rbegin(); layer != assembly_.layers.rend(); ++layer) (*layer)->backward(pass);
}

void Network::finish_gradients(float* gradients, Workspace& work) const {
  sum_lane_gradients(work.lane_gradients.data(), layout_.lane_ranges().data(), layout_.lane_ranges().size(), gradients);
}

}  // namespace atto

#include "network/network.h"

#include <algorithm>
#include <cmath>

#include "network/layers.h"
#include "numeric/random.h"

namespace atto {

Network::Network(const NetworkConfig& config, const BatchShape& shape) : shape_(shape) {
  const int vocabulary = shape.vocabulary, context = shape.context, first_asked = shape.first_asked;
  const int d = static_cast<int>(config.width);
  const Init init{config.init == "normal" ? Init::Kind::normal : Init::Kind::uniform, config.init_scale / std::sqrt(d)};

  const Matrix embedding = plan_.matrix("W_E", vocabulary, d, init);
  const Stream x = plan_.stream(0, context, d);
  layers_.push_back(make_embedding(embedding, x));

  if (config.positions == "learned") {
    const Matrix table = plan_.matrix("W_pos", context, d, {Init::Kind::normal, config.position_scale});
    layers_.push_back(make_learned_positions(table, x));
  } else if (config.positions == "sinusoidal") {
    layers_.push_back(make_sinusoidal_positions(x));
  }

  const Stream o = plan_.stream(first_asked, context - first_asked, d);
  const bool causal = config.mask == "causal";
  if (config.kernel == "dot") {
    layers_.push_back(make_attention(plan_, 0, causal, init, x, o));
  } else {
    const bool inverse = config.kernel == "inverse";
    const double factor = inverse ? config.kernel_power : 1 / std::sqrt(d);
    layers_.push_back(make_distance_attention(plan_, 0, causal, init, {inverse, static_cast<float>(factor)}, x, o));
  }

  const Matrix unembedding = config.unembedding == "tied" ? embedding : plan_.matrix("W_U", vocabulary, d, init);
  head_ = make_unembedding(plan_, unembedding, config.logits == "harmonic" ? config.logits_power : 0, o);
}

const Matrix* Network::find(const std::string& name) const {
  for (const Matrix& matrix : plan_.matrices())
    if (matrix.name == name) return &matrix;
  return nullptr;
}

const Rows* Network::find_rows(const std::string& address) const {
  const auto found = plan_.named().find(address);
  return found == plan_.named().end() ? nullptr : &found->second;
}

void Network::initialise(uint64_t seed, float* parameters) const {
  std::fill_n(parameters, parameter_count(), 0.0f);
  // A stream per name and not per place in the list, so that optional matrices do not shift the others' draws.
  const auto stream_of = [](const std::string& name) {
    uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash & 0xffffffffffffffu;  // the counter holds 56 bits of it
  };
  for (const Matrix& matrix : plan_.matrices()) {
    const uint64_t stream = stream_of(matrix.name);
    for (uint32_t i = 0; i < matrix.size(); ++i) {
      const double draw = matrix.init.kind == Init::Kind::normal
                              ? standard_normal(seed, Purpose::init, stream, i)
                              : 2 * unit_real(random_block(seed, Purpose::init, stream, i, 0)[0]) - 1;
      parameters[matrix.offset + i] = static_cast<float>(draw * matrix.init.scale);
    }
  }
}

int Network::tile_lanes(int64_t samples) const {
  constexpr int64_t kTileBytes = 512 * 1024;
  constexpr int64_t kMost = 128;
  constexpr int64_t kFull = kLossLanes;  // what the unembedding takes at once on the widest registers
  int64_t fitting = kTileBytes / (static_cast<int64_t>(sizeof(float)) * plan_.row_count());
  fitting = std::clamp(fitting / kLaneGroup * kLaneGroup, int64_t{kLaneGroup}, kMost);
  if (fitting > kFull) fitting = fitting / kFull * kFull;
  const int64_t needed = (samples + kLaneGroup - 1) / kLaneGroup * kLaneGroup;
  return static_cast<int>(std::min(fitting, needed));
}

Workspace Network::make_workspace(int lanes) const {
  return Workspace(shape_, plan_.row_count(), plan_.lane_sum_count(), lanes);
}

size_t Network::workspace_bytes(int lanes) const {
  return BatchMemory::bytes(shape_, lanes) +
         sizeof(float) * (static_cast<size_t>(plan_.row_count()) * static_cast<size_t>(lanes) +
                          plan_.lane_sum_count() * kLaneGroup);
}

void Network::forward(const float* parameters, Workspace& work) const {
  const Pass pass{parameters, nullptr, work, 0};
  for (const auto& layer : layers_) layer->forward(pass);
}

void Network::loss_and_gradient(const float* parameters, float* gradients, Workspace& work, float loss_scale) const {
  const Pass pass{parameters, gradients, work, loss_scale};
  for (const auto& layer : layers_) layer->forward(pass);
  head_->loss(pass);
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) (*layer)->backward(pass);
}

void Network::finish_gradients(float* gradients, Workspace& work) const {
  for (const Plan::LaneRange& range : plan_.lane_ranges())
    sum_lane_gradients(work.lane_gradients.data() + range.lane_offset * kLaneGroup, range.count,
                       gradients + range.offset);
}

}  // namespace atto

#include "kernels/random.h"
#include "network/layers/layers.h"

namespace atto {

void add_embedding_noise(const Pass& pass, const Stream& stream) {
  EmbeddingNoise& noise = pass.work.noise;
  if (noise.deviation == 0) return;
  const int blocks = (stream.value.count + 3) / 4;
  random_normals(noise.seed, static_cast<uint32_t>(Purpose::embedding_noise), noise.step, noise.first_sample, blocks,
                 noise.normals.data(), pass.lanes());
  float* x = pass.row(stream.value);
  const float* normals = noise.normals.data();
  const size_t count = static_cast<size_t>(stream.value.count) * static_cast<size_t>(pass.lanes());
  for (size_t i = 0; i < count; ++i) x[i] += noise.deviation * normals[i];
}

}  // namespace atto

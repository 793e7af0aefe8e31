// Counter-based random numbers: every number is a pure function of (seed, purpose, step, sample, block), so no
// generator has state, and a batch is the same whoever draws it, in whatever order.
#pragma once

#include <Random123/philox.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "kernels/kernels.h"

namespace atto {

// Streams that must never overlap, whatever the seeds.
enum class Purpose : uint32_t {
  init = 1,
  data = 2,
  probe = 3,
  bootstrap = 4,
  table = 5,
  noise = 6,
  repeats = 7,
  epochs = 12,
  split = 13,
  embedding_noise = 16,
  fresh_embedding = 17
};

// One block of four words: the scalar form of random_words().
inline std::array<uint32_t, 4> random_block(uint64_t seed, Purpose purpose, uint64_t step, uint32_t sample,
                                            uint32_t block) {
  const r123::Philox4x32::ctr_type counter{{sample, block, static_cast<uint32_t>(step),
                                            static_cast<uint32_t>(purpose) + 256 * static_cast<uint32_t>(step >> 32)}};
  const r123::Philox4x32::key_type key{{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}};
  const auto words = r123::Philox4x32()(counter, key);
  return {words[0], words[1], words[2], words[3]};
}

// [0, 1) with 24 bits, exact in float.
inline double unit_real(uint32_t word) { return (word >> 8) * 0x1p-24; }

// 0 .. bound-1: the scalar form of random_integers().
inline uint32_t random_below(uint32_t bound, uint32_t word) {
  return static_cast<uint32_t>((static_cast<uint64_t>(word) * bound) >> 32);
}

// N(0, 1) by Marsaglia's polar method: pairs in the unit disc, by rejection; each try is a block of its own.
inline double standard_normal(uint64_t seed, Purpose purpose, uint64_t stream, uint32_t element) {
  for (uint32_t attempt = 0;; ++attempt) {
    const auto words = random_block(seed, purpose, stream, element, attempt);
    const double u = 2 * (words[0] * 0x1p-32) - 1, v = 2 * (words[1] * 0x1p-32) - 1;
    const double square = u * u + v * v;
    if (square > 0 && square < 1) return u * std::sqrt(-2 * std::log(square) / square);
  }
}

}  // namespace atto

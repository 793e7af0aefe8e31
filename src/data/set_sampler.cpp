#include "data/set_sampler.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "data/tasks/sequences.h"

namespace atto {
namespace {

constexpr int kWordLanes = 256;            // lanes of random words made at once ...
constexpr size_t kWords = 4 * kWordLanes;  // ... and the words they have

}  // namespace

// Fisher and Yates: the i-th place goes to one of those that have none yet.
void shuffle(uint64_t seed, Purpose purpose, uint64_t number, std::vector<uint32_t>& order) {
  std::iota(order.begin(), order.end(), 0u);
  std::array<uint32_t, kWords> words;
  const auto size = static_cast<uint32_t>(order.size());
  for (uint32_t first = 0; first < size; first += kWords) {
    random_words(seed, static_cast<uint32_t>(purpose), number, first / 4, 1, words.data(), kWordLanes);
    const uint32_t count = std::min<uint32_t>(kWords, size - first);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t at = first + i;
      std::swap(order[at], order[at + random_below(size - at, words[i])]);
    }
  }
}

SetSampler::SetSampler(const SequenceSet& set, bool equal, int64_t samples, uint64_t seed)
    : set_(set), samples_(samples), seed_(seed) {
  const auto size = static_cast<size_t>(set.size());
  if (equal) {
    order_.resize(size);
    return;
  }
  std::vector<double> probabilities(set.weights().begin(), set.weights().end());
  const double total = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  for (double& probability : probabilities) probability /= total;
  tables_.emplace(size);
  tables_->add(probabilities);
}

void SetSampler::fill(int64_t step, int64_t first, const Batch& batch) {
  if (tables_) fill_by_weight(step, first, batch);
  else fill_by_epochs(step * samples_ + first, batch);
  weigh_samples(batch);
}

void SetSampler::fill_by_epochs(int64_t first, const Batch& batch) {
  const int64_t size = set_.size();
  // Padding goes on with the stream: any valid tokens do.
  for (int lane = 0; lane < batch.lanes;) {
    const int64_t epoch = (first + lane) / size, place = (first + lane) % size;
    if (epoch != epoch_) {
      shuffle(seed_, Purpose::epochs, static_cast<uint64_t>(epoch), order_);
      epoch_ = epoch;
    }
    const auto count = static_cast<size_t>(std::min<int64_t>(batch.lanes - lane, size - place));
    set_.pick({order_.data() + place, count}, batch, lane);
    lane += static_cast<int>(count);
  }
}

// Two words a sample, a slot and a coin of its own: even among millions of sequences each has its probability to 32
// bits.
void SetSampler::fill_by_weight(int64_t step, int64_t first, const Batch& batch) {
  std::array<uint32_t, 4 * kLanes> words;
  std::array<uint32_t, kLanes> which;
  for (int lane = 0; lane < batch.lanes; lane += kLanes) {
    random_words(seed_, static_cast<uint32_t>(Purpose::epochs), static_cast<uint64_t>(step),
                 static_cast<uint32_t>(first + lane), 1, words.data(), kLanes);
    tables_->draw_exactly(words.data(), words.data() + kLanes, which);
    set_.pick(which, batch, lane);
  }
}

// Probabilities, their multiples, and the lists of light and of heavy ones, which grow by doubling.
size_t SetSampler::building(double size, bool equal) {
  constexpr size_t kTransient = 2 * sizeof(double) + 6;
  return bytes(size, equal) + (equal ? 0 : kTransient * static_cast<size_t>(size));
}

size_t SetSampler::bytes(double size, bool equal) {
  return equal ? static_cast<size_t>(size) * sizeof(uint32_t) : AliasTables::bytes(1, static_cast<size_t>(size));
}

}  // namespace atto

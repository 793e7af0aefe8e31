#include "data/alias_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/kernels.h"
#include "kernels/random.h"

namespace atto {

void AliasTables::reserve(size_t tables) {
  keep_.reserve(tables * bound_);
  alias_.reserve(tables * bound_);
}

// Vose's construction: slots that are too light are topped up by those that are too heavy, until all weigh 1/bound.
void AliasTables::add(std::span<const double> probabilities) {
  std::vector<double> weight(probabilities.begin(), probabilities.end());
  for (double& w : weight) w *= static_cast<double>(bound_);
  std::vector<int32_t> light, heavy;
  for (size_t i = 0; i < bound_; ++i) (weight[i] < 1 ? light : heavy).push_back(static_cast<int32_t>(i));

  const size_t first = keep_.size();
  keep_.resize(first + bound_, UINT32_MAX);  // a slot left over keeps itself
  alias_.resize(first + bound_);
  std::iota(alias_.end() - static_cast<std::ptrdiff_t>(bound_), alias_.end(), 0);
  while (!light.empty() && !heavy.empty()) {
    const auto small = static_cast<size_t>(light.back()), large = static_cast<size_t>(heavy.back());
    light.pop_back();
    keep_[first + small] = static_cast<uint32_t>(std::min(weight[small] * 0x1p32, 4294967295.0));
    alias_[first + small] = heavy.back();
    weight[large] -= 1 - weight[small];
    if (weight[large] < 1) {
      light.push_back(heavy.back());
      heavy.pop_back();
    }
  }
}

void AliasTables::draw(const uint32_t* words, const int32_t* rows, int32_t* numbers, size_t count, size_t first) const {
  aliased_integers(words, static_cast<uint32_t>(bound_), keep_.data() + first * bound_, alias_.data() + first * bound_,
                   rows, numbers, count);
}

void AliasTables::draw_exactly(const uint32_t* words, const uint32_t* coins, std::span<uint32_t> numbers) const {
  for (size_t i = 0; i < numbers.size(); ++i) {
    const uint32_t slot = random_below(static_cast<uint32_t>(bound_), words[i]);
    numbers[i] = coins[i] < keep_[slot] ? slot : static_cast<uint32_t>(alias_[slot]);
  }
}

std::vector<double> zipf(size_t count, double exponent) {
  std::vector<double> p(count);
  for (size_t i = 0; i < count; ++i) p[i] = std::pow(static_cast<double>(i + 1), -exponent);
  const double total = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& value : p) value /= total;
  return p;
}

double entropy(std::span<const double> probabilities) {
  double sum = 0;
  for (const double p : probabilities)
    if (p > 0) sum -= p * std::log(p);
  return sum;
}

}  // namespace atto

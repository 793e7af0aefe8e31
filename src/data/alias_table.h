// Walker's alias tables: numbers with any probabilities from one random word each (kernels/kernels.h,
// aliased_integers).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace atto {

class AliasTables {
 public:
  explicit AliasTables(size_t bound) : bound_(bound) {}

  void reserve(size_t tables);
  static size_t bytes(size_t tables, size_t bound) { return tables * bound * (sizeof(uint32_t) + sizeof(int32_t)); }
  // Appends a table for probabilities that sum to 1, one per number 0 .. bound-1.
  void add(std::span<const double> probabilities);
  // numbers[i] drawn by words[i] from table rows[i] (nullptr: table `first`).
  void draw(const uint32_t* words, const int32_t* rows, int32_t* numbers, size_t count, size_t first = 0) const;
  // The same from table 0 with a word for the slot and another for the coin: exact however large the bound is.
  void draw_exactly(const uint32_t* words, const uint32_t* coins, std::span<uint32_t> numbers) const;

 private:
  size_t bound_;
  std::vector<uint32_t> keep_;
  std::vector<int32_t> alias_;
};

// p_i ∝ 1/(i+1)^exponent, i < count
std::vector<double> zipf(size_t count, double exponent);
// -Σ p ln p, in nats
double entropy(std::span<const double> probabilities);

}  // namespace atto

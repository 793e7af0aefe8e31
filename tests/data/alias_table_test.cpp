// Alias tables give each number its probability, and Zipf's law its shape.
#include "data/alias_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace atto {
namespace {

// Words that cover 0 .. 2^32-1 evenly, so that frequencies are the table's probabilities and not a sample of them: each
// boundary between two numbers, of which a table has at most two per slot, is off by less than one word.
constexpr size_t kWords = 1 << 16;
std::vector<uint32_t> even_words() {
  std::vector<uint32_t> words(kWords);
  for (size_t i = 0; i < kWords; ++i) words[i] = static_cast<uint32_t>(i << 16 | 0x8000);
  return words;
}

std::vector<double> frequencies(const AliasTables& tables, size_t bound, size_t table) {
  const std::vector<uint32_t> words = even_words();
  std::vector<int32_t> numbers(kWords, -1);
  tables.draw(words.data(), nullptr, numbers.data(), kWords, table);
  std::vector<double> share(bound);
  for (const int32_t number : numbers) share.at(static_cast<size_t>(number)) += 1.0 / kWords;
  return share;
}

void expect_probabilities(const std::vector<double>& probabilities, const std::vector<double>& share) {
  const double allowed = 2.0 * static_cast<double>(probabilities.size()) / kWords;
  for (size_t i = 0; i < probabilities.size(); ++i) {
    EXPECT_NEAR(share[i], probabilities[i], allowed) << "number " << i << " of " << probabilities.size();
    EXPECT_TRUE(probabilities[i] > 0 || share[i] == 0) << "number " << i;
  }
}

std::vector<std::vector<double>> samples() {
  std::vector<std::vector<double>> all{{1.0},        {0.5, 0.5},   {1, 0, 0}, {0, 0, 1}, {0.25, 0, 0.75, 0},
                                       zipf(100, 1), zipf(100, 20)};
  std::mt19937 random(3);
  for (const size_t bound : {2, 3, 10, 64, 101}) {
    std::vector<double> p(bound);
    for (double& one : p) one = std::exponential_distribution<double>()(random);
    const double total = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& one : p) one /= total;
    all.push_back(p);
  }
  return all;
}

TEST(AliasTables, DrawEachNumberWithItsProbability) {
  for (const auto& probabilities : samples()) {
    AliasTables tables(probabilities.size());
    tables.add(probabilities);
    expect_probabilities(probabilities, frequencies(tables, probabilities.size(), 0));
  }
}

// Whatever the slot and its coin say, the smallest coin included.
TEST(AliasTables, ExactDrawsNeverTakeWhatHasNoProbability) {
  AliasTables tables(3);
  tables.add(std::vector<double>{1, 0, 0});
  const std::vector<uint32_t> words{0, 0x80000000, 0xFFFFFFFF};
  for (const uint32_t coin : {uint32_t{0}, uint32_t{1}, uint32_t{0x80000000}}) {
    const std::vector<uint32_t> coins(3, coin);
    std::vector<uint32_t> numbers(3, 9);
    tables.draw_exactly(words.data(), coins.data(), numbers);
    EXPECT_EQ(numbers, (std::vector<uint32_t>{0, 0, 0})) << coin;
  }
}

TEST(AliasTables, KeepSeveralTablesApart) {
  const std::vector<std::vector<double>> rows{zipf(5, 1), {0, 0, 0, 1, 0}, zipf(5, 0), {0.5, 0, 0, 0, 0.5}};
  AliasTables tables(5);
  for (const auto& row : rows) tables.add(row);
  for (size_t r = 0; r < rows.size(); ++r) expect_probabilities(rows[r], frequencies(tables, 5, r));

  // A row per draw, counted from table `first`.
  const std::vector<uint32_t> words = even_words();
  std::vector<int32_t> choice(kWords), numbers(kWords), alone(kWords);
  for (size_t i = 0; i < kWords; ++i) choice[i] = static_cast<int32_t>(i % 3);
  tables.draw(words.data(), choice.data(), numbers.data(), kWords, 1);
  for (size_t r = 0; r < 3; ++r) {
    tables.draw(words.data(), nullptr, alone.data(), kWords, 1 + r);
    for (size_t i = r; i < kWords; i += 3) ASSERT_EQ(numbers[i], alone[i]);
  }
}

TEST(Zipf, FallsWithItsExponent) {
  for (const double exponent : {0.0, 0.5, 1.0, 3.0}) {
    const auto p = zipf(50, exponent);
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-12);
    for (size_t i = 0; i < 50; ++i) EXPECT_NEAR(p[0] / p[i], std::pow(i + 1, exponent), 1e-9 * p[0] / p[i]);
  }
}

TEST(Entropy, IsInNats) {
  EXPECT_NEAR(entropy(zipf(100, 0)), std::log(100), 1e-12);
  EXPECT_NEAR(entropy(zipf(100, 1)), 3.681, 5e-4);
  EXPECT_NEAR(entropy(std::vector<double>{0.25, 0.75}), 0.25 * std::log(4) + 0.75 * std::log(4.0 / 3), 1e-12);
  EXPECT_EQ(entropy(std::vector<double>{0, 1, 0}), 0);
}

}  // namespace
}  // namespace atto

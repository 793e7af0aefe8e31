#include "kernels/random.h"

#include <gtest/gtest.h>

#include "kernels/kernel_testing.h"

namespace atto {
namespace {

// Published vectors of Philox4x32-10 (Random123's kat_vectors): counter, key, result.
TEST(RandomBlock, GivesTheKnownAnswers) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(random_block(0, Purpose{0}, 0, 0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(random_block(~uint64_t{0}, Purpose{0xff}, 0x00ffffffffffffff, 0xffffffff, 0xffffffff),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(random_block(0x299f31d0a4093822, Purpose{0x44}, 0x0003707313198a2e, 0x243f6a88, 0x85a308d3),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomWords, GiveTheKnownAnswer) {
  const auto words = run_everywhere(
      [](Memory& memory) { random_words(0, 0, 0, 0, 1, memory.result(std::vector<uint32_t>(4 * 16)), 16); });
  EXPECT_EQ(words[0], 0x6627e8d5u);
  EXPECT_EQ(words[16], 0xe169c58du);
  EXPECT_EQ(words[32], 0xbc57ac4cu);
  EXPECT_EQ(words[48], 0x9b00dbd8u);
}

struct Request {
  uint64_t seed, step;
  uint32_t first_sample;
};

TEST(RandomWords, EqualRandom123) {
  const uint32_t purpose = 2;
  for (const Request& request : {Request{1, 0, 0}, Request{0xfedcba9876543210, 7, 512}, Request{3, 0xffffffff, 48},
                                 Request{3, 0x100000000, 48}, Request{3, 0x123456789abcd, 0xfffffff8}}) {
    for (const int blocks : {0, 1, 2, 5}) {
      for (const int n : kLaneCounts) {
        std::vector<uint32_t> expected(4 * blocks * n);
        for (int block = 0; block < blocks; ++block) {
          for (int lane = 0; lane < n; ++lane) {
            const r123::Philox4x32::ctr_type counter{{request.first_sample + static_cast<uint32_t>(lane),
                                                      static_cast<uint32_t>(block), static_cast<uint32_t>(request.step),
                                                      purpose + 256 * static_cast<uint32_t>(request.step >> 32)}};
            const r123::Philox4x32::key_type key{
                {static_cast<uint32_t>(request.seed), static_cast<uint32_t>(request.seed >> 32)}};
            const auto four = r123::Philox4x32()(counter, key);
            for (int word = 0; word < 4; ++word) expected[(4 * block + word) * n + lane] = four[word];
          }
        }
        EXPECT_EQ(run_everywhere([&](Memory& memory) {
                    random_words(request.seed, purpose, request.step, request.first_sample, blocks,
                                 memory.result(std::vector<uint32_t>(expected.size())), n);
                  }),
                  expected);
      }
    }
  }
}

TEST(RandomWords, DoNotDependOnHowABatchIsCut) {
  const int blocks = 3, n = 128;
  std::vector<uint32_t> whole(4 * blocks * n);
  random_words(9, 2, 5, 1000, blocks, whole.data(), n);
  for (const int lanes : {16, 32, 64}) {
    for (int first = 0; first < n; first += lanes) {
      std::vector<uint32_t> tile(4 * blocks * lanes);
      random_words(9, 2, 5, 1000 + static_cast<uint32_t>(first), blocks, tile.data(), lanes);
      for (int row = 0; row < 4 * blocks; ++row)
        for (int lane = 0; lane < lanes; ++lane)
          ASSERT_EQ(tile[row * lanes + lane], whole[row * n + first + lane]) << lanes << " lanes from " << first;
    }
  }
}

TEST(RandomIntegers, AreTheHighWordOfTheProduct) {
  for (const uint32_t bound : {1u, 2u, 3u, 10u, 100u, 65536u, 0x7fffffffu}) {
    for (const int n : kLaneCounts) {
      for (const int blocks : {1, 3}) {
        std::vector<uint32_t> expected(static_cast<size_t>(4 * blocks * n));
        random_words(11, 2, 7, 1000, blocks, expected.data(), n);
        for (uint32_t& word : expected) word = static_cast<uint32_t>((uint64_t{word} * bound) >> 32);
        EXPECT_EQ(run_everywhere([&](Memory& memory) {
                    random_integers(11, 2, 7, 1000, blocks, bound, memory.result(std::vector<int32_t>(expected.size())),
                                    n);
                  }),
                  expected)
            << "below " << bound << ", lanes " << n;
      }
    }
  }
}

// Pearson's statistic of equal shares against the 99.9 % quantile of chi-square with bound - 1 degrees of freedom.
TEST(RandomIntegers, AreUniform) {
  struct Case {
    int bound;
    double limit;
  };
  for (const Case& one : {Case{2, 10.83}, Case{10, 27.88}, Case{100, 148.23}}) {
    const int n = 128, blocks = 200, count = 4 * blocks * n;
    std::vector<int32_t> numbers(static_cast<size_t>(count));
    random_integers(1, 2, 0, 0, blocks, static_cast<uint32_t>(one.bound), numbers.data(), n);
    std::vector<int> seen(static_cast<size_t>(one.bound));
    for (const int32_t number : numbers) {
      ASSERT_TRUE(number >= 0 && number < one.bound);
      ++seen[number];
    }
    const double share = static_cast<double>(count) / one.bound;
    double statistic = 0;
    for (const int times : seen) statistic += (times - share) * (times - share) / share;
    EXPECT_LT(statistic, one.limit) << "bound " << one.bound;
  }
}

TEST(UnitReal, CoversTheIntervalBelowOne) {
  EXPECT_EQ(unit_real(0), 0.0);
  EXPECT_EQ(unit_real(0xffffffff), 1 - 0x1p-24);
  EXPECT_EQ(unit_real(0x80000000), 0.5);
  EXPECT_EQ(static_cast<double>(static_cast<float>(unit_real(0xdeadbeef))), unit_real(0xdeadbeef)) << "exact in float";
}

// Box and Muller in double, from the same words.
TEST(RandomNormals, FollowBoxAndMuller) {
  constexpr double kPi = 3.14159265358979323846;
  for (const int n : {16, 48}) {
    const int blocks = 3;
    const std::vector<float> actual = floats_everywhere(
        [&](Memory& memory) { random_normals(7, 2, 5, 32, blocks, memory.result(4 * blocks * n), n); });
    for (int block = 0; block < blocks; ++block) {
      for (int lane = 0; lane < n; ++lane) {
        const auto words =
            random_block(7, Purpose::data, 5, 32 + static_cast<uint32_t>(lane), static_cast<uint32_t>(block));
        for (int pair = 0; pair < 2; ++pair) {
          const double radius = std::sqrt(-2 * std::log(((words[2 * pair] >> 8) + 0.5) * 0x1p-24));
          const double angle = kPi * static_cast<double>(static_cast<int32_t>(words[2 * pair + 1])) * 0x1p-31;
          const size_t at = static_cast<size_t>((4 * block + 2 * pair) * n + lane);
          ASSERT_NEAR(actual[at], radius * std::cos(angle), 2e-6 * (1 + radius));
          ASSERT_NEAR(actual[at + static_cast<size_t>(n)], radius * std::sin(angle), 2e-6 * (1 + radius));
        }
      }
    }
  }
}

TEST(RandomNormals, HaveTheMomentsOfANormal) {
  constexpr int kCount = 4 * 64 * 1024;
  std::vector<float> numbers(kCount);
  random_normals(3, 2, 0, 0, 64, numbers.data(), 1024);
  double power[5] = {};
  double neighbours = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = numbers[static_cast<size_t>(i)];
    for (int k = 1; k <= 4; ++k) power[k] += std::pow(x, k) / kCount;
    if (i > 0) neighbours += x * numbers[static_cast<size_t>(i - 1)] / kCount;
  }
  const double unit = 1 / std::sqrt(kCount);  // 4.5 deviations of each mean
  EXPECT_NEAR(power[1], 0, 4.5 * unit);
  EXPECT_NEAR(power[2], 1, 4.5 * std::sqrt(2) * unit);
  EXPECT_NEAR(power[3], 0, 4.5 * std::sqrt(15) * unit);
  EXPECT_NEAR(power[4], 3, 4.5 * std::sqrt(96) * unit);
  EXPECT_NEAR(neighbours, 0, 4.5 * unit);
}

}  // namespace
}  // namespace atto

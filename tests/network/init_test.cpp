// Starting weights: their distribution, and that each matrix draws from a stream of its own.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "network/network.h"

namespace atto {
namespace {

// A network with its starting weights.
struct Started {
  Started(const NetworkConfig& config, uint64_t seed, int vocab = 50, int context = 8)
      : network(config, BatchShape{vocab, context, context - 1}),
        parameters(network.parameter_count(), std::numeric_limits<float>::quiet_NaN()) {
    network.initialise(seed, parameters.data());
  }
  std::vector<float> matrix(const std::string& name) const {
    const Matrix* found = network.find(name);
    if (found == nullptr) return {};
    const float* first = parameters.data() + found->offset;
    return {first, first + found->size()};
  }

  Network network;
  std::vector<float> parameters;
};

const std::vector<std::string> kAttention{"blocks.0.attn.W_Q", "blocks.0.attn.W_K", "blocks.0.attn.W_V"};

NetworkConfig with_width(int64_t width) {
  NetworkConfig config;
  config.width = width;
  return config;
}

struct Moments {
  double mean = 0, variance = 0, largest = 0, kurtosis = 0;
};
Moments moments(const std::vector<float>& values) {
  Moments m;
  const double count = static_cast<double>(values.size());
  for (const double value : values) m.mean += value / count, m.largest = std::max(m.largest, std::abs(value));
  double fourth = 0;
  for (const double value : values) {
    m.variance += std::pow(value - m.mean, 2) / count;
    fourth += std::pow(value - m.mean, 4) / count;
  }
  m.kurtosis = fourth / (m.variance * m.variance);
  return m;
}

TEST(Initialise, UniformFillsThePublishedRange) {
  for (const int width : {1, 2, 3, 10, 100}) {
    const Started one(with_width(width), 1, 20000 / width);
    const double bound = 1 / std::sqrt(width);
    const Moments m = moments(one.matrix("W_E"));
    const double error = 1 / std::sqrt(20000.0);
    EXPECT_LE(m.largest, bound * (1 + 1e-7)) << "width " << width;
    EXPECT_GT(m.largest, 0.999 * bound) << "width " << width;
    EXPECT_NEAR(m.mean, 0, 4 * bound * error) << "width " << width;
    EXPECT_NEAR(m.variance, bound * bound / 3, 4 * bound * bound * error) << "width " << width;
  }
}

TEST(Initialise, NormalHasThePublishedMoments) {
  NetworkConfig config = with_width(100);
  config.init = InitKind::normal;
  config.init_scale = 2;
  const Started one(config, 1, 300);
  const double deviation = 2 / std::sqrt(100.0), count = 30000;
  const Moments m = moments(one.matrix("W_E"));
  EXPECT_NEAR(m.mean, 0, 4 * deviation / std::sqrt(count));
  EXPECT_NEAR(m.variance, deviation * deviation, 4 * deviation * deviation * std::sqrt(2 / count));
  EXPECT_NEAR(m.kurtosis, 3, 4 * std::sqrt(24 / count));
}

TEST(Initialise, LearnedPositionsAreNormalWithTheirOwnScale) {
  NetworkConfig config = with_width(50);
  config.positions = PositionKind::learned;
  config.position_scale = 0.5;
  config.init_scale = 3;
  const Started one(config, 1, 10, 200);
  const Moments m = moments(one.matrix("W_pos"));
  EXPECT_NEAR(m.variance, 0.25, 4 * 0.25 * std::sqrt(2 / 10000.0));
  EXPECT_NEAR(m.kurtosis, 3, 4 * std::sqrt(24 / 10000.0));
  EXPECT_NEAR(moments(one.matrix("W_E")).largest, 3 / std::sqrt(50), 0.05 * 3 / std::sqrt(50));
}

TEST(Initialise, FreeBiasesOfDistancesAreZero) {
  NetworkConfig config = with_width(4);
  config.position_bias = BiasKind::free;
  const std::vector<float> biases = Started(config, 1).matrix("blocks.0.attn.bias");
  ASSERT_FALSE(biases.empty());
  EXPECT_EQ(biases, std::vector<float>(biases.size(), 0.0f));
}

TEST(Initialise, ScaleIsAFactorOnTheSameDraws) {
  NetworkConfig config = with_width(4);
  const Started one(config, 5);
  config.init_scale = 8;  // a power of two: exact
  const Started eight(config, 5);
  config.init_scale = 0;
  const Started none(config, 5);
  for (size_t i = 0; i < one.parameters.size(); ++i) {
    EXPECT_EQ(eight.parameters[i], 8 * one.parameters[i]);
    EXPECT_EQ(none.parameters[i], 0.0f);
  }
}

// Tied or free, with positions or without, masked or not: the matrices both networks have start alike.
TEST(Initialise, AMatrixDoesNotDependOnWhichOthersExist) {
  for (const std::string init : {"uniform", "normal"}) {
    NetworkConfig plain = with_width(3);
    plain.init = from_word<InitKind>(init);
    NetworkConfig rich = plain;
    rich.unembedding = Tying::free;
    rich.positions = PositionKind::learned;
    rich.mask = Mask::full;
    const Started a(plain, 7), b(rich, 7);
    EXPECT_TRUE(a.matrix("W_U").empty());
    EXPECT_EQ(b.matrix("W_U").size(), 150u);
    EXPECT_EQ(b.matrix("W_pos").size(), 24u);
    EXPECT_EQ(a.matrix("W_E"), b.matrix("W_E"));
    for (const std::string& name : kAttention) EXPECT_EQ(a.matrix(name), b.matrix(name)) << name;
  }
}

TEST(Initialise, MatricesAndSeedsDifferFromEachOther) {
  const Started one(with_width(4), 1), again(with_width(4), 1), other(with_width(4), 2);
  EXPECT_EQ(one.parameters, again.parameters);
  for (const std::string& name : kAttention) EXPECT_NE(one.matrix(name), other.matrix(name)) << name;
  EXPECT_NE(one.matrix("W_E"), other.matrix("W_E"));
  EXPECT_NE(one.matrix(kAttention[0]), one.matrix(kAttention[1]));
  EXPECT_NE(one.matrix(kAttention[1]), one.matrix(kAttention[2]));
}

TEST(Initialise, GapsBetweenMatricesAreZero) {
  const Started one(with_width(3), 1);
  std::vector<bool> owned(one.parameters.size());
  for (const Matrix& matrix : one.network.matrices()) {
    EXPECT_EQ(matrix.offset % kLanes, 0u) << matrix.name;
    for (size_t i = 0; i < matrix.size(); ++i) {
      EXPECT_FALSE(owned[matrix.offset + i]) << matrix.name << " overlaps another";
      owned[matrix.offset + i] = true;
    }
  }
  for (size_t i = 0; i < owned.size(); ++i) EXPECT_TRUE(owned[i] || one.parameters[i] == 0.0f) << i;
}

TEST(TileLanes, AreWholeGroupsNoWiderThanTheBatch) {
  const Network small(with_width(2), {4, 4, 3}), large(with_width(64), {4096, 64, 0});
  for (const int64_t samples : {1, 15, 16, 17, 100, 512, 100000}) {
    for (const Network* network : {&small, &large}) {
      const int lanes = network->tile_lanes(samples);
      EXPECT_EQ(lanes % kLanes, 0);
      EXPECT_GE(lanes, kLanes);
      EXPECT_LT(lanes, samples + kLanes);
    }
  }
  EXPECT_EQ(large.tile_lanes(100000), kLanes) << "a wide network gets narrow tiles";
  EXPECT_EQ(small.tile_lanes(512), 128);
  EXPECT_EQ(small.tile_lanes(144), 80) << "two tiles alike, not a full one and an almost empty one";
}

TEST(TileLanes, OfTransformersAreTwoGroupsWhereTheCacheHoldsThem) {
  NetworkConfig config = with_width(32);
  config.layers = 2;
  const Network few(config, {32, 17, 16}), many(config, {32, 170, 0});
  EXPECT_EQ(few.tile_lanes(1000), 2 * kLanes);
  EXPECT_EQ(few.tile_lanes(5), kLanes);
  EXPECT_EQ(many.tile_lanes(1000), kLanes);
}

}  // namespace
}  // namespace atto

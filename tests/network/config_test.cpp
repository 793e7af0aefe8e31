// Networks that cannot be are refused with the reason and the way out.
#include "network/config.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "base/error.h"
#include "base/limits.h"

namespace atto {
namespace {

void expect_refusal(const NetworkConfig& config, const std::string& part_of_message) {
  try {
    validate(config);
    ADD_FAILURE() << "accepted; expected: " << part_of_message;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_NE(std::string(error.what()).find(part_of_message), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(NetworkConfig, NumbersHaveTheirLimits) {
  expect_limits(network_schema(), {
                                      {"network.embedding_scale", {0, 1000}},
                                      {"network.gap_start", {-1000, 1000}},
                                      {"network.head_width", {0, 1024}},
                                      {"network.heads", {1, 256}},
                                      {"network.init_scale", {0, 1000}},
                                      {"network.kernel_power", {0.001, 1000}},
                                      {"network.layers", {1, 64}},
                                      {"network.logits_power", {0.001, 1000}},
                                      {"network.mlp_factor", {1, 64}},
                                      {"network.position_scale", {0, 1000}},
                                      {"network.stride", {1, 4096}},
                                      {"network.weight_start", {-1000, 1000}},
                                      {"network.width", {1, 1024}},
                                      {"network.window", {0, 4096}},
                                  });
}

TEST(NetworkConfig, HeadsMustDivideTheWidth) {
  NetworkConfig config;
  config.width = 10;
  config.heads = 4;
  config.output = true;
  expect_refusal(config, "network.heads = 4 does not divide network.width = 10");
  config.width = 12;
  EXPECT_NO_THROW(validate(config));
  config.head_width = 5;
  EXPECT_NO_THROW(validate(config)) << "queries and keys may have any width";
}

TEST(NetworkConfig, SeveralHeadsNeedAnOutputMap) {
  NetworkConfig config;
  config.heads = 2;
  expect_refusal(config, "needs network.output = true");
}

TEST(NetworkConfig, AttentionNeedsScores) {
  NetworkConfig config;
  config.kernel = "none";
  expect_refusal(config, "leaves attention no scores");
  config.position_bias = BiasKind::free;
  EXPECT_NO_THROW(validate(config));
}

// One setting at a time, each away from its default.
struct OneSetting {
  const char* text;  // as messages show it
  std::function<void(NetworkConfig&)> set;
};

const std::vector<OneSetting>& attention_settings() {
  using C = NetworkConfig;
  static const std::vector<OneSetting> settings = {
      {"network.head_width = 3", [](C& c) { c.head_width = 3; }},
      {"network.window = 2", [](C& c) { c.window = 2; }},
      {"network.stride = 2", [](C& c) { c.stride = 2; }},
      {"network.output = true", [](C& c) { c.output = true; }},
      {"network.qk_norm = true", [](C& c) { c.qk_norm = true; }},
      {"network.gate = true", [](C& c) { c.gate = true; }},
      {"network.mask = \"earlier\"", [](C& c) { c.mask = Mask::earlier; }},
      {"network.kernel = \"distance\"", [](C& c) { c.kernel = "distance"; }},
      {"network.position_bias = \"slope\"", [](C& c) { c.position_bias = BiasKind::slope; }},
      {"network.normalizer = \"sigmoid\"", [](C& c) { c.normalizer = Normalizer::sigmoid; }},
      {"network.positions = \"rotary\"", [](C& c) { c.positions = PositionKind::rotary; }}};
  return settings;
}

TEST(NetworkConfig, SettingsOfAttentionNeedAttention) {
  NetworkConfig plain;
  plain.stack = {"linear"};
  EXPECT_NO_THROW(validate(plain));
  for (const PositionKind added : {PositionKind::learned, PositionKind::sinusoidal}) {
    plain.positions = added;
    EXPECT_NO_THROW(validate(plain)) << "positions that are added to embeddings do without attention";
  }
  NetworkConfig heads;
  heads.stack = {"linear"};
  heads.heads = 2;
  heads.output = true;
  expect_refusal(heads, "network.heads = 2 has no effect: network.stack has no attention");
  for (const OneSetting& one : attention_settings()) {
    NetworkConfig config;
    one.set(config);
    EXPECT_NO_THROW(validate(config)) << one.text;
    config.stack = {"linear"};
    expect_refusal(config, std::string(one.text) + " has no effect: network.stack has no attention");
  }
}

TEST(NetworkConfig, OneLayerOfOnePlainHeadNeedsNoBlocks) {
  EXPECT_FALSE(needs_blocks({}));
  EXPECT_TRUE(plain_attention({}));
  const std::set<std::string> not_plain = {"network.qk_norm = true", "network.gate = true",
                                           "network.mask = \"earlier\"", "network.normalizer = \"sigmoid\"",
                                           "network.positions = \"rotary\""};
  const std::set<std::string> in_blocks = {"network.head_width = 3", "network.window = 2", "network.stride = 2",
                                           "network.output = true", "network.position_bias = \"slope\""};
  for (const OneSetting& one : attention_settings()) {
    NetworkConfig config;
    one.set(config);
    EXPECT_EQ(plain_attention(config), !not_plain.contains(one.text)) << one.text;
    EXPECT_EQ(needs_blocks(config), in_blocks.contains(one.text)) << one.text;
  }
  using C = NetworkConfig;
  const std::vector<OneSetting> blocks = {
      {"heads", [](C& c) { c.heads = 2, c.output = true; }}, {"layers", [](C& c) { c.layers = 2; }},
      {"residual", [](C& c) { c.residual = true; }},         {"mlp", [](C& c) { c.mlp = "relu"; }},
      {"norm", [](C& c) { c.norm = NormKind::pre; }},        {"biases", [](C& c) { c.biases = true; }},
      {"stack", [](C& c) { c.stack = {"linear"}; }}};
  for (const OneSetting& one : blocks) {
    NetworkConfig config;
    one.set(config);
    EXPECT_TRUE(needs_blocks(config)) << one.text;
    config.logits = Logits::harmonic;
    expect_refusal(config, "network.logits = \"harmonic\"");
  }
}

TEST(NetworkConfig, SeesTheOrderOfTokensByPositionsDistancesOrASecondLayer) {
  using C = NetworkConfig;
  const auto sees = [](const std::function<void(C&)>& set) {
    NetworkConfig config;
    set(config);
    return sees_order(config);
  };
  EXPECT_FALSE(sees([](C&) {}));
  EXPECT_FALSE(sees([](C& c) { c.mlp = "relu"; }));
  EXPECT_TRUE(sees([](C& c) { c.positions = PositionKind::learned; }));
  EXPECT_TRUE(sees([](C& c) { c.position_bias = BiasKind::free; }));
  EXPECT_TRUE(sees([](C& c) { c.window = 1; }));
  EXPECT_TRUE(sees([](C& c) { c.stride = 2; }));
  EXPECT_TRUE(sees([](C& c) { c.layers = 2; })) << "the mask shows earlier positions other tokens";
  EXPECT_FALSE(sees([](C& c) { c.layers = 2, c.mask = Mask::full; }));
}

TEST(NetworkConfig, HarmonicLogitsStandAlone) {
  NetworkConfig config;
  config.residual = true;
  config.logits = Logits::harmonic;
  expect_refusal(config, "network.logits = \"harmonic\"");
  config.residual = false;
  EXPECT_NO_THROW(validate(config));
}

}  // namespace
}  // namespace atto

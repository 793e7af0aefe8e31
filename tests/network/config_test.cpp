// Networks that cannot be are refused with the reason and the way out.
#include "network/config.h"

#include <gtest/gtest.h>

#include "base/error.h"

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

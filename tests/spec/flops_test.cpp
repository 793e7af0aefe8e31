#include "spec/flops.h"

#include <gtest/gtest.h>

namespace atto::flops_test {
namespace {

// One head of width 2 over 4 tokens of 10 kinds, one answer: by hand.
TEST(Flops, OfOneHead) {
  RunConfig config;
  config.training.batch = 3;
  const double projections = 4 * (3 * 2 * 2), attention = 4 * 4 * (2 + 2), answer = 2 * 10;
  EXPECT_DOUBLE_EQ(*flops_per_step(RunSpec(config)), 6 * 3 * (projections + attention + answer));
}

// Two blocks with outputs and MLPs over vectors of 4 features and a flag.
TEST(Flops, OfATransformer) {
  RunConfig config;
  config.data.task = "regression";
  config.data.context = 6;
  config.data.dimension = 4;
  config.network.width = 8;
  config.network.heads = 2;
  config.network.layers = 2;
  config.network.output = config.network.residual = true;
  config.network.mlp = "gelu";
  config.training.batch = 1;
  const double block = 6 * (4 * 8 * 8) + 6 * 6 * (8 + 8) + 6 * (2 * 32 * 8);
  EXPECT_DOUBLE_EQ(*flops_per_step(RunSpec(config)), 6 * (6 * 5 * 8 + 2 * block + 8 * 4));
}

TEST(Flops, OfTheTheoryAreNotCounted) {
  RunConfig config;
  config.data.task = "regression";
  config.data.context = 12;
  config.network.form = Form::scores;
  config.network.init_scale = 0;
  config.training.optimizer = "flow";
  config.training.gradient = GradientKind::expected;
  EXPECT_EQ(flops_per_step(RunSpec(config)), std::nullopt);
}

}  // namespace
}  // namespace atto::flops_test

#include "observe/forward_pass.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "spec/live_run.h"

namespace atto {
namespace {

RunConfig copy_config() {
  RunConfig config;
  config.data.vocab = 5;
  config.data.context = 3;
  config.network.heads = 2;
  config.network.width = 4;
  config.network.output = true;
  return config;
}

TEST(ForwardPass, AttentionOfEveryQuerySumsToOneOverEarlierKeys) {
  const RunSpec spec(copy_config());
  LiveRun run(spec);
  ForwardPass pass(spec);
  const std::vector<int32_t> tokens{0, 1, 2, 4, 4, 3};
  const std::vector<float> weights = pass.attention(run.trainer().parameters(), tokens, 0);
  ASSERT_EQ(pass.heads(0), 2);
  ASSERT_EQ(weights.size(), 2u * 2 * 3 * 3);
  for (size_t row = 0; row < weights.size() / 3; ++row) {
    const float* keys = weights.data() + row * 3;
    EXPECT_NEAR(keys[0] + keys[1] + keys[2], 1, 1e-6);
    for (size_t key = row % 3 + 1; key < 3; ++key) EXPECT_EQ(keys[key], 0);
  }
}

TEST(ForwardPass, LogitsDoNotDependOnTheOtherSequences) {
  const RunSpec spec(copy_config());
  LiveRun run(spec);
  ForwardPass pass(spec);
  std::vector<int32_t> many;
  for (int i = 0; i < 70 * 3; ++i) many.push_back(i % 5);  // more than a tile
  const std::vector<float> all = pass.logits(run.trainer().parameters(), many);
  const std::vector<float> last = pass.logits(run.trainer().parameters(), std::span(many).last(3));
  EXPECT_TRUE(std::equal(last.begin(), last.end(), all.end() - 15));
}

TEST(ForwardPass, RefusesWhatIsNoToken) {
  const RunSpec spec(copy_config());
  LiveRun run(spec);
  ForwardPass pass(spec);
  EXPECT_THROW(pass.logits(run.trainer().parameters(), std::vector<int32_t>{0, 1, 5}), Error);
  EXPECT_THROW(pass.attention(run.trainer().parameters(), std::vector<int32_t>{0, 1, 2}, 1), Error);
}

}  // namespace
}  // namespace atto

// The task of docs/adding-a-task.md.
#include <gtest/gtest.h>

#include "data/listed.h"
#include "data/tasks/drawn.h"

namespace atto {
namespace {

DataConfig seen_config(int64_t vocab, int64_t context, const std::string& targets = "last") {
  DataConfig config;
  config.task = "seen";
  config.vocab = vocab;
  config.context = context;
  config.targets = from_word<Targets>(targets);
  return config;
}

TEST(ExampleTask, TellsWhetherTheTokenWasSeen) {
  for (const std::string targets : {"last", "every"}) {
    int seen_ones = 0;
    const Drawn drawn(make_task(seen_config(6, 4, targets)), 1, 0, 0, 64, 50);
    const int first = targets == "last" ? 3 : 1;
    ASSERT_EQ(drawn.task->first_asked(), first);
    for (int lane = 0; lane < 64; ++lane) {
      const auto tokens = drawn.sequence(lane), answers = drawn.answers(lane);
      for (int i = first; i < 4; ++i) {
        const bool seen = std::count(tokens.begin(), tokens.begin() + i, tokens[i]) > 0;
        ASSERT_EQ(answers[i - first], seen ? 1 : 0);
        ASSERT_EQ(drawn.weights[(i - first) * 64 + lane], lane < 50 ? 1.0f : 0.0f);
        seen_ones += seen;
      }
    }
    EXPECT_GT(seen_ones, 0);
    EXPECT_LT(seen_ones, 64 * (4 - first));
  }
}

TEST(ExampleTask, IsIndependentOfTiling) {
  const Drawn whole(make_task(seen_config(9, 5, "every")), 5, 9, 0, 64, 64);
  for (int first = 0; first < 64; first += 16) {
    const Drawn piece(make_task(seen_config(9, 5, "every")), 5, 9, static_cast<uint32_t>(first), 16, 16);
    for (int lane = 0; lane < 16; ++lane) {
      EXPECT_EQ(piece.sequence(lane), whole.sequence(first + lane));
      EXPECT_EQ(piece.answers(lane), whole.answers(first + lane));
    }
  }
}

TEST(ExampleTask, RefusesWhatCannotWork) {
  try {
    make_task(seen_config(9, 1));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_STREQ(error.what(), "data.context = 1 leaves the task 'seen' nothing earlier to look at");
    EXPECT_EQ(error.remedy(), "set data.context to at least 2");
  }
}

TEST(ExampleTask, CanBeListed) { expect_multisets_to_stand_for_orders(*make_task(seen_config(4, 4))); }

}  // namespace
}  // namespace atto

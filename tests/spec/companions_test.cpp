#include "spec/companions.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace atto::companions_test {
namespace {

using Settings = std::vector<std::pair<const char*, const char*>>;

RunConfig config_with(const Settings& settings) {
  RunConfig config;
  for (const auto& [key, value] : settings) run_schema().at(key).set_text(config, value);
  return config;
}

std::map<std::string, Value> changes(const Settings& settings, const std::string& key, const std::string& text) {
  return with_companions(config_with(settings), key, run_schema().at(key).parsed(text));
}

const Settings kSinks{
    {"data.task", "unigram"}, {"data.targets", "every"}, {"data.bos", "true"}, {"data.exponent", "1"}};
const Settings kScores{{"data.task", "regression"}, {"data.context", "64"},      {"data.dimension", "16"},
                       {"network.form", "scores"},  {"network.init_scale", "0"}, {"training.optimizer", "sgd"},
                       {"training.steps", "700"},   {"training.batch", "32"}};
const Settings kRecall{{"data.task", "recall"}, {"data.context", "0"}, {"data.vocab", "20"}, {"data.repeat", "2"}};

TEST(Companions, AreNoneWhereASettingFits) {
  const auto alone = changes({}, "network.width", "5");
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone.at("network.width"), Value(int64_t{5}));
}

// From any of these a page can go to any other task that needs no file.
TEST(Companions, LeadToEveryTask) {
  for (const Settings& settings : {Settings{}, kSinks, kScores, kRecall})
    for (const char* task : {"copy", "nearest", "unigram", "bigram", "markov", "formula", "recall", "regression"}) {
      RunConfig config = config_with(settings);
      for (const auto& [key, value] : changes(settings, "data.task", task)) run_schema().at(key).set(config, value);
      EXPECT_EQ(config.data.task, task);
      EXPECT_NO_THROW(RunSpec{config}) << task;
    }
}

TEST(Companions, TakeNoMoreThanTheyMust) {
  const auto to_copy = changes(kRecall, "data.task", "copy");
  EXPECT_TRUE(to_copy.contains("data.context"));
  EXPECT_TRUE(to_copy.contains("data.repeat"));
  EXPECT_FALSE(to_copy.contains("data.vocab")) << "any task on tokens has some";
  // A network made for the theory is of no use elsewhere; how long it is trained stays.
  const auto to_tokens = changes(kScores, "data.task", "nearest");
  EXPECT_TRUE(to_tokens.contains("network.form"));
  EXPECT_TRUE(to_tokens.contains("network.init_scale"));
  EXPECT_FALSE(to_tokens.contains("training.steps"));
}

TEST(Companions, SayWhatIsWrongWhereNothingHelps) {
  EXPECT_THROW(changes({}, "data.task", "table"), Error);
  EXPECT_THROW(changes({}, "network.width", "0"), Error);
}

}  // namespace
}  // namespace atto::companions_test

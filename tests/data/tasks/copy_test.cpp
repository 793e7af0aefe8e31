// The copy task: answers, padding, and batches that depend on nothing but their own coordinates.
#include <gtest/gtest.h>

#include "base/fields.h"
#include "data/block_sources.h"
#include "data/number_files.h"
#include "data/tasks/drawn.h"

namespace atto {
namespace {

DataConfig copy_config(int64_t vocab, int64_t context, int64_t offset = 0, const std::string& targets = "last") {
  DataConfig config;
  config.task = "copy";
  config.vocab = vocab;
  config.context = context;
  config.offset = offset;
  config.targets = from_word<Targets>(targets);
  return config;
}

TEST(CopyTask, DescribesItself) {
  const auto last = make_task(copy_config(7, 5, 2));
  EXPECT_EQ(last->vocabulary(), 7);
  EXPECT_EQ(last->context(), 5);
  EXPECT_EQ(last->first_asked(), 4);
  EXPECT_EQ(last->asked(), 1);
  EXPECT_EQ(last->best_loss(), 0.0);
  const auto every = make_task(copy_config(7, 5, 2, "every"));
  EXPECT_EQ(every->first_asked(), 2) << "positions without an answer are not asked";
  EXPECT_EQ(every->asked(), 3);
}

TEST(CopyTask, AnswersAreTheTokensOffsetPlacesBack) {
  const int lanes = 32, samples = 27;
  for (const int context : {1, 2, 4, 5, 9}) {
    for (int offset = 0; offset < context; ++offset) {
      for (const std::string targets : {"last", "every"}) {
        SCOPED_TRACE(std::to_string(offset) + " back in " + std::to_string(context) + ", " + targets);
        const Drawn drawn(copy_config(10, context, offset, targets), 3, 8, 0, lanes, samples);
        const int first = targets == "last" ? context - 1 : offset;
        ASSERT_EQ(drawn.task->first_asked(), first);
        for (int position = first; position < context; ++position) {
          for (int lane = 0; lane < lanes; ++lane) {
            const int row = (position - first) * lanes + lane;
            ASSERT_EQ(drawn.targets[row], drawn.tokens[(position - offset) * lanes + lane]);
            ASSERT_EQ(drawn.weights[row], lane < samples ? 1.0f : 0.0f);
          }
        }
      }
    }
  }
}

TEST(CopyTask, PaddingHoldsValidTokens) {
  const Drawn drawn(copy_config(3, 6), 1, 0, 0, 48, 5);
  for (int position = 0; position < 6; ++position)
    for (int lane = 0; lane < 48; ++lane) {
      EXPECT_GE(drawn.tokens[position * 48 + lane], 0);
      EXPECT_LT(drawn.tokens[position * 48 + lane], 3);
    }
}

// 99.9 % quantile of chi-square with 9 degrees of freedom, at each position apart.
TEST(CopyTask, TokensAreUniformAtEveryPosition) {
  const int lanes = 128, steps = 100, vocab = 10, context = 5;
  std::vector<std::vector<int>> seen(context, std::vector<int>(vocab));
  for (int step = 0; step < steps; ++step) {
    const Drawn drawn(copy_config(vocab, context), 11, step, 0, lanes, lanes);
    for (int position = 0; position < context; ++position)
      for (int lane = 0; lane < lanes; ++lane) ++seen[position][drawn.tokens[position * lanes + lane]];
  }
  for (int position = 0; position < context; ++position) {
    const double share = static_cast<double>(lanes) * steps / vocab;
    double statistic = 0;
    for (const int times : seen[position]) statistic += (times - share) * (times - share) / share;
    EXPECT_LT(statistic, 27.88) << "position " << position;
  }
}

TEST(CopyTask, NeighbouringPositionsAreIndependent) {
  const int lanes = 128, steps = 100, vocab = 4;
  std::vector<int> pairs(vocab * vocab);
  for (int step = 0; step < steps; ++step) {
    const Drawn drawn(copy_config(vocab, 2), 12, step, 0, lanes, lanes);
    for (int lane = 0; lane < lanes; ++lane) ++pairs[drawn.tokens[lane] * vocab + drawn.tokens[lanes + lane]];
  }
  const double share = static_cast<double>(lanes) * steps / (vocab * vocab);
  double statistic = 0;
  for (const int times : pairs) statistic += (times - share) * (times - share) / share;
  EXPECT_LT(statistic, 37.70);  // 15 degrees of freedom
}

TEST(CopyTask, ABatchIsTheSameHoweverItIsCut) {
  const DataConfig config = copy_config(100, 7, 3, "every");
  const Drawn whole(config, 5, 9, 0, 128, 128);
  for (const int lanes : {16, 48, 64}) {
    for (int first = 0; first < 128; first += lanes) {
      const int samples = std::min(lanes, 128 - first);
      const Drawn piece(config, 5, 9, static_cast<uint32_t>(first), lanes, samples);
      for (int lane = 0; lane < samples; ++lane) {
        ASSERT_EQ(piece.sequence(lane), whole.sequence(first + lane)) << lanes << " lanes, sample " << first + lane;
        for (int asked = 0; asked < 4; ++asked)
          ASSERT_EQ(piece.targets[asked * lanes + lane], whole.targets[asked * 128 + first + lane]);
      }
    }
  }
}

TEST(CopyTask, SeedsStepsAndSamplesDrawDifferently) {
  const DataConfig config = copy_config(100, 8);
  const Drawn base(config, 1, 0, 0, 64, 64);
  EXPECT_EQ(base.tokens, Drawn(config, 1, 0, 0, 64, 64).tokens) << "the same coordinates, the same batch";
  for (const auto& other : {Drawn(config, 2, 0, 0, 64, 64), Drawn(config, uint64_t{1} << 32 | 1, 0, 0, 64, 64),
                            Drawn(config, 1, 1, 0, 64, 64), Drawn(config, 1, uint64_t{1} << 32, 0, 64, 64),
                            Drawn(config, 1, 0, 64, 64, 64)}) {
    int equal = 0;
    for (int lane = 0; lane < 64; ++lane) equal += other.sequence(lane) == base.sequence(lane);
    EXPECT_EQ(equal, 0);
  }
}

TEST(DataConfigCheck, AnAnswerBeforeTheStartIsRefused) {
  for (const int64_t offset : {4, 5}) {
    try {
      describe_task(copy_config(10, 4, offset));
      FAIL() << "offset " << offset << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config);
      EXPECT_NE(std::string(error.what()).find("data.offset = " + std::to_string(offset)), std::string::npos);
      EXPECT_NE(error.remedy().find(std::to_string(offset + 1)), std::string::npos);
    }
  }
  EXPECT_NO_THROW(describe_task(copy_config(10, 4, 3)));
}

TEST(DataConfigCheck, FieldsRefuseWhatNoTaskCanUse) {
  DataConfig config;
  Fields fields;
  fields.all_of(config, data_schema());
  EXPECT_THROW(fields.at("data.vocab").set(int64_t{1}), Error);
  EXPECT_THROW(fields.at("data.context").set(int64_t{-1}), Error);
  EXPECT_THROW(fields.at("data.offset").set(int64_t{-1}), Error);
  EXPECT_THROW(fields.at("data.task").set(std::string("cpoy")), Error);
  EXPECT_THROW(fields.at("data.targets").set(std::string("first")), Error);
}

TEST(MakeTask, KnowsTheListedNamesAndNoOthers) {
  for (const std::string& name : task_names()) {
    DataConfig config;
    config.task = name;
    if (name == "recall") config.context = 0;  // follows the pairs
    if (name == "formula") config.formula = "x0";
    if (name == "table") give_file(config, "0,1,2,3,4\n");
    if (name == "function") give_source(config);
    EXPECT_NE(make_task(config), nullptr) << name;
    if (name == "recall" || name == "regression") continue;
    config.context = 0;
    expect_refusal(config, "data.context = 0 leaves the task '" + name + "' nothing to look at",
                   "set data.context to at least 1; only recall knows its context by itself");
  }
  DataConfig config;
  config.task = "paste";
  EXPECT_THROW(make_task(config), Error);
}

}  // namespace
}  // namespace atto

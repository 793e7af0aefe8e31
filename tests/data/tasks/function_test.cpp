#include <gtest/gtest.h>

#include "base/error.h"
#include "data/block_sources.h"
#include "data/task.h"

namespace atto {
namespace {

constexpr int kBatch = 96;

DataConfig small_config() {
  DataConfig config;
  config.vocab = 101;
  config.context = 3;
  return config;
}

std::vector<int32_t> first_tokens(const Task& task, const Draw& draw, int samples) {
  BatchMemory memory(task.shape(), 128);
  memory.batch.samples = samples;
  task.fill(draw, memory.batch);
  return {memory.batch.tokens, memory.batch.tokens + samples};
}

Draw training_draw(uint64_t step, uint32_t first = 0) {
  Draw draw{5, step, first};
  draw.samples = kBatch;
  draw.steps = 1000;
  return draw;
}

TEST(FunctionTask, NumbersTheSequencesOfTraining) {
  DataConfig config = small_config();
  give_source(config);
  const auto task = make_task(config, 5);
  for (const uint64_t step : {0, 1, 341, 342, 2, 800}) {  // across the ends of blocks, and back
    const std::vector<int32_t> tokens = first_tokens(*task, training_draw(step), kBatch);
    for (uint64_t i = 0; i < kBatch; ++i)
      ASSERT_EQ(tokens[i], static_cast<int32_t>((5 + step * kBatch + i) % 101)) << step << " " << i;
  }
}

TEST(FunctionTask, DoesNotDependOnHowABatchIsCut) {
  DataConfig config = small_config();
  give_source(config);
  const auto whole = make_task(config, 5), cut = make_task(config, 5);
  const std::vector<int32_t> all = first_tokens(*whole, training_draw(341), kBatch);
  std::vector<int32_t> parts;
  for (const auto& [first, count] : {std::pair{0u, 32}, std::pair{32u, 48}, std::pair{80u, 16}})
    for (const int32_t token : first_tokens(*cut, training_draw(341, first), count)) parts.push_back(token);
  EXPECT_EQ(parts, all);
}

TEST(FunctionTask, AsksAheadAndNoFurtherThanTheRunGoes) {
  DataConfig config = small_config();
  const auto source = give_source(config);
  const auto task = make_task(config, 5);
  first_tokens(*task, training_draw(0), kBatch);
  ASSERT_EQ(source->asked.size(), 3u);  // the one that is used, and two ahead of it
  EXPECT_EQ(source->asked[1].number, 1u);
  EXPECT_EQ(source->asked[2].number, 2u);
  const auto rows = static_cast<uint64_t>(source->asked[0].rows);
  first_tokens(*task, training_draw(999), kBatch);
  EXPECT_EQ(source->asked.back().number, 999 * kBatch / rows);
}

TEST(FunctionTask, KeepsTestDataApartAndAsksForThemOnce) {
  DataConfig config = small_config();
  const auto source = give_source(config);
  const auto task = make_task(config, 5);
  const uint64_t step = uint64_t{1} << 41;
  const std::vector<int32_t> tokens = first_tokens(*task, {5, step}, 64);
  EXPECT_EQ(tokens[0], static_cast<int32_t>((5 + 3 * step) % 101));
  EXPECT_EQ(first_tokens(*task, {5, step}, 64), tokens);
  EXPECT_EQ(source->asked.size(), 1u);
}

TEST(FunctionTask, AsksAgainForWhatWasNeverAnswered) {
  DataConfig config = small_config();
  const auto source = give_source(config);
  const auto task = make_task(config, 5);
  source->lost = 1;
  EXPECT_EQ(first_tokens(*task, training_draw(0), kBatch)[0], 5);
  source->lost = 2;
  EXPECT_THROW(first_tokens(*task, training_draw(999), kBatch), HostStopped);
  EXPECT_EQ(first_tokens(*task, training_draw(0), kBatch)[0], 5);
}

TEST(FunctionTask, AsksEveryPositionWhereItShould) {
  DataConfig config = small_config();
  config.targets = Targets::every;
  give_source(config);
  const auto task = make_task(config, 5);
  BatchMemory memory(task->shape(), 32);
  memory.batch.samples = 20;
  task->fill(training_draw(0), memory.batch);
  EXPECT_EQ(task->asked(), 3);
  EXPECT_EQ(memory.batch.targets[2 * 32 + 4], 5 + 4 + 14);
  EXPECT_EQ(memory.batch.targets[2 * 32 + 20], 0);  // padding
  EXPECT_EQ(memory.batch.weights[20], 0);
  EXPECT_EQ(memory.batch.weights[19], 1);
}

TEST(FunctionTask, CountsFrequencies) {
  DataConfig config = small_config();
  config.vocab = 4;
  const auto source = give_source(config);
  for (const double share : make_task(config)->frequencies()) EXPECT_NEAR(share, 0.25, 1e-9);
  ASSERT_EQ(source->asked.size(), 1u);
  EXPECT_EQ(source->asked.front().stream, uint64_t{1} << 44) << "neither training nor test data";
}

TEST(FunctionTask, IsRefusedWithoutItsFunction) {
  DataConfig config = small_config();
  give_source(config);
  DataConfig without = config;
  without.source = nullptr;
  DataConfig other = config;
  other.function_hash = "abd";
  for (const auto& [wrong, what] : {std::pair{without, "which is not here"}, std::pair{other, "is not the one"}}) {
    try {
      describe_task(wrong);
      FAIL();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

}  // namespace
}  // namespace atto

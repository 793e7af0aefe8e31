// Batches drawn for a look at them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/task.h"
#include "numeric/error.h"

namespace atto {

// A drawn batch with its memory.
struct Drawn {
  Drawn(std::unique_ptr<Task> source, uint64_t seed, uint64_t step, uint32_t first_sample, int lanes, int samples)
      : task(std::move(source)),
        tokens(static_cast<size_t>((task->context() + 4) / 4 * 4 * lanes), -1),
        targets(static_cast<size_t>(task->asked() * lanes), -1),
        weights(static_cast<size_t>(task->asked() * lanes), -1.0f),
        batch{task->context(), lanes, samples, task->first_asked(), tokens.data(), targets.data(), weights.data()} {
    task->fill({seed, step, first_sample}, batch);
  }
  Drawn(const DataConfig& config, uint64_t seed, uint64_t step, uint32_t first_sample, int lanes, int samples)
      : Drawn(make_task(config), seed, step, first_sample, lanes, samples) {}

  std::vector<int32_t> sequence(int lane) const { return column(tokens, batch.context, lane); }
  std::vector<int32_t> answers(int lane) const { return column(targets, task->asked(), lane); }

  std::unique_ptr<Task> task;
  std::vector<int32_t> tokens, targets;
  std::vector<float> weights;
  Batch batch;

 private:
  std::vector<int32_t> column(const std::vector<int32_t>& rows, int count, int lane) const {
    std::vector<int32_t> one;
    for (int row = 0; row < count; ++row) one.push_back(rows[row * batch.lanes + lane]);
    return one;
  }
};

// Answers to `tokens`, from the first batch that happens to hold them.
inline std::vector<int32_t> answers_to(const DataConfig& config, const std::vector<int32_t>& tokens) {
  for (uint64_t step = 0; step < 2000; ++step) {
    const Drawn drawn(config, 1, step, 0, 128, 128);
    for (int lane = 0; lane < 128; ++lane)
      if (drawn.sequence(lane) == tokens) return drawn.answers(lane);
  }
  ADD_FAILURE() << "the sequence was never drawn";
  return {};
}

// Whatever the pieces a batch is cut into: the same sequences, the same answers, weights 1 and 0.
inline void expect_independence_of_tiling(const DataConfig& config) {
  const Drawn whole(config, 5, 9, 0, 128, 128);
  for (const int lanes : {16, 48, 64}) {
    for (int first = 0; first < 128; first += lanes) {
      const int samples = std::min(lanes, 128 - first);
      const Drawn piece(config, 5, 9, static_cast<uint32_t>(first), lanes, samples);
      for (int lane = 0; lane < samples; ++lane) {
        ASSERT_EQ(piece.sequence(lane), whole.sequence(first + lane)) << lanes << " lanes, sample " << first + lane;
        ASSERT_EQ(piece.answers(lane), whole.answers(first + lane)) << lanes << " lanes, sample " << first + lane;
      }
      for (int row = 0; row < piece.task->asked(); ++row)
        for (int lane = 0; lane < lanes; ++lane)
          ASSERT_EQ(piece.weights[row * lanes + lane], lane < samples ? 1.0f : 0.0f);
      for (int row = 0; row < config.context; ++row)
        for (int lane = 0; lane < lanes; ++lane) {
          ASSERT_GE(piece.tokens[row * lanes + lane], 0) << "padding, too, holds tokens";
          ASSERT_LT(piece.tokens[row * lanes + lane], piece.task->vocabulary());
        }
    }
  }
}

// Σ (seen - expected)² / expected; numbers that cannot be drawn must not have been.
inline double chi_square(std::span<const int> seen, std::span<const double> probabilities) {
  double total = 0, statistic = 0;
  for (const int times : seen) total += times;
  for (size_t i = 0; i < seen.size(); ++i) {
    const double expected = total * probabilities[i];
    if (expected > 0) statistic += (seen[i] - expected) * (seen[i] - expected) / expected;
    else EXPECT_EQ(seen[i], 0) << "number " << i << " has no probability";
  }
  return statistic;
}

inline void expect_refusal(const DataConfig& config, const std::string& message, const std::string& remedy) {
  try {
    validate(config);
    ADD_FAILURE() << "accepted; expected: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_STREQ(error.what(), message.c_str());
    EXPECT_EQ(error.remedy(), remedy);
  }
}

inline double reference_loss(const Task& task, const std::string& name) {
  for (const ReferenceLoss& reference : task.references())
    if (reference.name == name) return reference.loss;
  ADD_FAILURE() << "no reference called " << name;
  return 0;
}

}  // namespace atto

// Batches drawn for a look at them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/task.h"
#include "kernels/simd/target.h"

namespace atto {

// A drawn batch with its memory, filled beforehand with what no task writes.
struct Drawn {
  Drawn(std::unique_ptr<Task> source, const Draw& draw, int lanes, int samples)
      : task(std::move(source)),
        tokens(rows(task->shape().vectors() ? 0 : (task->context() + 4) / 4 * 4, lanes), -1),
        targets(rows(task->shape().vectors() ? 0 : task->asked(), lanes), -1),
        weights(rows(task->asked(), lanes), -1.0f),
        inputs(rows((task->context() * task->shape().inputs + 3) / 4 * 4, lanes), -100.0f),
        outputs(rows(task->shape().outputs, lanes), -100.0f),
        relevant(rows(task->context(), lanes), -100.0f),
        batch{task->context(), lanes,          samples,       task->first_asked(), tokens.data(),
              targets.data(),  weights.data(), inputs.data(), outputs.data(),      relevant.data()} {
    task->fill(draw, batch);
  }
  Drawn(std::unique_ptr<Task> source, uint64_t seed, uint64_t step, uint32_t first_sample, int lanes, int samples)
      : Drawn(std::move(source), {seed, step, first_sample}, lanes, samples) {}
  Drawn(const DataConfig& config, uint64_t seed, uint64_t step, uint32_t first_sample, int lanes, int samples)
      : Drawn(make_task(config), {seed, step, first_sample}, lanes, samples) {}

  std::vector<int32_t> sequence(int lane) const { return column(tokens, 0, tokens.empty() ? 0 : batch.context, lane); }
  std::vector<int32_t> answers(int lane) const { return column(targets, 0, tokens.empty() ? 0 : task->asked(), lane); }
  // Vectors: the features of a position, of all positions, and of the answer.
  std::vector<float> token(int position, int lane) const {
    return column(inputs, position * task->shape().inputs, task->shape().inputs, lane);
  }
  std::vector<float> all_inputs(int lane) const {
    return column(inputs, 0, batch.context * task->shape().inputs, lane);
  }
  std::vector<float> output(int lane) const { return column(outputs, 0, task->shape().outputs, lane); }
  std::vector<int> relevant_positions(int lane) const {
    std::vector<int> positions;
    for (int position = 0; position < batch.context; ++position) {
      const float mark = relevant[position * batch.lanes + lane];
      EXPECT_TRUE(mark == 0 || mark == 1) << mark;
      if (mark == 1) positions.push_back(position);
    }
    return positions;
  }

  std::unique_ptr<Task> task;
  std::vector<int32_t> tokens, targets;
  std::vector<float> weights, inputs, outputs, relevant;
  Batch batch;

 private:
  static size_t rows(int count, int lanes) { return static_cast<size_t>(count) * static_cast<size_t>(lanes); }
  template <class T>
  std::vector<T> column(const std::vector<T>& values, int first, int count, int lane) const {
    std::vector<T> one;
    for (int row = first; row < first + count; ++row) one.push_back(values[row * batch.lanes + lane]);
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
inline void expect_independence_of_tiling(const DataConfig& config, const Diversity& diversity = {}) {
  const Drawn whole(make_task(config, 3), {5, 9, 0, diversity}, 128, 128);
  const bool marked = whole.task->spec().relevant;
  for (const int lanes : {16, 48, 64}) {
    for (int first = 0; first < 128; first += lanes) {
      const int samples = std::min(lanes, 128 - first);
      const Drawn piece(make_task(config, 3), {5, 9, static_cast<uint32_t>(first), diversity}, lanes, samples);
      for (int lane = 0; lane < samples; ++lane) {
        SCOPED_TRACE(std::to_string(lanes) + " lanes, sample " + std::to_string(first + lane));
        ASSERT_EQ(piece.sequence(lane), whole.sequence(first + lane));
        ASSERT_EQ(piece.answers(lane), whole.answers(first + lane));
        ASSERT_EQ(piece.all_inputs(lane), whole.all_inputs(first + lane));
        ASSERT_EQ(piece.output(lane), whole.output(first + lane));
        if (marked) {
          ASSERT_EQ(piece.relevant_positions(lane), whole.relevant_positions(first + lane));
        }
      }
      for (int row = 0; row < piece.task->asked(); ++row)
        for (int lane = 0; lane < lanes; ++lane)
          ASSERT_EQ(piece.weights[row * lanes + lane], lane < samples ? 1.0f : 0.0f);
      for (int lane = 0; lane < lanes; ++lane) {
        for (const int32_t token : piece.sequence(lane)) {
          ASSERT_GE(token, 0) << "padding, too, holds tokens";
          ASSERT_LT(token, piece.task->vocabulary());
        }
        for (const float feature : piece.all_inputs(lane)) ASSERT_LT(std::abs(feature), 50) << "and vectors";
      }
    }
  }
}

inline void expect_the_same_on_every_target(const DataConfig& config, const Diversity& diversity) {
  const Drawn best(make_task(config, 3), {5, 9, 2, diversity}, 48, 48);
  for (const std::string& target : supported_targets()) {
    pin_target(target);
    const Drawn drawn(make_task(config, 3), {5, 9, 2, diversity}, 48, 48);
    EXPECT_EQ(drawn.tokens, best.tokens) << target;
    EXPECT_EQ(drawn.targets, best.targets) << target;
    EXPECT_EQ(drawn.inputs, best.inputs) << target;
    EXPECT_EQ(drawn.outputs, best.outputs) << target;
  }
  pin_target("");
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
    describe_task(config);
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

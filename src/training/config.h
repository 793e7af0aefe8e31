// How it learns.
#pragma once

#include <cstdint>
#include <string>

#include "base/schema.h"

namespace atto {

enum class GradientKind { sampled, expected };         // from a batch, or exact, over all data
enum class RateSchedule { constant, linear, cosine };  // how the rate falls after the warm-up

template <>
struct EnumWords<GradientKind> {
  static constexpr std::array words{"sampled", "expected"};
};
template <>
struct EnumWords<RateSchedule> {
  static constexpr std::array words{"constant", "linear", "cosine"};
};

struct TrainingConfig {
  std::string optimizer = "adam";  // the name of a registered one (training/optimizers/optimizer.h)
  GradientKind gradient = GradientKind::sampled;
  double rate = 1e-3;
  RateSchedule schedule = RateSchedule::constant;
  int64_t warmup = 0;       // steps of linear rise from 0
  double final_rate = 0.0;  // what a falling schedule ends at, as a fraction of `rate`
  int64_t batch = 512;      // B, fresh sequences a step
  int64_t steps = 3000;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;  // adam
  double frequency_rate = 0.0;   // γ: a token's embedding learns at rate · (its frequency / the highest)^γ
  double momentum = 0.0;         // sgd
  double stop_loss = -1.0;       // stop once the batch loss is at most this ...
  int64_t stop_hold = 10;        // ... for this many steps on end; negative stop_loss: never
  double stop_test_loss = -1.0;  // stop once the loss on test data is at most this; negative: never
  int64_t test_every = 20;       // steps from one such test to the next
  int64_t test_samples = 256;    // sequences of the test data
};

struct SeedConfig {
  int64_t init = 1;  // draws the starting weights
  int64_t data = 1;  // draws every batch
};

// The settings `training.*` and `seeds.*`; spec/run_spec.h checks the relations between them and the others.
const Schema<TrainingConfig>& training_schema();
const Schema<SeedConfig>& seed_schema();

}  // namespace atto

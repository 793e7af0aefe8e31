// How it learns.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/schema.h"

namespace atto {

enum class GradientKind { sampled, expected };  // from a batch, or exact, over all data
// How the rate goes on after the warm-up (training/rate_schedule.h).
enum class RateSchedule { constant, linear, cosine, points, hold, steps, inverse_root };

template <>
struct EnumWords<GradientKind> {
  static constexpr std::array words{"sampled", "expected"};
};
template <>
struct EnumWords<RateSchedule> {
  static constexpr std::array words{"constant", "linear", "cosine", "points", "hold", "steps", "inverse-root"};
};

// A change of the training that begins and ends at a step, or once the loss meets a condition. What the loss is at the
// time is its mean over `smooth` steps, taken every `smooth` steps; the first mean of a watch is its level.
struct InterventionConfig {
  int64_t from = 0;       // the first step it may begin at; a condition watches the losses from there on
  double from_loss = -1;  // begins once the loss is at most this; negative: no such condition
  double from_fall = 0;   // ... at most this times its level; 0: no such condition
  double from_flat = 0;   // ... differs from the mean before by at most this share of it; 0: no such condition
  int64_t until = 0;      // the first step after it; 0: the end of the run
  int64_t lasting = 0;    // steps it lasts once it has begun; 0: no limit
  double until_loss = -1, until_fall = 0, until_flat = 0;  // the same conditions, watched while it is in force
  int64_t smooth = 50;
  // What changes while it is in force.
  std::vector<std::string> freeze = {};      // matrices
  double rate = 1;                           // factor on the learning rate
  std::map<std::string, double> rates = {};  // further factors, by matrix
  double weight_decay = -1;                  // of all matrices; negative: as it was
  double embedding_noise = -1;               // negative: as it was
  bool fresh_embeddings = false;

  bool operator==(const InterventionConfig&) const = default;
};

struct TrainingConfig {
  // Compiled once, and not in every file that holds one.
  TrainingConfig();
  TrainingConfig(const TrainingConfig&);
  TrainingConfig(TrainingConfig&&) noexcept;
  TrainingConfig& operator=(const TrainingConfig&);
  TrainingConfig& operator=(TrainingConfig&&) noexcept;
  ~TrainingConfig();
  bool operator==(const TrainingConfig&) const = default;

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

  double weight_decay = 0;                        // λ; what it means, the optimizer says (DecayKind)
  std::map<std::string, double> decay;            // λ of single matrices
  std::map<std::string, double> rates;            // factors on the rate of single matrices
  std::vector<std::string> frozen;                // matrices that stay as they start
  double clip = 0;                                // the longest gradient; 0: any length
  std::vector<std::pair<double, double>> points;  // schedule points: (step, rate)
  double hold = 0.8;                              // schedule hold: share of the steps after the warm-up
  double drop = 0.1;                              // schedule steps: factor of a drop ...
  int64_t drop_every = 0;                         // ... every so many steps after the warm-up ...
  std::vector<double> drop_at;                    // ... or at these steps
  double embedding_noise = 0;                     // deviation of what is added to embedded tokens while training
  bool fresh_embeddings = false;                  // the table of tokens is drawn anew every step and not learnt
  std::vector<InterventionConfig> interventions;
};

// Whether noise is added to embeddings, or they are drawn anew, at any time of the run.
bool has_embedding_noise(const TrainingConfig& config);
bool has_fresh_embeddings(const TrainingConfig& config);

struct SeedConfig {
  int64_t init = 1;  // draws the starting weights
  int64_t data = 1;  // draws every batch
};

// The settings `training.*` and `seeds.*`; spec/run_spec.h checks the relations between them and the others.
const Schema<TrainingConfig>& training_schema();
const Schema<SeedConfig>& seed_schema();

}  // namespace atto

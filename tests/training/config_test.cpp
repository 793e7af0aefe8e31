// What the settings of training may be, and what they say together.
#include "training/config.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/limits.h"

namespace atto {
namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();
constexpr double kLargestSeed = 9007199254740992.0;  // up to here a double holds every whole number

TEST(TrainingConfig, NumbersHaveTheirLimits) {
  expect_limits(training_schema(), {
                                       {"training.batch", {1, 1048576}},
                                       {"training.beta1", {0, 1}},
                                       {"training.beta2", {0, 1}},
                                       {"training.clip", {0, 1e30}},
                                       {"training.decay", {0, 1e6}},
                                       {"training.drop", {0, 1}},
                                       {"training.drop_at", {0, 1e12}},
                                       {"training.drop_every", {0, 1e12}},
                                       {"training.embedding_noise", {0, 1e6}},
                                       {"training.epsilon", {0, 1}},
                                       {"training.final_rate", {0, 1}},
                                       {"training.frequency_rate", {-10, 10}},
                                       {"training.hold", {0, 1}},
                                       {"training.intervention.embedding_noise", {-1, 1e6}},
                                       {"training.intervention.for", {0, 1e12}},
                                       {"training.intervention.from", {0, 1e12}},
                                       {"training.intervention.from_fall", {0, 1}},
                                       {"training.intervention.from_flat", {0, 1}},
                                       {"training.intervention.from_loss", {-1, 1e6}},
                                       {"training.intervention.rate", {0, 1e6}},
                                       {"training.intervention.rates", {0, 1e6}},
                                       {"training.intervention.smooth", {1, 1e9}},
                                       {"training.intervention.until", {0, 1e12}},
                                       {"training.intervention.until_fall", {0, 1}},
                                       {"training.intervention.until_flat", {0, 1}},
                                       {"training.intervention.until_loss", {-1, 1e6}},
                                       {"training.intervention.weight_decay", {-1, 1e6}},
                                       {"training.momentum", {0, 1}},
                                       {"training.points", {-kAny, kAny}},  // a rate schedule checks them itself
                                       {"training.rate", {0, 1e6}},
                                       {"training.rates", {0, 1e6}},
                                       {"training.steps", {0, 1e12}},
                                       {"training.stop_hold", {1, 1e9}},
                                       {"training.stop_loss", {-1, 1e6}},
                                       {"training.stop_test_loss", {-1, 1e6}},
                                       {"training.test_every", {1, 1e9}},
                                       {"training.test_samples", {1, 65536}},
                                       {"training.warmup", {0, 1e12}},
                                       {"training.weight_decay", {0, 1e6}},
                                   });
  expect_limits(seed_schema(), {{"seeds.data", {0, kLargestSeed}}, {"seeds.init", {0, kLargestSeed}}});
}

TEST(TrainingConfig, NoiseAndFreshEmbeddingsMayComeFromAnIntervention) {
  TrainingConfig config;
  config.interventions.resize(2);
  EXPECT_FALSE(has_embedding_noise(config));
  EXPECT_FALSE(has_fresh_embeddings(config));
  config.interventions[1].embedding_noise = 0;
  EXPECT_FALSE(has_embedding_noise(config)) << "a noise of 0 is none";
  config.interventions[1].embedding_noise = 1e-9;
  EXPECT_TRUE(has_embedding_noise(config));
  EXPECT_FALSE(has_fresh_embeddings(config));
  config.interventions[1].fresh_embeddings = true;
  EXPECT_TRUE(has_fresh_embeddings(config));

  TrainingConfig plain;
  plain.embedding_noise = 1e-9;
  EXPECT_TRUE(has_embedding_noise(plain));
  plain.fresh_embeddings = true;
  EXPECT_TRUE(has_fresh_embeddings(plain));
}

}  // namespace
}  // namespace atto

#include "training/config.h"

#include "training/optimizers/optimizer.h"

namespace atto {

const Schema<TrainingConfig>& training_schema() {
  static const Schema<TrainingConfig> schema =
      Schema<TrainingConfig>()
          .word("training.optimizer", &TrainingConfig::optimizer, optimizer_names(),
                "how a gradient becomes an update; flow (regression): infinitely small updates, training.rate units of "
                "time "
                "a step")
          .choice("training.gradient", &TrainingConfig::gradient,
                  "from a batch, or exact over all data: the training set that data.size, data.split or a table makes, "
                  "else every sequence that the task can draw, weighed by its probability; or in closed form "
                  "(regression with network.form = \"scores\")")
          .real("training.rate", &TrainingConfig::rate, 0, 1e6, "learning rate")
          .choice("training.schedule", &TrainingConfig::schedule,
                  "how the rate falls from the end of the warm-up to the last step")
          .integer("training.warmup", &TrainingConfig::warmup, 0, 1e12,
                   "steps over which the rate rises linearly from 0")
          .real("training.final_rate", &TrainingConfig::final_rate, 0, 1,
                "end of a falling schedule, as a fraction of training.rate")
          .integer("training.batch", &TrainingConfig::batch, 1, 1 << 20,
                   "B, fresh sequences in a step; without effect where the gradient is expected")
          .integer("training.steps", &TrainingConfig::steps, 0, 1e12, "updates of a run")
          .real("training.beta1", &TrainingConfig::beta1, 0, 1, "adam: decay of the mean gradient")
          .real("training.beta2", &TrainingConfig::beta2, 0, 1, "adam: decay of the mean squared gradient")
          .real("training.epsilon", &TrainingConfig::epsilon, 0, 1, "adam: added to the root of the mean square")
          .real("training.frequency_rate", &TrainingConfig::frequency_rate, 0, 10,
                "γ: the rate of a token's embedding row is multiplied by (frequency / highest frequency)^γ")
          .real("training.momentum", &TrainingConfig::momentum, 0, 1,
                "sgd: decay of the velocity; 0 is plain gradient descent")
          .real("training.stop_loss", &TrainingConfig::stop_loss, -1, 1e6,
                "end the run once the loss of a step is at most this; negative: never")
          .integer("training.stop_hold", &TrainingConfig::stop_hold, 1, 1e9, "steps on end the stop_loss must hold")
          .real("training.stop_test_loss", &TrainingConfig::stop_test_loss, -1, 1e6,
                "end the run once the loss on test data, which repeat nothing, is at most this; negative: never")
          .integer("training.test_every", &TrainingConfig::test_every, 1, 1e9,
                   "steps between the tests that stop_test_loss asks for")
          .integer(
              "training.test_samples", &TrainingConfig::test_samples, 1, 1 << 16,
              "sequences of the test data, the same throughout a run; without effect where data.split or a table has "
              "them");
  return schema;
}

const Schema<SeedConfig>& seed_schema() {
  static const Schema<SeedConfig> schema =
      Schema<SeedConfig>()
          .integer("seeds.init", &SeedConfig::init, 0, 9007199254740992.0, "draws the starting weights")
          .integer("seeds.data", &SeedConfig::data, 0, 9007199254740992.0, "draws every batch");
  return schema;
}

}  // namespace atto

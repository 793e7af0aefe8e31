#include "training/config.h"

#include <algorithm>

#include "training/optimizers/optimizer.h"

namespace atto {

namespace {

const Schema<InterventionConfig>& intervention_schema() {
  using Part = InterventionConfig;
  static const Schema<Part> schema =
      Schema<Part>()
          .integer("from", &Part::from, 0, 1e12, "first step at which it may begin; conditions watch from there on")
          .real("from_loss", &Part::from_loss, -1, 1e6,
                "it begins once the mean loss of `smooth` steps is at most this; negative: no such condition")
          .real("from_fall", &Part::from_fall, 0, 1,
                "it begins once that mean is at most this times the first one since `from`; 0: no such condition")
          .real("from_flat", &Part::from_flat, 0, 1,
                "it begins once two such means in a row differ by at most this share; 0: no such condition")
          .integer("until", &Part::until, 0, 1e12, "first step at which it is over; 0: the run's end")
          .integer("for", &Part::lasting, 0, 1e12, "steps it lasts once it has begun; 0: no limit")
          .real("until_loss", &Part::until_loss, -1, 1e6, "it ends once the mean loss is at most this")
          .real("until_fall", &Part::until_fall, 0, 1,
                "it ends once the mean loss is at most this times the first one since it began")
          .real("until_flat", &Part::until_flat, 0, 1, "it ends once two means in a row differ by at most this share")
          .integer("smooth", &Part::smooth, 1, 1e9, "steps of a mean; conditions are looked at as often")
          .words("freeze", &Part::freeze, {}, "matrices that stay as they are while it is in force")
          .real("rate", &Part::rate, 0, 1e6, "factor on the learning rate")
          .number_table("rates", &Part::rates, 0, 1e6, "further factors by matrix")
          .real("weight_decay", &Part::weight_decay, -1, 1e6, "weight decay of all matrices; negative: as it was")
          .real("embedding_noise", &Part::embedding_noise, -1, 1e6, "deviation of the noise; negative: as it was")
          .flag("fresh_embeddings", &Part::fresh_embeddings, "the table of tokens is drawn anew every step");
  return schema;
}

}  // namespace

TrainingConfig::TrainingConfig() = default;
TrainingConfig::TrainingConfig(const TrainingConfig&) = default;
TrainingConfig::TrainingConfig(TrainingConfig&&) noexcept = default;
TrainingConfig& TrainingConfig::operator=(const TrainingConfig&) = default;
TrainingConfig& TrainingConfig::operator=(TrainingConfig&&) noexcept = default;
TrainingConfig::~TrainingConfig() = default;

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
                  "how the rate goes on after the warm-up: it stays, falls to the last step (linear, cosine), follows "
                  "training.points, is held and then falls, drops in steps, or falls as 1/√step (inverse-root)")
          .integer("training.warmup", &TrainingConfig::warmup, 0, 1e12,
                   "steps over which the rate rises linearly from 0")
          .real("training.final_rate", &TrainingConfig::final_rate, 0, 1,
                "what a falling schedule falls to, as a fraction of training.rate")
          .integer("training.batch", &TrainingConfig::batch, 1, 1 << 20,
                   "B, fresh sequences in a step; without effect where the gradient is expected")
          .integer("training.steps", &TrainingConfig::steps, 0, 1e12, "updates of a run")
          .real("training.beta1", &TrainingConfig::beta1, 0, 1,
                "adam, adamw, lion, muon's tables: decay of the mean gradient")
          .real("training.beta2", &TrainingConfig::beta2, 0, 1,
                "adam, adamw, muon's tables: decay of the mean squared gradient; lion: of the mean gradient that it "
                "keeps (0.99 is "
                "usual)")
          .real("training.epsilon", &TrainingConfig::epsilon, 0, 1,
                "adam, adamw, muon's tables: added to the root of the mean square")
          .real("training.frequency_rate", &TrainingConfig::frequency_rate, -10, 10,
                "γ: the rate of a token's embedding row is multiplied by (frequency / highest frequency)^γ; "
                "below 0 rare tokens learn faster")
          .real("training.momentum", &TrainingConfig::momentum, 0, 1,
                "sgd, nesterov, signsgd, muon (0.95 is usual): decay of the velocity; 0: the gradient alone")
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
              "them")
          .later()
          .real("training.weight_decay", &TrainingConfig::weight_decay, 0, 1e6,
                "λ: sgd, nesterov and adam add λw to the gradient; adamw, lion, signsgd and muon shrink w by rate·λ·w")
          .number_table("training.decay", &TrainingConfig::decay, 0, 1e6,
                        "weight decay of single matrices in place of training.weight_decay: { \"W_E\" = 0 }")
          .number_table("training.rates", &TrainingConfig::rates, 0, 1e6,
                        "factors on the learning rate of single matrices: { \"layer.*.query\" = 0.1 }")
          .words("training.frozen", &TrainingConfig::frozen, {},
                 "matrices that stay as they start: [\"W_E\", \"layer.0.query\"]")
          .real("training.clip", &TrainingConfig::clip, 0, 1e30,
                "a gradient longer than this, all matrices together, is scaled down to it; 0: never")
          .points("training.points", &TrainingConfig::points,
                  "points: rates at given steps, straight lines between them: [[0, 1e-3], [1000, 1e-4]]")
          .real("training.hold", &TrainingConfig::hold, 0, 1,
                "hold: share of the steps after the warm-up at the full rate, before it falls linearly")
          .real("training.drop", &TrainingConfig::drop, 0, 1, "steps: factor of each drop of the rate")
          .integer("training.drop_every", &TrainingConfig::drop_every, 0, 1e12,
                   "steps: a drop every so many steps after the warm-up; 0: at training.drop_at")
          .numbers("training.drop_at", &TrainingConfig::drop_at, 0, 1e12, "steps: the steps of the drops")
          .real("training.embedding_noise", &TrainingConfig::embedding_noise, 0, 1e6,
                "deviation of the Gaussian noise added to embedded tokens while training, not in tests")
          .flag("training.fresh_embeddings", &TrainingConfig::fresh_embeddings,
                "the table of tokens is drawn anew every step, as it starts, and not learnt")
          .list_of("training.intervention", &TrainingConfig::interventions, intervention_schema(),
                   "changes that begin and end at a step or by a condition on the loss");
  return schema;
}

bool has_embedding_noise(const TrainingConfig& config) {
  return config.embedding_noise > 0 ||
         std::ranges::any_of(config.interventions, [](const auto& one) { return one.embedding_noise > 0; });
}

bool has_fresh_embeddings(const TrainingConfig& config) {
  return config.fresh_embeddings ||
         std::ranges::any_of(config.interventions, [](const auto& one) { return one.fresh_embeddings; });
}

const Schema<SeedConfig>& seed_schema() {
  static const Schema<SeedConfig> schema =
      Schema<SeedConfig>()
          .integer("seeds.init", &SeedConfig::init, 0, 9007199254740992.0, "draws the starting weights")
          .integer("seeds.data", &SeedConfig::data, 0, 9007199254740992.0, "draws every batch");
  return schema;
}

}  // namespace atto

#include "training/config.h"

#include <cstdio>

#include "base/error.h"
#include "data/population.h"
#include "data/regression.h"
#include "data/task.h"

namespace atto {

const Schema<TrainingConfig>& training_schema() {
  static const Schema<TrainingConfig> schema =
      Schema<TrainingConfig>()
          .word("training.optimizer", &TrainingConfig::optimizer, {"adam", "sgd", "flow"},
                "how a gradient becomes an update; flow (regression): infinitely small updates, training.rate units of "
                "time "
                "a step")
          .choice("training.gradient", &TrainingConfig::gradient,
                  "from a batch of fresh data, or exact over all data: every sequence that copy, nearest, unigram or "
                  "bigram "
                  "can "
                  "draw, weighed by its probability, or in closed form (regression with network.form = \"scores\")")
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
          .integer("training.test_samples", &TrainingConfig::test_samples, 1, 1 << 16,
                   "sequences of the test data, the same throughout a run");
  return schema;
}

const Schema<SeedConfig>& seed_schema() {
  static const Schema<SeedConfig> schema =
      Schema<SeedConfig>()
          .integer("seeds.init", &SeedConfig::init, 0, 9007199254740992.0, "draws the starting weights")
          .integer("seeds.data", &SeedConfig::data, 0, 9007199254740992.0, "draws every batch");
  return schema;
}

const Schema<RunConfig>& run_schema() {
  static const Schema<RunConfig> schema = Schema<RunConfig>()
                                              .part(&RunConfig::data, data_schema())
                                              .part(&RunConfig::network, network_schema())
                                              .part(&RunConfig::training, training_schema())
                                              .part(&RunConfig::seeds, seed_schema());
  return schema;
}

namespace {

// The network of free scores knows regression only as the theory has it: the relevant token fills the last positions,
// unflagged, and B and p stay. Settings about anything else would be ignored in silence.
void validate_scores(const RunConfig& config) {
  const DataConfig& data = config.data;
  const DataConfig plain;
  const auto refuse = [](const std::string& setting, const std::string& reason, const std::string& remedy) {
    throw Error(ErrorKind::config, setting + ", but network.form = \"scores\" " + reason, remedy);
  };
  if (data.places != plain.places || data.flag != plain.flag)
    refuse(data.flag != plain.flag ? "data.flag = false" : setting("data.places", data.places),
           "has no input to find the relevant token by: it always fills the last positions",
           "leave data.places and data.flag at their defaults, or set network.form = \"attention\"");
  if (data.schedule != plain.schedule)
    refuse(setting("data.schedule", data.schedule), "learns from data that stay the same",
           "set data.schedule = \"constant\", or network.form = \"attention\"");
  if (needs_blocks(config.network))
    refuse("network.layers, heads or another part of a block is set", "is one map and one score for each position",
           "leave the parts of blocks at their defaults, or set network.form = \"attention\"");
  if (config.training.stop_test_loss >= 0)
    refuse("training.stop_test_loss is set", "draws no test data", "use training.stop_loss");
}

// Regression by attention: vectors in, vectors out.
void validate_vectors(const RunConfig& config) {
  const NetworkConfig& network = config.network;
  if (network.kernel == Kernel::distance || network.kernel == Kernel::inverse || network.logits == Logits::harmonic)
    throw Error(ErrorKind::config,
                network.logits == Logits::harmonic
                    ? "network.logits = \"harmonic\", but regression has no logits"
                    : setting("network.kernel", network.kernel) + " exists for tokens alone",
                "take the kernel dot (or none with a position bias) and linear logits");
  const bool blind = network.positions == PositionKind::none && network.position_bias == BiasKind::none &&
                     network.mask == Mask::full && network.window == 0 && network.stride == 1;
  if (!config.data.flag && blind)
    throw Error(ErrorKind::config, "data.flag = false, but nothing tells this network one position from another",
                "set data.flag = true, or network.positions or network.position_bias");
  make_task(config.data);  // sequences of vectors have limits of their own, which it checks
}

// The expected loss of an attention network is the sum over all sequences there are.
void validate_population(const RunConfig& config) {
  constexpr double kMost = 1 << 22;  // a step of a small network then takes a tenth of a second
  const auto task = make_task(config.data);
  const std::optional<double> size = population_size(*task, sees_order(config.network));
  if (!size)
    throw Error(ErrorKind::config,
                "training.gradient = \"expected\", but the sequences of the task '" + config.data.task +
                    "' cannot be listed one by one",
                std::string("set training.gradient = \"sampled\", or take the task copy, nearest, unigram or bigram") +
                    (is_regression(config.data) ? ", or network.form = \"scores\"" : ""));
  if (*size <= kMost) return;
  char count[32];
  std::snprintf(count, sizeof count, *size < 1e9 ? "%.0f" : "%.2g", *size);
  throw Error(ErrorKind::config,
              "training.gradient = \"expected\", but data.vocab = " + std::to_string(config.data.vocab) +
                  " and data.context = " + std::to_string(config.data.context) + " make " + count +
                  " different sequences, of at most " + std::to_string(static_cast<int64_t>(kMost)),
              "lower data.vocab or data.context, or set training.gradient = \"sampled\"");
}

// Which forms and optimizers a task can be combined with.
void validate_combination(const RunConfig& config) {
  const bool regression = is_regression(config.data);
  const bool scores = config.network.form == Form::scores;
  if (scores && !regression)
    throw Error(ErrorKind::config, "network.form = \"scores\" cannot learn the task '" + config.data.task + "'",
                "set network.form = \"attention\"");
  if (!scores && config.training.optimizer == "flow")
    throw Error(ErrorKind::config, "only the network of free scores has a gradient flow",
                "use training.optimizer adam or sgd, or the task regression with network.form = \"scores\"");
  if (!scores && config.training.gradient == GradientKind::expected) validate_population(config);
  if (scores) validate_scores(config);
  else if (regression) validate_vectors(config);
  const TrainingConfig& training = config.training;
  if (training.optimizer == "flow" &&
      (training.gradient != GradientKind::expected || training.momentum > 0 || training.warmup > 0 ||
       training.schedule != RateSchedule::constant || config.network.init_scale > 0))
    throw Error(
        ErrorKind::config, "the gradient flow starts at W = 0 and knows neither samples nor momentum nor schedules",
        "with training.optimizer = \"flow\" set training.gradient = \"expected\" and network.init_scale = 0, and "
        "leave training.momentum, warmup and schedule alone");
  if (regression && config.training.frequency_rate > 0)
    throw Error(ErrorKind::config, "training.frequency_rate needs tokens with frequencies; regression has none",
                "leave it 0");
}

}  // namespace

int64_t sequences_a_step(const RunConfig& config) {
  if (config.training.gradient != GradientKind::expected || config.network.form == Form::scores)
    return config.training.batch;
  return static_cast<int64_t>(population_size(*make_task(config.data), sees_order(config.network)).value_or(0));
}

void validate(const RunConfig& config) {
  validate(config.data);
  validate(config.network);
  validate_combination(config);
  if (config.training.warmup > config.training.steps) {
    throw Error(ErrorKind::config,
                "training.warmup = " + std::to_string(config.training.warmup) +
                    " is longer than training.steps = " + std::to_string(config.training.steps),
                "shorten the warm-up or lengthen the run");
  }
}

}  // namespace atto

#include "spec/describe.h"

#include "base/error.h"
#include "data/population.h"
#include "network/parts.h"
#include "network/stack.h"
#include "spec/validate_training.h"
#include "theory/scores_model.h"
#include "training/attention_model.h"
#include "training/optimizers/optimizer.h"

namespace atto {
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
  if (needs_blocks(config.network) || !plain_attention(config.network) || !stack_is_shorthand(config.network))
    refuse("network.layers, heads, stack or another part of a block or of attention is set",
           "is one map and one score for each position",
           "leave the parts of blocks at their defaults, or set network.form = \"attention\"");
  if (data.size > 0 || data.split > 0)
    refuse(data.size > 0 ? "data.size is set" : "data.split is set", "keeps no training set",
           "leave data.size and data.split 0, or set network.form = \"attention\"");
  if (config.training.stop_test_loss >= 0)
    refuse("training.stop_test_loss is set", "draws no test data", "use training.stop_loss");
}

// Regression by attention: vectors in, vectors out.
void validate_vectors(const RunConfig& config) {
  const NetworkConfig& network = config.network;
  if (!attention_form(network).in_blocks || network.logits == Logits::harmonic)
    throw Error(ErrorKind::config,
                network.logits == Logits::harmonic
                    ? "network.logits = \"harmonic\", but regression has no logits"
                    : "network.kernel = \"" + network.kernel + "\" exists for tokens alone",
                "take the kernel dot, distance or inverse (or none with a position bias) and linear logits");
  const bool blind = network.positions == PositionKind::none && network.position_bias == BiasKind::none &&
                     network.mask == Mask::full && network.window == 0 && network.stride == 1;
  if (!config.data.flag && blind)
    throw Error(ErrorKind::config, "data.flag = false, but nothing tells this network one position from another",
                "set data.flag = true, or network.positions or network.position_bias");
}

// The expected loss of an attention network is the sum over all sequences there are.
void validate_population(const RunConfig& config, const TaskSpec& task) {
  constexpr double kMost = 1 << 22;  // a step of a small network then takes a tenth of a second
  if (static_cast<double>(config.data.size) > kMost)
    throw Error(ErrorKind::config,
                "training.gradient = \"expected\", but data.size = " + std::to_string(config.data.size) +
                    " makes each step go through more than " + sequence_count(kMost) + " sequences",
                "lower data.size, or set training.gradient = \"sampled\"");
  if (config.data.size > 0 || config.data.split > 0 || task.rows) return;  // their own sizes are checked
  const std::optional<double> size = population_size(task, sees_order(config.network));
  if (!size)
    throw Error(ErrorKind::config,
                "training.gradient = \"expected\", but the sequences of the task '" + config.data.task +
                    "' cannot be listed one by one",
                std::string("set training.gradient = \"sampled\", or take the task copy, nearest, unigram or bigram") +
                    (is_regression(config.data) ? ", or network.form = \"scores\"" : ""));
  if (*size <= kMost) return;
  throw Error(ErrorKind::config,
              "training.gradient = \"expected\", but data.vocab = " + std::to_string(config.data.vocab) +
                  " and data.context = " + std::to_string(config.data.context) + " make " + sequence_count(*size) +
                  " different sequences, of at most " + sequence_count(kMost),
              "lower data.vocab or data.context, or set training.gradient = \"sampled\"");
}

// Several choices are known as a gradient flow alone, and without repetition.
void validate_hops(const RunConfig& config, bool flow) {
  if (config.data.hops == 1) return;
  const auto refuse = [&config](const std::string& reason, const std::string& remedy) {
    throw Error(ErrorKind::config, "data.hops = " + std::to_string(config.data.hops) + ", but " + reason, remedy);
  };
  if (!flow)
    refuse("the network of free scores learns one choice; only its gradient flow knows several",
           "set data.hops = 1, or training.optimizer = \"flow\"");
  if (config.data.repeat > 1 || config.data.cross > 0)
    refuse("data.repeat or data.cross repeats the relevant token, which the flow of several choices does not know",
           "set data.repeat = 1 and data.cross = 0, or data.hops = 1");
}

// Settings that only free scores know.
void validate_without_scores(const RunConfig& config) {
  const NetworkConfig& network = config.network;
  if (network.weight_start != 0 || network.gap_start != 0)
    throw Error(ErrorKind::config,
                (network.weight_start != 0 ? "network.weight_start = " + to_text(network.weight_start)
                                           : "network.gap_start = " + to_text(network.gap_start)) +
                    ", but only free scores start along the answer",
                "leave it 0, or set network.form = \"scores\"; network.start sets single matrices");
  if (is_regression(config.data) && config.data.hops != 1)
    throw Error(ErrorKind::config,
                "data.hops = " + std::to_string(config.data.hops) +
                    ", but regression by attention has one relevant token to find",
                "set data.hops = 1, or network.form = \"scores\" with training.optimizer = \"flow\"");
}

void validate_flow(const RunConfig& config) {
  const TrainingConfig& training = config.training;
  if (training.gradient != GradientKind::expected || training.momentum > 0 || training.warmup > 0 ||
      training.schedule != RateSchedule::constant || config.network.init_scale > 0)
    throw Error(
        ErrorKind::config, "the gradient flow has no random start and knows neither samples nor momentum nor schedules",
        "with training.optimizer = \"flow\" set training.gradient = \"expected\" and network.init_scale = 0, and "
        "leave training.momentum, warmup and schedule alone; network.weight_start and gap_start say where it starts");
}

EmergenceSpec describe_emergence(const RunConfig& config) {
  if (!is_regression(config.data))
    throw Error(ErrorKind::config, "network.form = \"scores\" cannot learn the task '" + config.data.task + "'",
                "set network.form = \"attention\"");
  EmergenceSpec spec;
  spec.task = make_regression(config.data);
  validate(config.network);
  validate_scores(config);
  spec.flow = optimizer_kind(config.training).flow;
  spec.hops = config.data.hops;
  validate_hops(config, spec.flow);
  if (spec.flow) validate_flow(config);
  else spec.matrices = ScoresModel::matrices(spec.task, config.network);
  validate_matrices(config, spec.matrices);
  return spec;
}

AttentionSpec describe_attention(const RunConfig& config) {
  AttentionSpec spec;
  validate_without_scores(config);
  spec.task = describe_task(config.data);
  validate(config.network);
  if (optimizer_kind(config.training).flow)
    throw Error(ErrorKind::config, "only the network of free scores has a gradient flow",
                "use training.optimizer adam or sgd, or the task regression with network.form = \"scores\"");
  if (config.training.gradient == GradientKind::expected) validate_population(config, spec.task);
  if (spec.task.shape.vectors()) validate_vectors(config);
  spec.network = std::make_shared<const Network>(config.network, spec.task.shape);
  validate_matrices(config, spec.network->matrices());
  spec.ordered = sees_order(config.network);
  const bool expected = config.training.gradient == GradientKind::expected;
  spec.sets = set_sizes(config.data, spec.task, spec.ordered, expected);
  spec.tested = !spec.task.rows || spec.sets.test > 0 || config.data.size > 0;
  if (!spec.tested && config.training.stop_test_loss >= 0)
    throw Error(ErrorKind::config, "training.stop_test_loss is set, but no row of the table is left to test on",
                "mark rows in a column `split`, set data.split, or use training.stop_loss");
  spec.sequences = expected ? static_cast<int64_t>(spec.sets.train) : config.training.batch;
  return spec;
}

}  // namespace

std::variant<AttentionSpec, EmergenceSpec> describe_run(const RunConfig& config) {
  validate_training(config);
  if (config.network.form == Form::scores) return describe_emergence(config);
  return describe_attention(config);
}

}  // namespace atto

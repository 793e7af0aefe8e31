#include "spec/validate_training.h"

#include <algorithm>

#include "base/error.h"
#include "network/matrix_names.h"
#include "network/starting_values.h"
#include "training/interventions.h"
#include "training/optimizers/optimizer.h"
#include "training/rate_schedule.h"

namespace atto {
namespace {

[[noreturn]] void refuse_training(const std::string& what, const std::string& remedy) {
  throw Error(ErrorKind::config, what, remedy);
}

// Settings of single optimizers are refused where another would ignore them.
void validate_optimizer(const TrainingConfig& training) {
  const OptimizerKind& kind = optimizer_kind(training);
  const TrainingConfig plain;
  for (const char* key : {"training.momentum", "training.beta1", "training.beta2", "training.epsilon"}) {
    const auto& field = training_schema().at(key);
    if (field.get(training) == field.get(plain) || std::ranges::find(kind.settings, key) != kind.settings.end())
      continue;
    refuse_training(std::string(key) + " = " + to_text(field.get(training)) +
                        " means nothing to training.optimizer = \"" + training.optimizer + "\"",
                    "leave it out, or take another optimizer");
  }
  if (kind.needs_momentum && training.momentum == 0)
    refuse_training("training.optimizer = \"" + training.optimizer + "\" without momentum is plain gradient descent",
                    "set training.momentum, such as 0.9, or training.optimizer = \"sgd\"");
  const auto decays = [](const auto& one) { return one.weight_decay > 0; };
  const bool decay = decays(training) || std::ranges::any_of(training.interventions, decays) ||
                     std::ranges::any_of(training.decay, [](const auto& one) { return one.second > 0; });
  if (decay && kind.decay == DecayKind::none)
    refuse_training("training.optimizer = \"" + training.optimizer + "\" knows no weight decay",
                    "leave training.weight_decay and decay 0, or take another optimizer, such as adamw");
  if (kind.flow && (training.clip > 0 || !training.interventions.empty()))
    refuse_training("the gradient flow has no single updates that could be clipped or changed",
                    "leave training.clip and training.intervention out, or take another optimizer");
}

std::string name_of(size_t index) { return "training.intervention " + std::to_string(index); }

int conditions(double loss, double fall, double flat) { return (loss >= 0) + (fall > 0) + (flat > 0); }

// The index in a message counts from 0, as in the observables intervention.0.step.
void validate_intervention(const InterventionConfig& one, size_t index, const TrainingConfig& training) {
  const InterventionConfig plain;
  const std::string name = name_of(index);
  if (one.freeze.empty() && one.rate == 1 && one.rates.empty() && one.weight_decay < 0 && one.embedding_noise < 0 &&
      !one.fresh_embeddings)
    refuse_training(name + " changes nothing",
                    "set one of freeze, rate, rates, weight_decay, embedding_noise and fresh_embeddings");
  const int begins = conditions(one.from_loss, one.from_fall, one.from_flat);
  const int ends = conditions(one.until_loss, one.until_fall, one.until_flat);
  if (begins > 1 || ends > 1)
    refuse_training(name + " has more than one condition for its " + (begins > 1 ? "begin" : "end"),
                    begins > 1 ? "keep one of from_loss, from_fall and from_flat"
                               : "keep one of until_loss, until_fall and until_flat");
  if (one.until > 0 && one.until <= one.from)
    refuse_training(
        name + " would end at step " + std::to_string(one.until) + " and begin at step " + std::to_string(one.from),
        "let `until` be after `from`");
  if (one.smooth != plain.smooth && begins + ends == 0)
    refuse_training(name + " has smooth = " + std::to_string(one.smooth) + ", but no condition on the loss",
                    "leave it out, or set a condition such as from_flat");
  const int64_t first = one.from + (begins > 0 ? one.smooth * (one.from_loss >= 0 ? 1 : 2) : 0);
  if (first >= training.steps)
    refuse_training(name + " cannot begin before step " + std::to_string(first) +
                        ", and training.steps = " + std::to_string(training.steps),
                    begins > 0 ? "lower `from` or `smooth`, or lengthen the run" : "lower `from`, or lengthen the run");
  if (one.fresh_embeddings && training.fresh_embeddings)
    refuse_training(name + " sets fresh_embeddings, which training.fresh_embeddings does already",
                    "keep one of the two");
}

// Entries about matrices that stay fixed for the whole run would have no effect.
void validate_entries(const std::string& key, const std::vector<std::string>& names, std::span<const Matrix> matrices,
                      const std::vector<bool>& fixed) {
  for (const std::string& name : names) {
    const auto named = matrices_named(name, matrices, key);
    if (std::ranges::all_of(named, [&fixed](size_t i) { return fixed[i]; }))
      refuse_training(key + ": '" + name + "' is frozen or drawn anew for the whole run, so this has no effect",
                      "leave it out");
  }
}

std::vector<std::string> keys_of(const std::map<std::string, double>& table) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : table) keys.push_back(key);
  return keys;
}

// Noise goes on embedded tokens or vectors, and only tokens have a table to draw.
void validate_embeddings(const RunConfig& config, std::span<const Matrix> matrices) {
  const TrainingConfig& training = config.training;
  const bool noise = has_embedding_noise(training), fresh = has_fresh_embeddings(training);
  if (config.network.form == Form::scores && (noise || fresh))
    refuse_training("the network of free scores has no embeddings that could be drawn or disturbed",
                    "leave embedding_noise and fresh_embeddings out, or set network.form = \"attention\"");
  const bool table = std::ranges::any_of(matrices, [](const Matrix& one) { return one.name == "W_E"; });
  if (fresh && !table)
    refuse_training("fresh_embeddings needs a table of tokens, which the task '" + config.data.task + "' has not",
                    "leave it out; embedding_noise works for vectors, too");
  if (!training.fresh_embeddings) return;
  for (const auto* starts : {&config.network.start, &config.network.start_file})
    for (const auto& [name, start] : *starts)
      for (const size_t i : matrices_named(name, matrices, "network.start"))
        if (matrices[i].name == "W_E")
          refuse_training("network.start says how W_E starts, and training.fresh_embeddings draws it anew every step",
                          "keep one of the two");
}

}  // namespace

void validate_training(const RunConfig& config) {
  const TrainingConfig& training = config.training;
  if (is_regression(config.data) && training.frequency_rate != 0)
    refuse_training("training.frequency_rate needs tokens with frequencies; regression has none", "leave it 0");
  validate_rates(training);
  validate_optimizer(training);
  for (size_t i = 0; i < training.interventions.size(); ++i)
    validate_intervention(training.interventions[i], i, training);
}

void validate_matrices(const RunConfig& config, std::span<const Matrix> matrices) {
  const TrainingConfig& training = config.training;
  validate_start(config.network, matrices);
  validate_embeddings(config, matrices);
  const std::vector<MatrixTraining> each = matrix_training(training, matrices);  // names are known
  std::vector<bool> fixed;
  for (size_t i = 0; i < matrices.size(); ++i) {
    const bool drawn = training.fresh_embeddings && matrices[i].name == "W_E";
    if (drawn && each[i].frozen)
      refuse_training("training.frozen keeps W_E, and training.fresh_embeddings draws it anew", "keep one of the two");
    fixed.push_back(each[i].frozen || drawn);
  }
  validate_entries("training.rates", keys_of(training.rates), matrices, fixed);
  validate_entries("training.decay", keys_of(training.decay), matrices, fixed);
  for (size_t k = 0; k < training.interventions.size(); ++k) {
    validate_entries(name_of(k) + ", freeze", training.interventions[k].freeze, matrices, fixed);
    validate_entries(name_of(k) + ", rates", keys_of(training.interventions[k].rates), matrices, fixed);
  }
  if (training.frequency_rate != 0) {
    const auto learnt = [&](size_t i) { return !fixed[i] && (matrices[i].name == "W_E" || matrices[i].name == "W_U"); };
    bool any = false;
    for (size_t i = 0; i < matrices.size(); ++i) any |= learnt(i);
    if (!any)
      refuse_training("training.frequency_rate is about tables of tokens, and none is learnt here",
                      "leave it 0, or let one of them learn");
  }
  const Interventions interventions(training, matrices, 0);  // throws for two entries about one matrix
}

}  // namespace atto

#include "data/task_spec.h"

#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "base/error.h"
#include "data/data_sets.h"
#include "data/diversity.h"

namespace atto {
namespace {

void refuse_settings_of_others(const DataConfig& config, const TaskKind& kind) {
  for (const SchemaField<DataConfig>& field : data_schema().all()) {
    const std::vector<std::string> owners = tasks_with(field.key);
    if (owners.empty() || contains(kind.settings, field.key) || field.get(config) == field.initial) continue;
    std::string names;
    for (const std::string& owner : owners)
      names += (names.empty() ? "" : &owner == &owners.back() ? " or " : ", ") + owner;
    throw Error(ErrorKind::config, field.key + " is set, but the task '" + config.task + "' does not use it",
                "leave it out, or take the task " + names);
  }
}

}  // namespace

TaskSpec describe_task(const DataConfig& config) {
  const TaskKind& kind = task_kind(config);
  if (!kind.repeats && (config.repeat > 1 || config.cross > 0 || config.schedule != DiversityKind::constant))
    throw Error(ErrorKind::config,
                "data.repeat, data.cross or data.schedule is set, but the task '" + config.task + "' repeats nothing",
                "leave them at their defaults, or take the task regression or recall");
  refuse_settings_of_others(config, kind);
  TaskSpec spec = kind.describe(config);
  validate_schedule(config);
  validate_sets(config, spec);
  return spec;
}

TaskSpec describe_tokens(const DataConfig& config, int first_asked, Bos bos) {
  check_context(config);
  if (config.bos && bos == Bos::never)
    throw Error(ErrorKind::config, "data.bos = true, but the task '" + config.task + "' has no [BOS] token",
                "leave data.bos false, or take the task unigram, bigram or markov");
  TaskSpec spec;
  spec.bos = config.bos;
  spec.shape.vocabulary = static_cast<int>(config.vocab) + (config.bos ? 1 : 0);
  spec.shape.context = static_cast<int>(config.context);
  spec.shape.first_asked = first_asked;
  return spec;
}

void check_context(const DataConfig& config) {
  constexpr int64_t kLongest = 4096;
  if (config.context == 0)
    throw Error(ErrorKind::config, "data.context = 0 leaves the task '" + config.task + "' nothing to look at",
                "set data.context to at least 1; only recall knows its context by itself");
  if (config.context > kLongest)
    throw Error(
        ErrorKind::config,
        "data.context = " + std::to_string(config.context) + " is more than the task '" + config.task + "' takes",
        "at most " + std::to_string(kLongest));
}

void refuse_exponent(const DataConfig& config) {
  if (config.exponent == 0) return;
  throw Error(ErrorKind::config,
              "data.exponent sets the frequencies of independent tokens; " + config.task + " has its own",
              "leave data.exponent at 0");
}

Listing list_independent(const DataConfig& config, int tokens, int interchangeable) {
  Listing listing{.tokens = tokens, .interchangeable = interchangeable, .equal = config.exponent == 0};
  const std::vector<double>& given = config.frequencies;
  if (given.empty()) return listing;
  if (config.exponent != 0)
    throw Error(ErrorKind::config, "data.frequencies and data.exponent both say how often tokens are drawn",
                "leave one of them out");
  if (given.size() != static_cast<size_t>(config.vocab))
    throw Error(ErrorKind::config,
                "data.frequencies has " + std::to_string(given.size()) + " probabilities, but data.vocab is " +
                    std::to_string(config.vocab),
                "give one for each token");
  check_distribution("data.frequencies", given);
  double alike = 0;
  for (const double p : given) {
    if (p == 0) continue;
    ++listing.kinds;
    if (alike == 0) alike = p;
    listing.equal = listing.equal && p == alike;
  }
  return listing;
}

void check_distribution(const std::string& key, const std::vector<double>& probabilities) {
  constexpr double kTolerance = 1e-5;  // what six digits after the point leave
  double sum = 0;
  for (const double p : probabilities) {
    if (!(p >= 0))
      throw Error(ErrorKind::config, key + " has " + to_text(p) + ", which is no probability", "give 0 or more");
    sum += p;
  }
  if (std::abs(sum - 1) > kTolerance)
    throw Error(ErrorKind::config, "the probabilities of " + key + " sum to " + to_text(sum) + ", not to 1",
                "divide each by their sum");
}

std::vector<double> normalised(std::vector<double> probabilities) {
  double sum = 0;
  for (const double p : probabilities) sum += p;
  for (double& p : probabilities) p /= sum;
  return probabilities;
}

std::vector<ReferenceLoss> earlier_token_losses(const BatchShape& shape) {
  const double earlier = shape.context - 1;
  std::vector<ReferenceLoss> losses = {{"best", 0.0}};
  losses.push_back({"guess", std::log(std::min(earlier, static_cast<double>(shape.vocabulary)))});
  losses.push_back({"narrow", earlier > 1 ? std::log((earlier - 1) / earlier * shape.vocabulary) : 0.0});
  return losses;
}

}  // namespace atto

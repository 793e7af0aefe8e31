#include "data/data_sets.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "data/population.h"
#include "data/set_sampler.h"

namespace atto {
namespace {

// Beyond any step of training, of probes and of test data.
constexpr uint64_t kSetStep = uint64_t{1} << 43;

// All that a split divides: order counts here, so that the same seed divides them alike for every network.
double divided(const TaskSpec& task) {
  return task.rows ? static_cast<double>(task.rows->train) : population_size(task, true).value_or(0);
}

double training_part(const DataConfig& config, double all) { return std::round(config.split * all); }

SequenceSet draw_set(const DataConfig& config, const Task& task, uint64_t seed) {
  constexpr int kTile = 128;
  SequenceSet set(task.shape(), config.size);
  BatchMemory memory(task.shape(), kTile);
  for (int64_t first = 0; first < config.size; first += kTile) {
    memory.batch.samples = static_cast<int>(std::min<int64_t>(kTile, config.size - first));
    task.fill({seed, kSetStep, static_cast<uint32_t>(first), {config.repeat, config.cross}}, memory.batch);
    set.keep(first, memory.batch);
  }
  return set;
}

// Each part keeps the order of the whole.
DataSets split_set(const DataConfig& config, const SequenceSet& all, uint64_t seed) {
  std::vector<uint32_t> order(static_cast<size_t>(all.size()));
  shuffle(seed, Purpose::split, 0, order);
  const auto count = static_cast<size_t>(training_part(config, static_cast<double>(all.size())));
  const std::span train = std::span(order).first(count), test = std::span(order).subspan(count);
  std::sort(train.begin(), train.end());
  std::sort(test.begin(), test.end());
  return {all.part(train), all.part(test), {}};
}

}  // namespace

size_t SetSizes::bytes(const BatchShape& shape) const {
  const auto v = static_cast<size_t>(shape.vocabulary);
  return SequenceSet::bytes(shape, train) + SequenceSet::bytes(shape, test) + (soft ? sizeof(float) * v * v : 0);
}

SetSizes set_sizes(const DataConfig& config, const TaskSpec& task, bool ordered, bool expected) {
  SetSizes sizes;
  if (task.rows)
    sizes = {static_cast<double>(task.rows->train), static_cast<double>(task.rows->test), task.rows->equal};
  else if (expected) sizes.train = population_size(task, ordered).value_or(0);
  sizes.soft = task.listing && task.listing->soft && config.size == 0 && (expected || config.split > 0);
  if (config.split > 0) {
    const double all = divided(task);
    sizes.train = training_part(config, all);
    sizes.test = all - sizes.train;
    if (!task.rows) sizes.equal = task.listing && task.listing->equal;
    sizes.building = SequenceSet::bytes(task.shape, all) + static_cast<size_t>(all) * sizeof(uint32_t);
  }
  if (config.size > 0) {
    sizes.train = static_cast<double>(config.size);
    sizes.equal = true;
  }
  const size_t sampling = expected || sizes.train == 0 ? 0 : SetSampler::building(sizes.train, sizes.equal);
  sizes.building = sizes.bytes(task.shape) + std::max(sizes.building, sampling);
  return sizes;
}

void validate_sets(const DataConfig& config, const TaskSpec& task) {
  const std::string size = "data.size = " + std::to_string(config.size),
                    split = "data.split = " + to_text(config.split);
  if (config.size > 0 && config.split > 0)
    throw Error(ErrorKind::config, size + " and " + split + " are two ways to a training set",
                "set one of them, and leave the other 0");
  if (config.size > 0 && task.shape.vectors())
    throw Error(ErrorKind::config, size + ", but the task '" + config.task + "' has vectors and no tokens to keep",
                "leave data.size 0, or take a task with tokens");
  if (config.size > 0 && config.schedule != DiversityKind::constant)
    throw Error(ErrorKind::config,
                size + " draws the training data once, so " + setting("data.schedule", config.schedule) +
                    " would change nothing",
                "set data.schedule = \"constant\", or data.size = 0 for fresh data in every step");
  if (config.split == 0) return;
  if (!task.listing && !task.rows)
    throw Error(ErrorKind::config,
                split + ", but the sequences of the task '" + config.task + "' cannot be listed one by one",
                "set data.size for a training set that is drawn once, or take another task");
  if (task.rows && task.rows->test > 0)
    throw Error(ErrorKind::config, split + ", but the file says already which rows are for testing",
                "leave data.split 0, or take that column out of the file");
  constexpr double kMost = 1 << 22;
  const double all = divided(task);
  if (all > kMost)
    throw Error(
        ErrorKind::config,
        split + ", but there are " + sequence_count(all) + " different sequences, of at most " + sequence_count(kMost),
        "lower data.vocab or data.context, or set data.size for a training set that is drawn once");
  const double train = training_part(config, all);
  if (train < 1 || train > all - 1)
    throw Error(
        ErrorKind::config,
        split + " of " + sequence_count(all) + " sequences leaves none to " + (train < 1 ? "train" : "test") + " on",
        "move data.split towards 0.5, or raise data.vocab or data.context");
}

namespace {

// The task's [rows][V], turned round: what a step reads together stands together.
std::vector<float> turned(const std::vector<double>& rows, size_t v) {
  const size_t count = rows.size() / v;
  std::vector<float> out(rows.size());
  for (size_t row = 0; row < count; ++row)
    for (size_t token = 0; token < v; ++token) out[token * count + row] = static_cast<float>(rows[row * v + token]);
  return out;
}

}  // namespace

DataSets make_sets(const DataConfig& config, const Task& task, bool ordered, bool expected, uint64_t seed) {
  DataSets sets;
  if (config.split > 0)
    sets = split_set(config, task.spec().rows ? task.rows(false) : list_population(task, true), seed);
  if (set_sizes(config, task.spec(), ordered, expected).soft)
    sets.distributions = turned(task.distributions(), static_cast<size_t>(task.vocabulary()));
  if (config.split > 0) return sets;
  if (config.size > 0) sets.train = draw_set(config, task, seed);
  else if (task.spec().rows) sets.train = task.rows(false);
  else if (expected) sets.train = list_population(task, ordered);
  if (task.spec().rows && task.spec().rows->test > 0) sets.test = task.rows(true);
  return sets;
}

}  // namespace atto

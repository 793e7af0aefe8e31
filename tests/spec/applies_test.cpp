// A key that does not apply is refused or changes nothing; what a page hides has no effect.
#include "spec/applies.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/contains.h"
#include "base/error.h"
#include "spec/live_run.h"

namespace atto {
namespace {

using Settings = std::vector<std::pair<const char*, const char*>>;

RunConfig config_with(const Settings& settings) {
  RunConfig config;
  config.training.batch = 16;
  config.training.steps = 40;
  for (const auto& [key, value] : settings) run_schema().at(key).set_text(config, value);
  return config;
}

struct Sample {
  const char* name;
  Settings settings;
};
const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{
      {"copy", {}},
      {"nearest", {{"data.task", "nearest"}, {"network.positions", "learned"}}},
      {"unigram", {{"data.task", "unigram"}, {"data.exponent", "1"}}},
      {"bigram", {{"data.task", "bigram"}}},
      {"markov ring", {{"data.task", "markov"}}},
      {"markov drift", {{"data.task", "markov"}, {"data.chain", "drift"}}},
      {"markov low rank", {{"data.task", "markov"}, {"data.chain", "low-rank"}}},
      {"formula", {{"data.task", "formula"}, {"data.formula", "mod(x0 + x1, V)"}}},
      {"recall", {{"data.task", "recall"}, {"data.context", "0"}, {"data.vocab", "20"}}},
      {"recall, repeated",
       {{"data.task", "recall"}, {"data.context", "0"}, {"data.vocab", "20"}, {"data.cross", "0.5"}}},
      {"regression", {{"data.task", "regression"}}},
      {"scores", {{"data.task", "regression"}, {"network.form", "scores"}, {"data.context", "8"}}},
      {"flow",
       {{"data.task", "regression"},
        {"network.form", "scores"},
        {"data.context", "8"},
        {"training.optimizer", "flow"},
        {"training.gradient", "expected"},
        {"network.init_scale", "0"}}},
      {"expected", {{"training.gradient", "expected"}, {"data.vocab", "4"}, {"data.context", "3"}}},
      {"transformer",
       {{"network.width", "8"},
        {"network.layers", "2"},
        {"network.heads", "2"},
        {"network.output", "true"},
        {"network.residual", "true"},
        {"network.mlp", "relu"},
        {"network.norm", "pre"},
        {"network.positions", "learned"}}},
      {"a stack", {{"network.width", "8"}, {"network.stack", "[attention, linear]"}}},
      {"sgd with a schedule",
       {{"training.optimizer", "sgd"}, {"training.schedule", "steps"}, {"training.drop_every", "10"}}},
  };
  return all;
}

std::vector<Value> other_values(const RunField& field, const Value& now) {
  std::vector<Value> list;
  if (field.type == FieldType::flag) list.emplace_back(!std::get<bool>(now));
  for (const std::string& word : field.choices) list.emplace_back(word);
  if (field.type == FieldType::integer)
    for (const int64_t value :
         {std::get<int64_t>(now) + 1, std::get<int64_t>(now) * 2, std::get<int64_t>(now) - 1, int64_t{3}})
      list.emplace_back(value);
  if (field.type == FieldType::real)
    for (const double value : {std::get<double>(now) + 0.25, std::get<double>(now) * 2, 0.5, 0.9})
      list.emplace_back(value);
  std::erase_if(list, [&](const Value& value) {
    try {
      return value == now || field.checked(value) != value;
    } catch (const Error&) {
      return true;
    }
  });
  return list;
}

// Where a run is after so many steps.
std::vector<float> trained(const RunConfig& config) {
  LiveRun live{RunSpec(config)};
  Trainer& trainer = live.trainer();
  trainer.evaluate();
  const BatchResult batch = trainer.advance(25);
  std::vector<float> numbers(trainer.parameters().begin(), trainer.parameters().end());
  numbers.push_back(static_cast<float>(batch.loss));
  return numbers;
}

TEST(Applies, WhatDoesNotIsRefusedOrHasNoEffect) {
  for (const Sample& sample : samples()) {
    const RunConfig config = config_with(sample.settings);
    const std::vector<std::string> keys = keys_that_apply(RunSpec(config));
    const std::vector<float> expected = trained(config);
    for (const RunField& field : run_schema().all()) {
      if (contains(keys, field.key) || field.key.starts_with("seeds.") || !field.is_plain()) continue;
      for (const Value& value : other_values(field, field.get(config))) {
        RunConfig changed = config;
        field.assign(changed, value);
        try {
          EXPECT_EQ(trained(changed), expected) << sample.name << ": " << field.key << " = " << to_text(value);
        } catch (const Error&) {  // refused
        }
      }
    }
  }
}

TEST(Applies, WhatDoesCanBeChanged) {
  for (const Sample& sample : samples()) {
    const RunConfig config = config_with(sample.settings);
    for (const std::string& key : keys_that_apply(RunSpec(config))) {
      const RunField& field = run_schema().at(key);
      if (!field.is_plain() || (field.type == FieldType::word && field.choices.empty())) continue;
      if (key == "data.task") continue;  // changes with others: tests/spec/companions_test.cpp
      bool possible = false;
      std::vector<Value> values = other_values(field, field.get(config));
      for (const double end : {field.low, field.high, 0.1}) {
        if (!std::isfinite(end)) continue;
        if (field.type == FieldType::integer) values.emplace_back(static_cast<int64_t>(end));
        else values.emplace_back(end);
      }
      for (const Value& value : values) {
        RunConfig changed = config;
        try {
          field.set(changed, value);
          RunSpec{changed};
          possible = possible || value != field.get(config);
        } catch (const Error&) {
        }
      }
      EXPECT_TRUE(possible) << sample.name << ": " << key;
    }
  }
}

TEST(Applies, KnowsWhoReadsWhat) {
  const auto keys = [](const Settings& settings) { return keys_that_apply(RunSpec(config_with(settings))); };
  const auto copy = keys({});
  for (const char* key :
       {"data.vocab", "data.offset", "network.width", "network.mask", "training.rate", "training.batch"})
    EXPECT_TRUE(contains(copy, key)) << key;
  for (const char* key : {"data.rank", "data.pairs", "data.forward", "network.kernel_power", "training.momentum",
                          "training.hold", "seeds.init", "data.file_hash", "data.repeat"})
    EXPECT_FALSE(contains(copy, key)) << key;
  EXPECT_TRUE(contains(keys({{"data.task", "bigram"}}), "data.rank"));
  EXPECT_TRUE(contains(keys({{"data.task", "markov"}, {"data.chain", "drift"}}), "data.forward"));
  EXPECT_TRUE(contains(keys({{"training.optimizer", "sgd"}}), "training.momentum"));
  for (const Sample& sample : samples()) EXPECT_TRUE(contains(keys(sample.settings), "data.task")) << sample.name;
}

}  // namespace
}  // namespace atto

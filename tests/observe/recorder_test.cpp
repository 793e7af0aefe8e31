// What a recorded run says, and how it ends.
#include "observe/recorder.h"
#include "observe/observable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/error.h"
#include "math/spectrum.h"
#include "network_run.h"

namespace atto {
namespace {

constexpr char kPattern[] = "layer.0.attention.pattern";
constexpr char kEntropy[] = "layer.0.attention.entropy";
constexpr int64_t kShown = 5;  // probe sequences in a recorded map

RunConfig small_run() {
  RunConfig config;
  config.data.vocab = 6;
  config.data.context = 4;
  config.network.width = 3;
  config.training.batch = 24;
  config.training.rate = 0.02;
  config.training.steps = 30;
  return config;
}

// Everything the network offers, every tenth step.
ObservePlan everything(const RunConfig& config) {
  Observation all;
  for (const Observable& one : all_observables(RunSpec(config))) all.what.push_back(one.address);
  all.when.every = 10;
  return {all};
}

ObservePlan only(std::vector<std::string> addresses, int64_t every = 10) {
  return {{std::move(addresses), {every, 0, 0, {}}}};
}

Recording record(const RunConfig& config, const ObservePlan& plan) {
  const RecordResult result = record_run(RunSpec(config), plan);
  EXPECT_TRUE(result.finished);
  return result.recording;
}

std::set<std::string> addresses(const RunConfig& config) {
  std::set<std::string> names;
  for (const Observable& one : all_observables(RunSpec(config))) {
    EXPECT_FALSE(one.help.empty()) << one.address;
    EXPECT_TRUE(names.insert(one.address).second) << one.address << " is offered twice";
  }
  return names;
}

TEST(Addresses, FollowTheNetwork) {
  RunConfig config = small_run();
  const auto plain = addresses(config);
  for (const char* address :
       {"loss", "perplexity", "accuracy", "gradient.norm", "embedding", "embedding.effective_dimension",
        "layer.0.query", "layer.0.query.effective_rank", "layer.0.key.effective_rank", "layer.0.value.effective_rank",
        kPattern, kEntropy, "probe.tokens"})
    EXPECT_TRUE(plain.count(address)) << address;
  EXPECT_FALSE(plain.count("unembedding"));
  EXPECT_FALSE(plain.count("positions"));
  config.network.unembedding = Tying::free;
  config.network.positions = PositionKind::learned;
  const auto rich = addresses(config);
  EXPECT_TRUE(rich.count("unembedding.effective_dimension"));
  EXPECT_TRUE(rich.count("positions.effective_dimension"));
}

TEST(Addresses, AnUnknownOneNamesTheNearest) {
  for (const bool recorded : {false, true}) {
    try {
      const ObservePlan plan = only({"perplexty"});
      if (recorded) record_run(RunSpec(small_run()), plan);
      else SeriesPlan(plan, RunSpec(small_run()));
      FAIL() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config);
      EXPECT_STREQ(error.what(), "this network has no observable 'perplexty'; did you mean 'perplexity'?");
      EXPECT_FALSE(error.remedy().empty());
    }
  }
  EXPECT_THROW(SeriesPlan(only({"positions"}), RunSpec(small_run())), Error) << "this network has no positions";
  EXPECT_NO_THROW(SeriesPlan(everything(small_run()), RunSpec(small_run())));
}

TEST(Recording, HasTheShapesThatWereAskedFor) {
  RunConfig config = small_run();
  config.network.unembedding = Tying::free;
  config.network.positions = PositionKind::learned;
  const Recording recording = record(config, everything(config));
  EXPECT_EQ(recording.series.size(), addresses(config).size());
  for (const Series& series : recording.series) {
    EXPECT_EQ(series.steps, (std::vector<int64_t>{0, 10, 20, 30})) << series.address;
    EXPECT_EQ(series.values.size(), 4 * series.block()) << series.address;
    for (const double value : series.values) EXPECT_TRUE(std::isfinite(value)) << series.address;
  }
  using Shape = std::vector<int64_t>;
  EXPECT_EQ(recording.find("perplexity")->shape, Shape{});
  EXPECT_EQ(recording.find("embedding")->shape, (Shape{6, 3}));
  EXPECT_EQ(recording.find("unembedding")->shape, (Shape{6, 3}));
  EXPECT_EQ(recording.find("positions")->shape, (Shape{4, 3}));
  EXPECT_EQ(recording.find("layer.0.query")->shape, (Shape{3, 3}));
  EXPECT_EQ(recording.find(kPattern)->shape, (Shape{kShown, 4, 4}));
  EXPECT_EQ(recording.find("probe.tokens")->shape, (Shape{kShown, 4}));
  EXPECT_EQ(recording.find("nothing"), nullptr);
}

TEST(Recording, ValuesAreThoseOfTheTrainer) {
  const RunConfig config = small_run();
  const Recording recording = record(config, everything(config));
  NetworkRun trainer(config);
  for (int64_t step = 0; step <= 30; ++step) {
    const BatchResult batch = trainer.evaluate();
    if (step % 10 == 0) {
      const size_t i = static_cast<size_t>(step / 10);
      EXPECT_EQ(recording.find("loss")->values[i], batch.loss);
      EXPECT_EQ(recording.find("perplexity")->values[i], std::exp(batch.loss));
      EXPECT_EQ(recording.find("accuracy")->values[i], batch.accuracy);
      double square = 0;
      for (const double g : trainer.gradients()) square += g * g;
      EXPECT_NEAR(recording.find("gradient.norm")->values[i], std::sqrt(square), 1e-12);
      const Matrix& table = *trainer.network().find("W_E");
      const auto weights = trainer.parameters().subspan(table.offset, table.size());
      const auto recorded = std::span(recording.find("embedding")->values).subspan(i * weights.size(), weights.size());
      EXPECT_TRUE(std::equal(weights.begin(), weights.end(), recorded.begin())) << "step " << step;
      EXPECT_EQ(recording.find("embedding.effective_dimension")->values[i], effective_dimension(weights.data(), 6, 3));
    }
    if (step < 30) trainer.update();
  }
  EXPECT_EQ(recording.steps_done, 30);
  EXPECT_FALSE(recording.diverged_at);
  EXPECT_FALSE(recording.stopped_early);
  EXPECT_EQ(recording.best_loss, 0.0);
}

TEST(Recording, KeepsTheFinalWeightsByTheirNames) {
  const RunConfig config = small_run();
  const Recording recording = record(config, only({"embedding", "layer.0.value"}));
  ASSERT_EQ(recording.weights.size(), 4u);
  for (const WeightMatrix& matrix : recording.weights)
    EXPECT_EQ(matrix.values.size(), static_cast<size_t>(matrix.rows * matrix.columns)) << matrix.name;
  EXPECT_EQ(recording.weights[0].name, "W_E");
  EXPECT_EQ(recording.weights[1].name, "blocks.0.attn.W_Q");
  const auto& embedding = recording.find("embedding")->values;
  EXPECT_TRUE(std::equal(embedding.end() - 18, embedding.end(), recording.weights[0].values.begin()));
  const auto& value = recording.find("layer.0.value")->values;
  EXPECT_EQ(recording.weights[3].name, "blocks.0.attn.W_V");
  EXPECT_TRUE(std::equal(value.end() - 9, value.end(), recording.weights[3].values.begin()));
}

TEST(AttentionPattern, RowsSumToOneAndTheMaskHolds) {
  for (const std::string mask : {"causal", "full"}) {
    for (const std::string targets : {"last", "every"}) {
      RunConfig config = small_run();
      config.network.mask = from_word<Mask>(mask);
      config.data.targets = from_word<Targets>(targets);
      const Recording recording = record(config, only({kPattern}));
      const Series& pattern = *recording.find(kPattern);
      int seen_later = 0;
      for (size_t row = 0; row < pattern.values.size(); row += 4) {
        const size_t query = row / 4 % 4;
        double sum = 0;
        for (size_t key = 0; key < 4; ++key) {
          sum += pattern.values[row + key];
          EXPECT_GE(pattern.values[row + key], 0);
          if (key > query) seen_later += pattern.values[row + key] > 0;
        }
        EXPECT_NEAR(sum, 1, 1e-6);
      }
      EXPECT_EQ(seen_later > 0, mask == "full");
    }
  }
}

// Equal tokens attend equally, and the maps belong to the tokens that are recorded with them.
TEST(AttentionPattern, BelongsToTheProbeTokens) {
  RunConfig config = small_run();
  config.data.vocab = 2;
  config.network.mask = Mask::full;
  const Recording recording = record(config, only({kPattern, "probe.tokens"}));
  const auto& tokens = recording.find("probe.tokens")->values;
  const auto& weights = recording.find(kPattern)->values;
  int compared = 0;
  for (size_t s = 0; s < static_cast<size_t>(kShown); ++s) {
    for (size_t j = 0; j < 4; ++j) {
      EXPECT_TRUE(tokens[s * 4 + j] == 0 || tokens[s * 4 + j] == 1);
      for (size_t k = 0; k < 4; ++k)
        for (size_t query = 0; query < 4; ++query) {
          const double a = weights[(s * 4 + query) * 4 + j], b = weights[(s * 4 + query) * 4 + k];
          const bool same = tokens[s * 4 + j] == tokens[s * 4 + k];
          EXPECT_EQ(a == b, same);
          compared += !same;
        }
    }
  }
  EXPECT_GT(compared, 0) << "every probe sequence is one token repeated";
  // The sequences are the same at every step and for every seed.
  RunConfig other = config;
  other.seeds = {5, 6};
  EXPECT_EQ(record(other, only({"probe.tokens"})).find("probe.tokens")->values, tokens);
}

// Weights of zero give uniform attention: a query over k keys has entropy ln k.
TEST(AttentionEntropy, OfUniformAttentionIsTheLogarithmOfTheKeys) {
  struct Case {
    std::string mask, targets;
    double entropy;
  };
  const double average = (std::log(1) + std::log(2) + std::log(3) + std::log(4)) / 4;
  for (const Case& one : {Case{"causal", "last", std::log(4)}, Case{"causal", "every", average},
                          Case{"full", "last", std::log(4)}, Case{"full", "every", std::log(4)}}) {
    RunConfig config = small_run();
    config.network.mask = from_word<Mask>(one.mask);
    config.network.init_scale = 0;
    config.data.targets = from_word<Targets>(one.targets);
    config.training.steps = 0;
    const Recording recording = record(config, only({kEntropy}));
    EXPECT_NEAR(recording.find(kEntropy)->values[0], one.entropy, 1e-6) << one.mask << ", " << one.targets;
  }
}

TEST(AttentionEntropy, OfSharpAttentionIsSmall) {
  RunConfig config = small_run();
  config.network.init_scale = 1000;
  config.training.steps = 0;
  config.data.vocab = 1000;  // hardly a repeated token
  EXPECT_LT(record(config, only({kEntropy})).find(kEntropy)->values[0], 0.05);
}

std::vector<float> final_weights(const Recording& recording) {
  std::vector<float> all;
  for (const WeightMatrix& matrix : recording.weights)
    all.insert(all.end(), matrix.values.begin(), matrix.values.end());
  return all;
}

TEST(Measuring, DoesNotChangeTheTrajectory) {
  const RunConfig config = small_run();
  ObservePlan often = everything(config);
  often[0].when.every = 1;
  const auto unobserved = final_weights(record(config, {}));
  EXPECT_EQ(final_weights(record(config, often)), unobserved);
  EXPECT_EQ(final_weights(record(config, everything(config))), unobserved);
  NetworkRun trainer(config);
  while (trainer.step() < 30) trainer.evaluate(), trainer.update();
  std::vector<float> plain;
  for (const Matrix& matrix : trainer.network().matrices()) {
    const auto values = trainer.parameters().subspan(matrix.offset, matrix.size());
    plain.insert(plain.end(), values.begin(), values.end());
  }
  EXPECT_EQ(plain, unobserved);
}

TEST(Ending, AnEarlyStopIsMeasured) {
  RunConfig config = small_run();
  config.training.stop_loss = 100;  // holds from the first step on
  config.training.stop_hold = 14;
  const Recording recording = record(config, everything(config));
  EXPECT_TRUE(recording.stopped_early);
  EXPECT_EQ(recording.steps_done, 13);
  for (const Series& series : recording.series) {
    EXPECT_EQ(series.steps, (std::vector<int64_t>{0, 10, 13})) << series.address;
    EXPECT_EQ(series.values.size(), 3 * series.block()) << series.address;
  }
  config.training.stop_hold = 11;  // stops on a step that is due anyway
  EXPECT_EQ(record(config, only({"loss"})).find("loss")->steps, (std::vector<int64_t>{0, 10}));
}

// A run that pauses at a step does not count right answers there, unless it turns out to end there.
TEST(Ending, AnEarlyStopAtAPauseIsMeasuredLikeAnyOther) {
  RunConfig config = small_run();
  config.training.steps = 200;
  config.training.stop_loss = 100;  // always below
  config.training.stop_hold = 65;
  const ObservePlan plan = only({"accuracy", "loss", "gradient.norm"}, 1000);  // at step 0 and at the end
  Recorder in_one_go(RunSpec(config), plan);
  in_one_go.advance(1000);
  for (const int64_t pause : {64, 32, 1}) {
    Recorder recorder(RunSpec(config), plan);
    for (int64_t to = pause; !recorder.ended(); to += pause) recorder.advance(to);
    for (size_t i = 0; i < 3; ++i) {
      const Series &one = recorder.recording().series[i], &same = in_one_go.recording().series[i];
      EXPECT_EQ(one.steps, (std::vector<int64_t>{0, 64}));
      EXPECT_EQ(one.values, same.values) << one.address << ", a pause every " << pause;
      EXPECT_GT(one.values[1], 0);
    }
  }
}

TEST(Ending, ARunOfNoStepsIsMeasuredAtItsStart) {
  RunConfig config = small_run();
  config.training.steps = 0;
  const Recording recording = record(config, everything(config));
  EXPECT_EQ(recording.steps_done, 0);
  EXPECT_FALSE(recording.stopped_early);
  for (const Series& series : recording.series) EXPECT_EQ(series.steps, std::vector<int64_t>{0});
}

TEST(Ending, DivergenceIsRecordedAtItsStepAndOthersGoOn) {
  const RunConfig calm = small_run();
  const auto before = final_weights(record(calm, everything(calm)));
  RunConfig wild = calm;
  wild.training.optimizer = "sgd";
  wild.training.rate = 1e6;
  const Recording recording = record(wild, only({"loss", "embedding"}, 1));
  ASSERT_TRUE(recording.diverged_at);
  EXPECT_GT(*recording.diverged_at, 0);
  EXPECT_LT(*recording.diverged_at, 30);
  EXPECT_EQ(recording.steps_done, *recording.diverged_at);
  EXPECT_FALSE(recording.stopped_early);
  EXPECT_EQ(recording.find("loss")->steps.back(), *recording.diverged_at - 1) << "the last step with a loss";
  for (const double loss : recording.find("loss")->values) EXPECT_TRUE(std::isfinite(loss));

  NetworkRun trainer(wild);
  while (std::isfinite(trainer.evaluate().loss)) trainer.update();
  EXPECT_EQ(trainer.step(), *recording.diverged_at);
  EXPECT_EQ(final_weights(record(calm, everything(calm))), before) << "a diverged run must leave nothing behind";
}

TEST(Progress, IsReportedEvery64StepsAndMayAbandonTheRun) {
  RunConfig config = small_run();
  config.training.steps = 200;
  std::vector<int64_t> told;
  const RecordResult whole = record_run(RunSpec(config), only({"loss"}),
                                        [&](const StepReport& at) { return told.push_back(at.steps_done), true; });
  EXPECT_TRUE(whole.finished);
  EXPECT_EQ(told, (std::vector<int64_t>{64, 128, 192}));
  const RecordResult abandoned =
      record_run(RunSpec(config), only({"loss"}), [](const StepReport& at) { return at.steps_done < 128; });
  EXPECT_FALSE(abandoned.finished);
}

}  // namespace
}  // namespace atto

// What changes in the middle of a run: when it begins and ends, what it does, and that a resumed run does the same.
#include "training/interventions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "network_run.h"

namespace atto::interventions_test {
namespace {

RunConfig copying() {
  RunConfig config;
  config.data.vocab = 5;
  config.data.context = 3;
  config.network.width = 3;
  config.training.batch = 24;
  config.training.rate = 0.02;
  config.training.steps = 120;
  return config;
}

std::string refusal(const RunConfig& config) {
  try {
    RunSpec{config};
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  return "";
}

std::vector<float> values_of(const NetworkRun& run, const std::string& name) {
  const Matrix* matrix = run.network().find(name);
  const auto values = run.parameters().subspan(matrix->offset, matrix->size());
  return {values.begin(), values.end()};
}

// --- when ---

// The steps at which it is in force, of a run whose losses these are.
std::vector<int64_t> in_force(const InterventionConfig& config, const std::vector<double>& losses) {
  Intervention one(config);
  std::vector<int64_t> steps;
  for (int64_t step = 0; step < static_cast<int64_t>(losses.size()); ++step) {
    if (one.active()) steps.push_back(step);
    one.see(step, losses[static_cast<size_t>(step)]);
  }
  return steps;
}
std::vector<int64_t> range(int64_t from, int64_t until) {
  std::vector<int64_t> steps;
  for (int64_t step = from; step < until; ++step) steps.push_back(step);
  return steps;
}

TEST(WhenItIsInForce, BySteps) {
  const std::vector<double> losses(20, 1.0);
  EXPECT_EQ(in_force({}, losses), range(0, 20));
  EXPECT_EQ(in_force({.from = 5}, losses), range(5, 20));
  EXPECT_EQ(in_force({.from = 5, .until = 8}, losses), range(5, 8));
  EXPECT_EQ(in_force({.until = 1}, losses), range(0, 1));
  EXPECT_EQ(in_force({.from = 5, .lasting = 2}, losses), range(5, 7));
  EXPECT_EQ(in_force({.from = 5, .until = 6, .lasting = 2}, losses), range(5, 6));
}

TEST(WhenItIsInForce, OnceTheLossIsLow) {
  // Means of two: 4, 3.5, 1.5, 1, ...
  const std::vector<double> losses{4, 4, 4, 3, 2, 1, 1, 1, 5, 5, 1, 1};
  EXPECT_EQ(in_force({.from_loss = 2, .smooth = 2}, losses), range(6, 12)) << "and not again left";
  EXPECT_EQ(in_force({.from_loss = 4, .smooth = 2}, losses), range(2, 12));
  EXPECT_EQ(in_force({.from_loss = 0.5, .smooth = 2}, losses), range(0, 0));
  EXPECT_EQ(in_force({.from = 1, .from_loss = 2, .smooth = 2}, losses), range(7, 12)) << "1: means 4, 2.5, 1";
  EXPECT_EQ(in_force({.from_loss = 2, .lasting = 3, .smooth = 2}, losses), range(6, 9));
  EXPECT_EQ(in_force({.from_loss = 2, .until = 5, .smooth = 2}, losses), range(0, 0)) << "too late to begin";
  EXPECT_EQ(in_force({.until_loss = 2, .smooth = 2}, losses), range(0, 6));
  EXPECT_EQ(in_force({.from_loss = 2, .until_loss = 1, .smooth = 2}, losses), range(6, 8));
}

TEST(WhenItIsInForce, OnceTheLossHasFallenFromItsLevel) {
  const std::vector<double> losses{9, 9, 4, 4, 4, 4, 3, 3, 1, 1, 1, 1};
  EXPECT_EQ(in_force({.from_fall = 0.5, .smooth = 2}, losses), range(4, 12));
  EXPECT_EQ(in_force({.from = 2, .from_fall = 0.5, .smooth = 2}, losses), range(10, 12)) << "the level is 4 from 2 on";
  EXPECT_EQ(in_force({.from = 2, .until_fall = 0.8, .smooth = 2}, losses), range(2, 8));
}

TEST(WhenItIsInForce, OnceTheLossIsFlat) {
  const std::vector<double> losses{9, 9, 5, 5, 4.0, 4.1, 4, 4, 1, 1, 1, 1};
  EXPECT_EQ(in_force({.from_flat = 0.02, .smooth = 2}, losses), range(8, 12));
  EXPECT_EQ(in_force({.from_flat = 0.2, .smooth = 2}, losses), range(6, 12));
  EXPECT_EQ(in_force({.from_flat = 0.02, .until_flat = 0.001, .smooth = 2}, losses), range(8, 12));
}

// Taken apart and put together at any step, it goes on as it would have.
TEST(WhenItIsInForce, SurvivesACheckpoint) {
  std::vector<double> losses;
  for (int i = 0; i < 60; ++i) losses.push_back(3 * std::exp(-i / 20.0) + 0.1 * std::sin(i));
  const std::vector<InterventionConfig> configs{{.from = 7, .until = 30},
                                                {.from_loss = 1, .lasting = 5, .smooth = 3},
                                                {.from = 2, .from_fall = 0.5, .until_fall = 0.7, .smooth = 4},
                                                {.from_flat = 0.3, .until_loss = 0.4, .smooth = 5}};
  for (const InterventionConfig& config : configs) {
    const auto expected = in_force(config, losses);
    EXPECT_FALSE(expected.empty());
    for (int64_t cut = 0; cut < 60; ++cut) {
      Intervention first(config);
      std::vector<int64_t> steps;
      const auto go = [&](Intervention& one, int64_t from, int64_t to) {
        for (int64_t step = from; step < to; ++step) {
          if (one.active()) steps.push_back(step);
          one.see(step, losses[static_cast<size_t>(step)]);
        }
      };
      go(first, 0, cut);
      std::vector<double> state;
      first.append_state(state);
      ASSERT_EQ(state.size(), Intervention::kState);
      Intervention second(config);
      second.restore(state.data());
      EXPECT_EQ(second.began(), first.began());
      go(second, cut, 60);
      EXPECT_EQ(steps, expected) << "cut at " << cut;
    }
  }
}

// --- what ---

TEST(Freeze, HoldsBetweenItsSteps) {
  RunConfig config = copying();
  config.training.interventions = {{.from = 10, .until = 20, .freeze = {"layer.0.query", "W_E"}}};
  NetworkRun run(config);
  std::vector<std::vector<float>> query, value;
  while (run.step() < 30) {
    run.evaluate();
    query.push_back(values_of(run, "blocks.0.attn.W_Q"));
    value.push_back(values_of(run, "blocks.0.attn.W_V"));
    run.update();
  }
  for (size_t step = 1; step < query.size(); ++step) {
    EXPECT_EQ(query[step] == query[step - 1], step > 10 && step <= 20) << step;
    EXPECT_NE(value[step], value[step - 1]) << step;
  }
  EXPECT_EQ(run.trainer().interventions().all()[0].began(), 10);
  EXPECT_EQ(run.trainer().interventions().all()[0].ended(), 20);
}

// Before it begins a run is bit for bit the run without it.
TEST(Freeze, ChangesNothingBeforeItBegins) {
  RunConfig plain = copying(), frozen = copying();
  frozen.training.interventions = {{.from = 15, .freeze = {"W_E"}}};
  NetworkRun a(plain), b(frozen);
  for (NetworkRun* run : {&a, &b}) run->evaluate(), run->advance(15);
  EXPECT_TRUE(std::ranges::equal(a.parameters(), b.parameters()));
  for (NetworkRun* run : {&a, &b}) run->advance(16);
  EXPECT_NE(values_of(a, "W_E"), values_of(b, "W_E"));
}

TEST(Rates, AndDecayOfAnIntervention) {
  RunConfig config = copying();
  config.training.optimizer = "sgd";
  config.training.rates = {{"W_E", 2}};
  config.training.weight_decay = 0.5;
  config.training.interventions = {{.until = 5, .rate = 0.5, .rates = {{"W_E", 3}}, .weight_decay = 0},
                                   {.until = 5, .rate = 0.5}};
  NetworkRun run(config);
  const StepSettings& now = run.trainer().interventions().now();
  EXPECT_EQ(now.rate, 0.25);
  ASSERT_EQ(now.groups.size(), 2u);
  EXPECT_EQ(now.groups[0].rate, 6);
  EXPECT_EQ(now.groups[0].decay, 0);
  run.evaluate();
  run.advance(5);
  EXPECT_EQ(now.rate, 1);
  EXPECT_EQ(now.groups[0].rate, 2);
  EXPECT_EQ(now.groups[1].rate, 1);
  EXPECT_EQ(now.groups[1].decay, 0.5);
}

// --- noise on embeddings ---

TEST(EmbeddingNoise, IsThereInTrainingAndNotInTests) {
  RunConfig config = copying();
  NetworkRun plain(config);
  config.training.embedding_noise = 0.5;
  NetworkRun noisy(config);
  EXPECT_NE(plain.evaluate().loss, noisy.evaluate().loss);
  EXPECT_EQ(plain.test().loss, noisy.test().loss);
  EXPECT_EQ(noisy.evaluate().loss, noisy.evaluate().loss) << "drawn by step and sample";
}

// Where attention is uniform and all maps are the identity, the answer is the mean of the noise of two positions.
TEST(EmbeddingNoise, HasTheDeviationThatIsAsked) {
  RunConfig config = copying();
  config.data.task = "regression";
  config.data.dimension = 2;
  config.data.context = 2;
  config.data.places = Places::fixed;
  config.network.unembedding = Tying::free;
  config.network.width = 2;
  config.network.mask = Mask::full;
  config.training.batch = 4096;
  config.training.steps = 1;
  config.network.start = {
      {"W_in", "zero"}, {"layer.0.query", "zero"}, {"layer.0.value", "identity"}, {"W_U", "identity"}};
  const double without = NetworkRun(config).evaluate().loss;  // ½ E‖y*‖²
  for (const double deviation : {0.5, 2.0}) {
    config.training.embedding_noise = deviation;
    const double with = NetworkRun(config).evaluate().loss;  // and ½ · 2 · σ²/2 of noise
    EXPECT_NEAR(with - without, deviation * deviation / 2, 0.05 * std::max(1.0, deviation * deviation));
  }
}

TEST(EmbeddingNoise, AnInterventionMaySwitchItOff) {
  RunConfig config = copying();
  const double without = NetworkRun(config).evaluate().loss;
  config.training.embedding_noise = 0.5;
  EXPECT_NE(NetworkRun(config).evaluate().loss, without);
  config.training.interventions = {{.embedding_noise = 0}};
  EXPECT_EQ(NetworkRun(config).evaluate().loss, without);
}

// Passes through: the gradient is the slope of the noisy loss.
TEST(EmbeddingNoise, LeavesTheGradientTheSlopeOfTheLoss) {
  RunConfig config = copying();
  config.network.unembedding = Tying::free;
  config.network.positions = PositionKind::learned;
  config.training.embedding_noise = 0.5;
  NetworkRun run(config);
  run.evaluate();
  const std::vector<float> gradients(run.gradients().begin(), run.gradients().end());
  const Snapshot start = run.snapshot();
  const auto loss_with = [&](size_t index, float change) {
    Snapshot moved = start;
    moved.parameters[index] += change;
    run.restore(moved);
    return run.evaluate().loss;
  };
  constexpr float kStep = 1.0f / 128;
  for (const Matrix& matrix : run.network().matrices())
    for (size_t i = matrix.offset; i < matrix.offset + matrix.size(); i += 4)
      EXPECT_NEAR((loss_with(i, kStep) - loss_with(i, -kStep)) / (2 * static_cast<double>(kStep)), gradients[i], 2e-4)
          << matrix.name;
}

// 32 samples at once, or twice 16.
TEST(EmbeddingNoise, DoesNotDependOnTiles) {
  const NetworkRun run(copying());
  const Network& network = run.network();
  const auto activations = [&](int lanes, uint32_t first) {
    Workspace work = network.make_workspace(lanes);
    work.noise = {0.5f, 7, 3, first, Arena<float>(network.noise_size(lanes))};
    network.forward(run.parameters().data(), work);
    return std::vector<float>(work.activations.span().begin(), work.activations.span().end());
  };
  const auto together = activations(32, 0), first = activations(16, 0), second = activations(16, 16);
  EXPECT_NE(first, second);
  for (size_t row = 0; row < together.size() / 32; ++row)
    for (size_t lane = 0; lane < 32; ++lane)
      ASSERT_EQ(together[row * 32 + lane], (lane < 16 ? first : second)[row * 16 + lane % 16]) << row << ", " << lane;
}

TEST(EmbeddingNoise, WorksOnEverySequenceOfAPopulation) {
  RunConfig config = copying();
  config.training.gradient = GradientKind::expected;
  NetworkRun plain(config);
  config.training.embedding_noise = 0.5;
  NetworkRun noisy(config);
  EXPECT_NE(plain.evaluate().loss, noisy.evaluate().loss);
  const double first = noisy.evaluate().loss;
  noisy.update();
  noisy.restore({.step = 1,
                 .parameters = noisy.snapshot().parameters,
                 .optimizer = noisy.snapshot().optimizer,
                 .extra = noisy.snapshot().extra});
  EXPECT_NE(noisy.evaluate().loss, first);
}

// --- embeddings drawn anew ---

TEST(FreshEmbeddings, AreDrawnEveryStepAsTheyStart) {
  RunConfig config = copying();
  config.network.embedding_scale = 2;
  config.data.vocab = 400;
  config.training.fresh_embeddings = true;
  NetworkRun run(config);
  std::vector<std::vector<float>> tables;
  for (int i = 0; i < 3; ++i) {
    run.evaluate();
    tables.push_back(values_of(run, "W_E"));
    run.update();
    EXPECT_EQ(values_of(run, "W_E"), tables.back()) << "no update touches it";
  }
  EXPECT_NE(tables[0], tables[1]);
  EXPECT_NE(tables[1], tables[2]);
  for (const auto& table : tables) {
    double square = 0;
    for (const float one : table) square += static_cast<double>(one) * one;
    EXPECT_NEAR(std::sqrt(square / 1200), 2, 0.2);
  }
  RunConfig other = config;
  other.seeds.init = 2;
  NetworkRun b(other);
  b.evaluate();
  EXPECT_NE(values_of(b, "W_E"), tables[0]);
}

TEST(FreshEmbeddings, AreLearntOnceTheInterventionIsOver) {
  RunConfig config = copying();
  config.training.interventions = {{.until = 5, .fresh_embeddings = true}};
  NetworkRun run(config);
  run.evaluate();
  run.advance(5);
  const auto last = values_of(run, "W_E");
  run.update();
  const auto learnt = values_of(run, "W_E");
  EXPECT_NE(learnt, last);
  for (size_t i = 0; i < last.size(); ++i) EXPECT_NEAR(learnt[i], last[i], 0.03);
}

// --- a resumed run ---

std::vector<std::pair<std::string, RunConfig>> all_kinds() {
  std::vector<std::pair<std::string, RunConfig>> all;
  const auto add = [&all](const std::string& name, auto change) {
    RunConfig config = copying();
    config.training.steps = 60;
    change(config.training);
    all.emplace_back(name, config);
  };
  add("freeze by step", [](TrainingConfig& t) { t.interventions = {{.from = 9, .until = 31, .freeze = {"W_E"}}}; });
  add("freeze when flat", [](TrainingConfig& t) {
    t.interventions = {{.from_flat = 0.2, .lasting = 20, .smooth = 4, .freeze = {"layer.0.key"}}};
  });
  add("noise until low",
      [](TrainingConfig& t) { t.interventions = {{.until_fall = 0.8, .smooth = 5, .embedding_noise = 0.2}}; });
  add("fresh for a while", [](TrainingConfig& t) { t.interventions = {{.until = 20, .fresh_embeddings = true}}; });
  add("fresh", [](TrainingConfig& t) { t.fresh_embeddings = true; });
  add("noise and rates", [](TrainingConfig& t) {
    t.embedding_noise = 0.1;
    t.rates = {{"*", 0.5}};
    t.clip = 0.5;
    t.weight_decay = 0.1;
    t.interventions = {{.from_loss = 1.7, .smooth = 3, .rate = 0.1}, {.from = 30, .weight_decay = 0.4}};
  });
  for (const std::string optimizer : {"adamw", "nesterov", "signsgd", "lion", "muon"})
    add(optimizer, [&optimizer](TrainingConfig& t) {
      t.optimizer = optimizer;
      t.weight_decay = 0.1;
      if (optimizer == "nesterov" || optimizer == "muon") t.momentum = 0.9;
      t.schedule = RateSchedule::hold;
      t.warmup = 5;
    });
  return all;
}

TEST(Resumed, RunsAreTheSameBitForBit) {
  for (const auto& [name, config] : all_kinds()) {
    SCOPED_TRACE(name);
    NetworkRun whole(config);
    std::vector<Snapshot> before;
    std::vector<double> loss;
    while (whole.step() < 60) {
      before.push_back(whole.snapshot());
      loss.push_back(whole.evaluate().loss);
      whole.update();
    }
    if (!config.training.interventions.empty()) {
      EXPECT_GE(whole.trainer().interventions().all()[0].began(), 0) << "it must begin, or nothing is tested";
    }
    NetworkRun resumed(config);  // one that goes back and forth
    for (const size_t at : {59u, 0u, 31u, 12u, 9u, 20u, 45u}) {
      resumed.restore(before[at]);
      while (resumed.step() < 60) {
        ASSERT_EQ(resumed.evaluate().loss, loss[static_cast<size_t>(resumed.step())]) << "from " << at;
        resumed.update();
      }
      const Snapshot a = resumed.snapshot(), b = whole.snapshot();
      EXPECT_EQ(a.parameters, b.parameters) << "from " << at;
      EXPECT_EQ(a.optimizer, b.optimizer) << "from " << at;
      EXPECT_EQ(a.extra, b.extra) << "from " << at;
    }
  }
}

TEST(Resumed, ASnapshotOfARunWithoutInterventionsDoesNotFit) {
  RunConfig config = copying();
  NetworkRun plain(config);
  config.training.interventions = {{.freeze = {"W_E"}}};
  NetworkRun other(config);
  EXPECT_THROW(other.restore(plain.snapshot()), Error);
  EXPECT_THROW(plain.restore(other.snapshot()), Error);
}

// --- what cannot be ---

TEST(InterventionSettings, WithoutEffectOrSenseAreRefused) {
  const auto refused = [](const InterventionConfig& one) {
    RunConfig config = copying();
    config.training.interventions = {one};
    return refusal(config);
  };
  EXPECT_EQ(refused({.freeze = {"W_E"}}), "");
  EXPECT_NE(refused({}).find("changes nothing"), std::string::npos);
  EXPECT_NE(refused({.from = 3, .until = 3, .freeze = {"W_E"}}).find("end at step 3"), std::string::npos);
  EXPECT_NE(refused({.from = 120, .freeze = {"W_E"}}).find("training.steps = 120"), std::string::npos);
  EXPECT_NE(refused({.from = 50, .from_flat = 0.1, .freeze = {"W_E"}}).find("step 150"), std::string::npos);
  EXPECT_NE(refused({.from_loss = 1, .from_flat = 0.1, .freeze = {"W_E"}}).find("begin"), std::string::npos);
  EXPECT_NE(refused({.until_loss = 1, .until_fall = 0.1, .freeze = {"W_E"}}).find("end"), std::string::npos);
  EXPECT_NE(refused({.smooth = 3, .freeze = {"W_E"}}).find("no condition"), std::string::npos);
  EXPECT_NE(refused({.freeze = {"layer.0.qeury"}}).find("did you mean"), std::string::npos);
  EXPECT_NE(refused({.rates = {{"W_X", 1}}}).find("no matrix 'W_X'"), std::string::npos);
}

TEST(EmbeddingSettings, WithoutEffectAreRefused) {
  RunConfig config = copying();
  config.training.fresh_embeddings = true;
  EXPECT_EQ(refusal(config), "");
  RunConfig frozen = config, started = config, slowed = config, twice = config, frequent = config, vectors = config;
  frozen.training.frozen = {"W_E"};
  started.network.start = {{"embedding", "zero"}};
  slowed.training.rates = {{"W_E", 0.5}};
  twice.training.interventions = {{.fresh_embeddings = true}};
  frequent.training.frequency_rate = 1;
  vectors.data.task = "regression";
  vectors.network.unembedding = Tying::free;
  for (const RunConfig& one : {frozen, started, slowed, twice, frequent, vectors}) EXPECT_NE(refusal(one), "");
  RunConfig scores;
  scores.data.task = "regression";
  scores.network.form = Form::scores;
  scores.training.embedding_noise = 0.1;
  EXPECT_NE(refusal(scores).find("free scores"), std::string::npos);
}

}  // namespace
}  // namespace atto::interventions_test

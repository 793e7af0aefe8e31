// Learning rates by token frequency: who moves by which factor, and that γ = 0 changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "network_run.h"
#include "training/optimizers/optimizer.h"

namespace atto {
namespace {

RunConfig zipf_run(const std::string& optimizer, double gamma) {
  RunConfig config;
  config.data.task = "unigram";
  config.data.targets = Targets::every;
  config.data.vocab = 8;
  config.data.exponent = 1;
  config.data.bos = true;
  config.network.width = 3;
  config.network.positions = PositionKind::learned;
  config.network.unembedding = Tying::free;
  config.training.optimizer = optimizer;
  config.training.rate = 0.1;
  config.training.batch = 48;
  config.training.frequency_rate = gamma;
  return config;
}

struct Update {
  std::vector<float> before, gradients, after;
};
Update next_update(NetworkRun& trainer) {
  const auto copy = [](std::span<const float> values) { return std::vector<float>(values.begin(), values.end()); };
  Update update;
  update.before = copy(trainer.parameters());
  trainer.evaluate();
  update.gradients = copy(trainer.gradients());
  trainer.update();
  update.after = copy(trainer.parameters());
  return update;
}

// What `row` of `matrix` must be slowed by: (p_v / p_0)^γ = (v + 1)^-γ for ordinary tokens under Zipf's law.
double expected_factor(const Matrix& matrix, int row, int tokens, double gamma) {
  const bool by_token = matrix.name == "W_E" || matrix.name == "W_U";
  return by_token && row < tokens ? std::pow(row + 1, -gamma) : 1.0;
}

// Calls check(matrix, row, index of the weight).
template <class Check>
void each_weight(const NetworkRun& trainer, const Check& check) {
  for (const Matrix& matrix : trainer.network().matrices())
    for (int row = 0; row < matrix.rows; ++row)
      for (int column = 0; column < matrix.columns; ++column)
        check(matrix, row, matrix.offset + static_cast<size_t>(row * matrix.columns + column));
}

TEST(FrequencyRate, SgdMovesTokensByTheirFactor) {
  for (const double gamma : {0.5, 1.0, 2.0, -0.5, -1.0}) {  // below 0 rare tokens are the faster ones
    SCOPED_TRACE(gamma);
    NetworkRun trainer(zipf_run("sgd", gamma));
    const Update update = next_update(trainer);
    ASSERT_EQ(trainer.network().find("W_E")->rows, 9) << "eight tokens and [BOS]";
    each_weight(trainer, [&](const Matrix& matrix, int row, size_t i) {
      const double move = -0.1 * expected_factor(matrix, row, 8, gamma) * update.gradients[i];
      EXPECT_NEAR(update.after[i], update.before[i] + move, 2e-7 + 1e-6 * std::abs(move))
          << matrix.name << " row " << row;
    });
  }
}

// A token that never comes has no frequency to divide by: its row moves at the plain rate, not infinitely fast.
TEST(FrequencyRate, ATokenThatNeverComesKeepsTheRate) {
  RunConfig config = zipf_run("sgd", -1);
  config.data.exponent = 0;
  config.data.frequencies = {0.5, 0.25, 0.25, 0, 0, 0, 0, 0};
  NetworkRun trainer(config);
  const Update update = next_update(trainer);
  each_weight(trainer, [&](const Matrix& matrix, int row, size_t i) {
    const bool rare = (matrix.name == "W_E" || matrix.name == "W_U") && (row == 1 || row == 2);
    const double move = -0.1 * (rare ? 2 : 1) * update.gradients[i];
    EXPECT_NEAR(update.after[i], update.before[i] + move, 2e-7 + 1e-6 * std::abs(move))
        << matrix.name << " row " << row;
  });
}

// Adam's first update is the rate itself, whatever the gradient's size, so the factor is all that tells rows apart.
TEST(FrequencyRate, AdamMovesTokensByTheirFactor) {
  const double gamma = 1;
  NetworkRun trainer(zipf_run("adam", gamma));
  const Update update = next_update(trainer);
  each_weight(trainer, [&](const Matrix& matrix, int row, size_t i) {
    const double g = update.gradients[i];
    const double move = -0.1 * expected_factor(matrix, row, 8, gamma) * g / (std::abs(g) + 1e-8);
    EXPECT_NEAR(update.after[i], update.before[i] + move, 1e-5) << matrix.name << " row " << row;
  });
}

// The bits of an optimizer that has never heard of factors.
TEST(FrequencyRate, ZeroLeavesEveryBitAlone) {
  for (const std::string name : {"sgd", "adam"}) {
    const RunConfig config = zipf_run(name, 0);
    NetworkRun zero(config), scaled(zipf_run(name, 1));
    const auto plain = make_optimizer(config.training, zero.network().matrices(), zero.network().parameter_count());
    const ParameterGroup all{zero.network().matrices(), 0, zero.network().parameter_count()};
    for (int step = 0; step < 3; ++step) {
      Update update = next_update(zero);
      plain->update(step, config.training.rate, {update.before, update.gradients, {&all, 1}});
      EXPECT_EQ(update.before, update.after) << name << ", step " << step;
      EXPECT_NE(next_update(scaled).after, update.after) << name << ", step " << step;
    }
  }
}

// Uniform tokens all have the highest frequency, so γ is without effect, to the bit.
TEST(FrequencyRate, UniformTokensAllLearnAtTheFullRate) {
  for (const std::string optimizer : {"sgd", "adam"}) {
    RunConfig uniform = zipf_run(optimizer, 2);
    uniform.data.exponent = 0;
    RunConfig plain = uniform;
    plain.training.frequency_rate = 0;
    NetworkRun first(uniform), second(plain);
    for (int step = 0; step < 3; ++step) {
      next_update(first);
      next_update(second);
    }
    EXPECT_TRUE(std::ranges::equal(first.parameters(), second.parameters())) << optimizer;
  }
}

}  // namespace
}  // namespace atto

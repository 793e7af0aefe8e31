// The attention form of docs/adding-an-attention-form.md and the MLP of docs/adding-a-network-part.md: their gradients
// are those of their losses, and what they compute is what they say.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "network_run.h"

namespace atto {
namespace {

RunConfig run_with(const std::string& kernel, const std::string& mlp, Targets targets) {
  RunConfig config;
  config.data.vocab = 5;
  config.data.context = 4;
  config.data.targets = targets;
  config.data.offset = 1;
  config.network.width = 3;
  config.network.kernel = kernel;
  config.network.mlp = mlp;
  config.network.positions = PositionKind::learned;
  config.training.batch = 32;
  return config;
}

// dL/dw along random directions of each matrix, against differences of the loss.
void expect_gradients(const RunConfig& config) {
  NetworkRun run(config);
  run.evaluate();
  const Snapshot start = run.snapshot();
  const std::vector<float> gradients(run.gradients().begin(), run.gradients().end());
  const auto loss_at = [&](const Matrix& matrix, double distance) {
    Snapshot moved = start;
    for (size_t i = 0; i < matrix.size(); ++i)
      moved.parameters[matrix.offset + i] += static_cast<float>(distance * std::cos(3.0 * static_cast<double>(i + 1)));
    run.restore(moved);
    return run.evaluate().loss;
  };
  for (const Matrix& matrix : run.network().matrices()) {
    double expected = 0;
    for (size_t i = 0; i < matrix.size(); ++i)
      expected += std::cos(3.0 * static_cast<double>(i + 1)) * static_cast<double>(gradients[matrix.offset + i]);
    constexpr double kStep = 2e-3;
    const double found = (loss_at(matrix, kStep) - loss_at(matrix, -kStep)) / (2 * kStep);
    EXPECT_NEAR(found, expected, 2e-3 * (1 + std::abs(expected))) << matrix.name;
    EXPECT_NE(expected, 0) << matrix.name << " takes part";
  }
}

TEST(ExampleAttention, HasTheGradientOfItsLoss) {
  for (const Targets targets : {Targets::last, Targets::every})
    expect_gradients(run_with("manhattan", "none", targets));
}

TEST(ExampleAttention, WeighsByAbsoluteDifferences) {
  NetworkRun run(run_with("manhattan", "none", Targets::last));
  run.evaluate();
  Workspace work = run.network().make_workspace(16);
  run.task().fill({1, 0}, work.batch());
  run.network().forward(run.parameters().data(), work);
  const Rows* pattern = run.network().find_rows("layer.0.attention.pattern");
  ASSERT_NE(pattern, nullptr);
  const auto value = [&](const char* matrix, int row, int column) {
    const Matrix* found = run.network().find(matrix);
    return static_cast<double>(run.parameters()[found->offset + static_cast<size_t>(row * found->columns + column)]);
  };
  const auto embedded = [&](int position, int lane, int feature) {
    return value("W_E", work.batch().tokens[position * 16 + lane], feature) + value("W_pos", position, feature);
  };
  const auto mapped = [&](const char* matrix, int position, int lane, int row) {
    double sum = 0;
    for (int f = 0; f < 3; ++f) sum += value(matrix, row, f) * embedded(position, lane, f);
    return sum;
  };
  for (int lane = 0; lane < 16; ++lane) {
    std::vector<double> weights(4);
    double total = 0;
    for (int j = 0; j < 4; ++j) {
      double distance = 0;
      for (int f = 0; f < 3; ++f)
        distance += std::abs(mapped("blocks.0.attn.W_Q", 3, lane, f) - mapped("blocks.0.attn.W_K", j, lane, f));
      total += weights[static_cast<size_t>(j)] = std::exp(-distance / std::sqrt(3.0));
    }
    for (int j = 0; j < 4; ++j)
      EXPECT_NEAR(work.activations.data()[(pattern->first + j) * 16 + lane], weights[static_cast<size_t>(j)] / total,
                  1e-5);
  }
}

TEST(ExampleAttention, IsRefusedWhereBlocksDoNotKnowIt) {
  EXPECT_THROW(RunSpec{run_with("manhattan", "gelu", Targets::last)}, Error);
}

TEST(ExampleMlp, HasTheGradientOfItsLoss) {
  for (const Targets targets : {Targets::last, Targets::every})
    expect_gradients(run_with("dot", "squared_relu", targets));
}

}  // namespace
}  // namespace atto

// The optimizer of docs/adding-an-optimizer.md: every matrix moves as far as the rate says.
#include <gtest/gtest.h>

#include <cmath>

#include "network_run.h"

namespace atto {
namespace {

RunConfig normalized_run() {
  RunConfig config;
  config.training.optimizer = "normalized";
  config.training.rate = 0.01;
  config.training.batch = 64;
  return config;
}

TEST(ExampleOptimizer, MovesEveryMatrixEquallyFarAgainstItsGradient) {
  NetworkRun run(normalized_run());
  const std::vector<float> before(run.parameters().begin(), run.parameters().end());
  run.evaluate();
  const std::vector<float> gradients(run.gradients().begin(), run.gradients().end());
  run.update();
  for (const Matrix& matrix : run.network().matrices()) {
    double square = 0, along = 0, length = 0;
    for (size_t i = matrix.offset; i < matrix.offset + matrix.size(); ++i) {
      const double move = static_cast<double>(run.parameters()[i]) - static_cast<double>(before[i]);
      square += move * move;
      along += move * static_cast<double>(gradients[i]);
      length += static_cast<double>(gradients[i]) * static_cast<double>(gradients[i]);
    }
    EXPECT_NEAR(std::sqrt(square / static_cast<double>(matrix.size())), 0.01, 1e-6) << matrix.name;
    EXPECT_NEAR(along, -std::sqrt(square * length), 1e-4 * std::sqrt(square * length)) << matrix.name;
  }
}

TEST(ExampleOptimizer, RemembersNothing) {
  EXPECT_EQ(RunSpec(normalized_run()).memory().optimizer, 0u);
  EXPECT_TRUE(NetworkRun(normalized_run()).snapshot().optimizer.empty());
}

TEST(ExampleOptimizer, HonoursRatesByFrequency) {
  RunConfig config = normalized_run();
  config.data.exponent = 1;
  config.training.frequency_rate = 1;
  NetworkRun slowed(config);
  config.training.frequency_rate = 0;
  NetworkRun plain(config);
  for (NetworkRun* run : {&plain, &slowed}) run->evaluate(), run->update();
  const Matrix& table = *plain.network().find("W_E");
  const NetworkRun start(config);
  for (size_t i = 0; i < table.size(); ++i) {
    const size_t at = table.offset + i;
    const auto token = static_cast<double>(i / static_cast<size_t>(table.columns));
    const double whole = plain.parameters()[at] - start.parameters()[at];
    const double part = slowed.parameters()[at] - start.parameters()[at];
    EXPECT_NEAR(part, whole / (token + 1), 1e-6);
  }
}

}  // namespace
}  // namespace atto

// Norms of gradients and updates: those of the vectors themselves, and of the steps that are then taken.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "network_run.h"
#include "observe/observable.h"
#include "training/transformer_runs.h"

namespace atto::norm_observables_test {
namespace {

double norm(std::span<const float> values) {
  double square = 0;
  for (const float one : values) square += static_cast<double>(one) * one;
  return std::sqrt(square);
}

// Every scalar whose address ends so, now.
std::map<std::string, double> measured(NetworkRun& run, const std::string& ending) {
  NetworkProbes probes(run);
  std::map<std::string, double> found;
  for (const Observable& offer : all_observables(run.spec()))
    if (offer.address.ends_with(ending))
      std::get<MeasureNetwork>(offer.measure)({run.trainer(), BatchResult{}, probes}, &found[offer.address]);
  return found;
}

TEST(NormObservables, GradientsAreThoseOfTheMatrices) {
  for (const RunConfig& config : {RunConfig{}, small_recall(), small_regression()}) {
    NetworkRun run(config);
    run.evaluate();
    const auto norms = measured(run, ".gradient_norm");
    double square = 0;
    for (const Matrix& matrix : run.network().matrices()) {
      const double expected = norm(run.gradients().subspan(matrix.offset, matrix.size()));
      ASSERT_TRUE(norms.contains(matrix.name + ".gradient_norm")) << matrix.name;
      EXPECT_EQ(norms.at(matrix.name + ".gradient_norm"), expected) << matrix.name;
      square += expected * expected;
    }
    EXPECT_NEAR(std::sqrt(square), measured(run, "gradient.norm").at("gradient.norm"), 1e-12 * (1 + std::sqrt(square)));
  }
}

TEST(NormObservables, PlainAddressesAreTheSame) {
  NetworkRun run(small_recall());
  run.evaluate();
  const auto gradients = measured(run, ".gradient_norm"), updates = measured(run, ".update_norm");
  const std::pair<const char*, const char*> names[] = {
      {"embedding", "W_E"}, {"layer.1.query", "blocks.1.attn.W_Q"}, {"layer.0.mlp.out", "blocks.0.mlp.W_out"}};
  for (const auto& [plain, name] : names) {
    EXPECT_EQ(gradients.at(std::string(plain) + ".gradient_norm"), gradients.at(std::string(name) + ".gradient_norm"));
    EXPECT_EQ(updates.at(std::string(plain) + ".update_norm"), updates.at(std::string(name) + ".update_norm"));
  }
  EXPECT_TRUE(updates.contains("ln_final.w.update_norm")) << "what has no plainer address keeps its name";
}

// What is measured before an update is what the update then does, for every optimizer, and measuring it changes
// nothing.
TEST(NormObservables, UpdatesAreTheStepsThatFollow) {
  for (const char* optimizer : {"adam", "sgd", "adamw", "muon"}) {
    SCOPED_TRACE(optimizer);
    RunConfig config = small_recall();
    config.training.optimizer = optimizer;
    if (config.training.optimizer == "sgd") config.training.momentum = 0.9;
    config.training.clip = 0.5;
    config.training.frozen = {"layer.0.key"};
    NetworkRun run(config), untouched(config);
    for (int step = 0; step < 3; ++step) {
      run.evaluate();
      const auto norms = measured(run, ".update_norm");
      const double whole = measured(run, "update.norm").at("update.norm");
      const std::vector<float> before(run.parameters().begin(), run.parameters().end());
      run.update();
      untouched.evaluate();
      untouched.update();
      std::vector<float> change(run.parameters().begin(), run.parameters().end());
      EXPECT_TRUE(std::equal(change.begin(), change.end(), untouched.parameters().begin()));
      for (size_t i = 0; i < change.size(); ++i) change[i] -= before[i];
      EXPECT_EQ(whole, norm(change));
      for (const Matrix& matrix : run.network().matrices())
        EXPECT_EQ(norms.at(matrix.name + ".update_norm"), norm(std::span(change).subspan(matrix.offset, matrix.size())))
            << matrix.name;
      EXPECT_EQ(norms.at("layer.0.key.update_norm"), 0) << "frozen";
      EXPECT_GT(norms.at("layer.1.key.update_norm"), 0);
    }
  }
}

}  // namespace
}  // namespace atto::norm_observables_test

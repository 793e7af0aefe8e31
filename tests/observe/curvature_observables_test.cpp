// The Hessian's eigenvalues against second differences of the loss itself.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/arena.h"
#include "network_run.h"
#include "observe/observable.h"

namespace atto::curvature_observables_test {
namespace {

RunConfig four_tokens(Tying unembedding) {
  RunConfig config;
  config.data.vocab = 4;
  config.data.context = 4;
  config.network.width = 2;
  config.network.unembedding = unembedding;
  config.training.gradient = GradientKind::expected;
  config.training.rate = 1e-2;
  return config;
}

const Observable* offer(const std::vector<Observable>& offers) {
  for (const Observable& one : offers)
    if (one.address == "hessian.eigenvalues") return &one;
  return nullptr;
}

std::vector<double> eigenvalues(NetworkRun& run) {
  const auto offers = all_observables(run.spec());
  const Observable* observable = offer(offers);
  std::vector<double> values(static_cast<size_t>(observable->shape.at(0)));
  NetworkProbes probes(run);
  std::get<MeasureNetwork>(observable->measure)({run.trainer(), BatchResult{}, probes}, values.data());
  return values;
}

// The diagonal of the Hessian from losses alone: (L(w + h e_i) - 2 L(w) + L(w - h e_i)) / h².
std::vector<double> diagonal(NetworkRun& run) {
  const auto parameters = run.parameters();
  Arena<float> weights(parameters.size()), gradients(parameters.size());
  std::copy(parameters.begin(), parameters.end(), weights.data());
  const auto loss = [&] { return run.attention()->gradient(0, weights.span(), gradients.span(), false).loss; };
  const double here = loss(), h = 1.0 / 16;
  std::vector<double> found;
  for (const Matrix& matrix : run.network().matrices()) {
    for (size_t i = 0; i < matrix.size(); ++i) {
      float& weight = weights.span()[matrix.offset + i];
      const float old = weight;
      weight = old + static_cast<float>(h);
      const double above = loss();
      weight = old - static_cast<float>(h);
      const double below = loss();
      weight = old;
      found.push_back((above - 2 * here + below) / (h * h));
    }
  }
  return found;
}

TEST(CurvatureObservables, AgreeWithTheLoss) {
  for (const Tying unembedding : {Tying::tied, Tying::free}) {
    NetworkRun run(four_tokens(unembedding));
    run.evaluate();
    run.advance(50);
    const std::vector<double> values = eigenvalues(run), expected = diagonal(run);
    ASSERT_EQ(values.size(), unembedding == Tying::tied ? 20u : 28u);
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
    const double trace = std::accumulate(expected.begin(), expected.end(), 0.0);
    EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0), trace, 5e-3 * (1 + std::abs(trace)));
    EXPECT_LT(values.front(), *std::min_element(expected.begin(), expected.end()) + 1e-3);
    EXPECT_GT(values.back(), *std::max_element(expected.begin(), expected.end()) - 1e-3);
    EXPECT_GT(values.back(), 0.01) << "the loss is not flat";
  }
}

// Where all embeddings are equal no answer can be told from another. A tied network leaves that point in any direction
// that W_V does not turn against it: with W_V the identity it is a saddle, with minus the identity a minimum in E.
TEST(CurvatureObservables, TellASaddleFromAMinimum) {
  const auto least = [](const std::string& value) {
    RunConfig config = four_tokens(Tying::tied);
    config.network.start = {{"W_E", "zero"}, {"layer.0.value", value}};
    NetworkRun run(config);
    run.evaluate();
    return eigenvalues(run).front();
  };
  EXPECT_LT(least("identity"), -0.01);
  EXPECT_GT(least("identity -1"), -1e-4);
}

TEST(CurvatureObservables, MeasuringChangesNothing) {
  NetworkRun watched(four_tokens(Tying::tied)), alone(four_tokens(Tying::tied));
  for (NetworkRun* run : {&watched, &alone}) {
    run->evaluate();
    run->advance(10);
    if (run == &watched) eigenvalues(*run);
    run->advance(20);
  }
  EXPECT_TRUE(std::equal(watched.parameters().begin(), watched.parameters().end(), alone.parameters().begin()));
}

TEST(CurvatureObservables, AreForSmallNetworks) {
  RunConfig config = four_tokens(Tying::tied);
  config.network.width = 16;
  EXPECT_EQ(offer(all_observables(RunSpec(config))), nullptr);
}

}  // namespace
}  // namespace atto::curvature_observables_test

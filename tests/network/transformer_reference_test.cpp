// The reference for transformers: against PyTorch, against the reference for one layer, and by hand.
#include "reference/transformer_reference.h"

#include <gtest/gtest.h>

#include <random>

#include "reference/shape_matrix.h"
#include "reference/transformer_golden.h"

namespace atto::reference::transformer_reference_test {
namespace {

// The files keep ten digits.
constexpr double kTolerance = 1e-9;

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], kTolerance * std::max(1.0, std::abs(expected[i]))) << what << " " << i;
}

TEST(TransformerReference, OutputsAndLossEqualPyTorch) {
  on_every_transformer([](const TransformerGolden& golden) {
    const Matrices<double> start = golden.matrices("start");
    const TransformerBatch batch = golden.batch();
    const TransformerReference<double> network(golden.shape(), start);
    std::vector<double> outputs;
    for (int b = 0; b < batch.samples; ++b)
      for (const std::vector<double>& row : network.outputs(batch, b))
        outputs.insert(outputs.end(), row.begin(), row.end());
    expect_near(outputs, golden.outputs(), "outputs");
    EXPECT_NEAR(mean_loss(golden.shape(), start, batch), golden.loss(), kTolerance * golden.loss());
  });
}

TEST(TransformerReference, GradientsEqualPyTorch) {
  on_every_transformer([](const TransformerGolden& golden) {
    const Matrices<double> actual = gradients(golden.shape(), golden.matrices("start"), golden.batch());
    const Matrices<double> expected = golden.matrices("gradients");
    ASSERT_EQ(actual.size(), expected.size());
    for (const auto& [name, values] : expected) expect_near(actual.at(name), values, name);
  });
}

// With every option at its default it is the one-layer network, whose reference has a backward pass by hand.
TEST(TransformerReference, OneBareLayerEqualsTheReferenceForOneLayer) {
  std::mt19937 random(3);
  for (const bool every : {false, true}) {
    Case one;
    one.shape = {
        .vocab = 5, .context = 4, .width = 3, .positions = Positions::learned, .causal = !every, .tied = every};
    one.every = every;
    Parameters<double> parameters = random_parameters(one.shape, random);
    const Sequences sequences = random_sequences(one, 6, random);

    TransformerShape shape;
    shape.inputs = shape.outputs = 5;
    shape.context = 4;
    shape.first_asked = sequences.first_asked;
    shape.width = shape.head_width = 3;
    shape.positions = Positions::learned;
    shape.causal = !every;
    shape.tied = every;
    TransformerBatch batch;
    batch.samples = 6;
    batch.tokens = sequences.tokens;
    batch.targets = sequences.targets;
    batch.asked = sequences.asked;
    batch.weights.assign(static_cast<size_t>(sequences.asked), 1.0);
    Sequences all_count = sequences;
    all_count.weights.assign(sequences.weights.size(), 1.0);

    auto [loss, expected] = loss_and_gradients(one.shape, parameters, all_count);
    Matrices<double> start;
    for (const auto& [name, values] : parameters.named())
      if (!values->empty()) start[name] = *values;
    EXPECT_NEAR(mean_loss(shape, start, batch), loss, 1e-13);
    const Matrices<double> actual = gradients(shape, start, batch);
    for (const auto& [name, values] : expected.named())
      for (size_t i = 0; i < values->size(); ++i) EXPECT_NEAR(actual.at(name)[i], (*values)[i], 1e-13) << name;
  }
}

TEST(TransformerReference, WindowStrideAndMaskHideKeys) {
  TransformerShape shape;
  shape.causal = false;
  shape.window = 4;
  shape.stride = 2;
  const auto seen = [&] {
    std::vector<int> keys;
    for (int key = 0; key < 12; ++key)
      if (shape.sees(5, key)) keys.push_back(key);
    return keys;
  };
  EXPECT_EQ(seen(), (std::vector<int>{1, 3, 5, 7, 9}));
  shape.causal = true;
  EXPECT_EQ(seen(), (std::vector<int>{1, 3, 5}));
  shape.window = 0;
  shape.stride = 1;
  EXPECT_EQ(seen(), (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

// A steep slope leaves each query its own token alone, so the network becomes y = W_U W_V (W_in x_last).
TEST(TransformerReference, ASteepSlopeSeesItselfAlone) {
  TransformerShape shape;
  shape.tokens = shape.tied = false;
  shape.scores = TransformerShape::Scores::none;
  shape.inputs = shape.outputs = 1;
  shape.context = 3;
  shape.first_asked = 2;
  shape.width = shape.head_width = 1;
  shape.causal = false;
  shape.position_bias = TransformerShape::Bias::slope;
  const Matrices<double> parameters = {
      {"W_in", {2}}, {"blocks.0.attn.W_V", {3}}, {"blocks.0.attn.slope", {100}}, {"W_U", {0.5}}};
  TransformerBatch batch;
  batch.samples = 1;
  batch.inputs = {7, -4, 1.5};
  batch.answers = {5};
  EXPECT_DOUBLE_EQ(mean_loss(shape, parameters, batch), 0.5 * (4.5 - 5) * (4.5 - 5));
}

TEST(TransformerReference, TheComplexStepFindsTheSlopeOfTheErrorFunction) {
  for (const double x : {-2.0, -0.3, 0.0, 0.7, 3.0}) {
    const double difference = (std::erf(x + 1e-6) - std::erf(x - 1e-6)) / 2e-6;
    EXPECT_NEAR(error_function(std::complex<double>(x, 1e-30)).imag() / 1e-30, difference, 1e-9);
  }
}

}  // namespace
}  // namespace atto::reference::transformer_reference_test

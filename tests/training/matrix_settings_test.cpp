// Frozen matrices, rates and decay by matrix, clipping, and how each matrix starts.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "data/files/number_file.h"
#include "emergence_run.h"
#include "network/matrix_names.h"
#include "network_run.h"
#include "training/parameter_groups.h"

namespace atto::matrix_settings_test {
namespace {

RunConfig two_layers() {
  RunConfig config;
  config.data.vocab = 7;
  config.data.context = 4;
  config.network.width = 8;
  config.network.layers = 2;
  config.network.residual = true;
  config.network.biases = true;
  config.training.batch = 32;
  config.training.rate = 0.05;
  config.training.steps = 20;
  return config;
}

std::vector<float> values_of(const NetworkRun& run, const std::string& name) {
  const Matrix* matrix = run.network().find(name);
  EXPECT_NE(matrix, nullptr) << name;
  const auto values = run.parameters().subspan(matrix->offset, matrix->size());
  return {values.begin(), values.end()};
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

TEST(MatrixNames, ArePlainAddressesOrPatterns) {
  EXPECT_EQ(plain_address("W_E"), "embedding");
  EXPECT_EQ(plain_address("blocks.12.attn.W_Q"), "layer.12.query");
  EXPECT_EQ(plain_address("blocks.0.mlp.W_out"), "layer.0.mlp.out");
  EXPECT_EQ(plain_address("blocks.2.attn.W_G"), "layer.2.gate");
  EXPECT_EQ(plain_address("blocks.1.linear.W"), "layer.1.linear");
  EXPECT_EQ(plain_address("blocks.0.ln1.w"), "");
  EXPECT_EQ(plain_address("blocks.x"), "");
  std::vector<Matrix> matrices(4);
  matrices[0].name = "W_E";
  matrices[1].name = "blocks.0.attn.W_Q";
  matrices[2].name = "blocks.0.attn.b_Q";
  matrices[3].name = "blocks.1.attn.W_Q";
  const auto named = [&](const std::string& pattern) { return matrices_named(pattern, matrices, "key"); };
  EXPECT_EQ(named("W_E"), (std::vector<size_t>{0}));
  EXPECT_EQ(named("embedding"), (std::vector<size_t>{0}));
  EXPECT_EQ(named("layer.1.query"), (std::vector<size_t>{3}));
  EXPECT_EQ(named("layer.*.query"), (std::vector<size_t>{1, 3}));
  EXPECT_EQ(named("*W_Q"), (std::vector<size_t>{1, 3}));
  EXPECT_EQ(named("blocks.0.*"), (std::vector<size_t>{1, 2}));
  EXPECT_EQ(named("*"), (std::vector<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(named(std::string(20000, '*')), (std::vector<size_t>{0, 1, 2, 3}));
  EXPECT_THROW(named("W_Q"), Error);
  EXPECT_THROW(named(""), Error);
  EXPECT_THROW(named(std::string(20000, '*') + "z"), Error);
}

TEST(MatrixNames, AnUnknownOneIsRefusedWithTheNearest) {
  RunConfig config = two_layers();
  config.training.frozen = {"layer.0.qery"};
  EXPECT_NE(refusal(config).find("did you mean 'layer.0.query'?"), std::string::npos) << refusal(config);
  config.training.frozen = {};
  config.training.rates = {{"W_EE", 0.1}};
  EXPECT_NE(refusal(config).find("training.rates"), std::string::npos);
  config.training.rates = {};
  config.training.decay = {{"blocks.7.attn.W_Q", 0.1}};
  EXPECT_NE(refusal(config).find("training.decay"), std::string::npos);
  config.training.decay = {};
  config.network.start = {{"W_O", "zero"}};
  EXPECT_NE(refusal(config).find("network.start"), std::string::npos);
}

TEST(MatrixNames, TwoEntriesAboutOneMatrixAreRefusedUnlessOneIsItsFullName) {
  RunConfig config = two_layers();
  config.training.rates = {{"layer.*.query", 0.1}, {"layer.0.query", 2}};
  EXPECT_EQ(refusal(config), "");
  const RunSpec spec(config);
  const auto each = matrix_training(config.training, spec.matrices());
  for (size_t i = 0; i < each.size(); ++i) {
    const std::string& name = spec.matrices()[i].name;
    EXPECT_EQ(each[i].rate, name == "blocks.0.attn.W_Q" ? 2 : name == "blocks.1.attn.W_Q" ? 0.1 : 1) << name;
  }
  config.training.rates = {{"layer.*.query", 0.1}, {"*W_Q", 2}};
  EXPECT_NE(refusal(config).find("are both about blocks.0.attn.W_Q"), std::string::npos) << refusal(config);
  config.training.rates = {{"W_E", 0.1}, {"embedding", 2}};
  EXPECT_NE(refusal(config).find("W_E"), std::string::npos);
}

TEST(ParameterGroups, AreOneUnlessSomethingDiffers) {
  const RunSpec spec(two_layers());
  std::vector<ParameterGroup> groups;
  std::vector<MatrixTraining> each(spec.matrices().size());
  group_parameters(spec.matrices(), spec.parameter_count(), each, groups);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].first, 0u);
  EXPECT_EQ(groups[0].count, spec.parameter_count());
  each[1].frozen = true;
  each[3].rate = 2;
  group_parameters(spec.matrices(), spec.parameter_count(), each, groups);
  ASSERT_EQ(groups.size(), 4u);
  size_t moved = 0;
  for (const ParameterGroup& group : groups) {
    EXPECT_EQ(group.first, group.matrices.front().offset);
    moved += group.count;
  }
  EXPECT_EQ(moved, spec.parameter_count() - (spec.matrices()[2].offset - spec.matrices()[1].offset));
  EXPECT_EQ(groups[2].rate, 2);
}

TEST(Frozen, MatricesStayWhileOthersMove) {
  for (const std::string optimizer : {"adam", "adamw", "sgd", "lion", "muon"}) {
    RunConfig config = two_layers();
    config.training.optimizer = optimizer;
    config.training.weight_decay = 0.1;
    config.training.frozen = {"W_E", "layer.*.query"};
    NetworkRun run(config);
    const NetworkRun start(config);
    run.evaluate();
    double square = 0;
    const Matrix& table = *run.network().find("W_E");
    for (const float g : run.gradients().subspan(table.offset, table.size())) square += static_cast<double>(g) * g;
    EXPECT_GT(square, 0) << "the gradient is there for observers";
    run.advance(20);
    for (const Matrix& matrix : run.network().matrices()) {
      const bool kept = matrix.name == "W_E" || matrix.name.ends_with("W_Q");
      EXPECT_EQ(values_of(run, matrix.name) == values_of(start, matrix.name), kept) << optimizer << ", " << matrix.name;
    }
  }
}

// What is frozen takes no part in the others' updates: they are as if its rate were 0.
TEST(Frozen, EqualsARateOfZeroForTheOthers) {
  RunConfig frozen = two_layers(), slow = two_layers();
  frozen.training.frozen = {"layer.0.key"};
  slow.training.rates = {{"layer.0.key", 0}};
  NetworkRun a(frozen), b(slow);
  for (NetworkRun* run : {&a, &b}) run->evaluate(), run->advance(20);
  EXPECT_TRUE(std::ranges::equal(a.parameters(), b.parameters()));
}

TEST(Rates, MultiplyTheFirstUpdateOfTheirMatrix) {
  RunConfig config = two_layers();
  config.training.optimizer = "sgd";
  NetworkRun plain(config);
  config.training.rates = {{"layer.1.value", 0.25}};
  NetworkRun scaled(config);
  for (NetworkRun* run : {&plain, &scaled}) run->evaluate();
  const auto whole = plain.trainer().next_update(), part = scaled.trainer().next_update();
  for (const Matrix& matrix : plain.network().matrices())
    for (size_t i = matrix.offset; i < matrix.offset + matrix.size(); ++i)
      EXPECT_NEAR(part[i], (matrix.name == "blocks.1.attn.W_V" ? 0.25 : 1) * whole[i], 1e-6) << matrix.name;
}

TEST(Rates, OfTheNetworkOfFreeScores) {
  RunConfig config;
  config.data.task = "regression";
  config.network.form = Form::scores;
  config.training.optimizer = "sgd";
  config.training.frozen = {"a"};
  config.network.start = {{"W", "identity 0.5"}};
  LiveRun run{RunSpec(config)};
  run.trainer().evaluate();
  run.trainer().advance(10);
  const auto weights = run.trainer().weights();
  EXPECT_TRUE(std::ranges::all_of(weights[1].values, [](float a) { return a == 0; }));
  EXPECT_NE(weights[0].values[0], 0.5f);
}

TEST(NextUpdate, IsWhatTheNextUpdateDoes) {
  for (const std::string optimizer : {"adam", "sgd", "muon", "lion"}) {
    RunConfig config = two_layers();
    config.training.optimizer = optimizer;
    config.training.clip = 0.1;
    NetworkRun run(config);
    run.evaluate();
    run.advance(3);
    const Snapshot before = run.snapshot();
    const std::vector<float> promised = run.trainer().next_update();
    EXPECT_EQ(run.snapshot().parameters, before.parameters) << "nothing moves";
    EXPECT_EQ(run.snapshot().optimizer, before.optimizer);
    run.update();
    for (size_t i = 0; i < promised.size(); ++i)
      ASSERT_EQ(run.parameters()[i] - before.parameters[i], promised[i]) << optimizer << ", " << i;
  }
}

TEST(Clip, ShortensLongGradientsOnly) {
  RunConfig config = two_layers();
  config.training.optimizer = "sgd";
  NetworkRun plain(config);
  plain.evaluate();
  double square = 0;
  for (const float g : plain.gradients()) square += static_cast<double>(g) * g;
  const double length = std::sqrt(square);
  const auto whole = plain.trainer().next_update();
  for (const double share : {0.25, 2.0}) {
    config.training.clip = share * length;
    NetworkRun clipped(config);
    clipped.evaluate();
    const auto update = clipped.trainer().next_update();
    for (size_t i = 0; i < whole.size(); ++i)
      EXPECT_NEAR(update[i], std::min(1.0, share) * whole[i], 1e-6 * (share < 1 ? 1 : 0)) << i;
  }
}

TEST(Clip, CountsOnlyWhatMoves) {
  std::vector<float> gradients{3, 4, 100, 0};
  const std::vector<ParameterGroup> groups{{{}, 0, 2}};
  clip_gradients(2.5, groups, gradients);
  EXPECT_EQ(gradients, (std::vector<float>{1.5, 2, 100, 0}));
}

TEST(MatrixSettings, WithoutEffectAreRefused) {
  RunConfig config = two_layers();
  config.training.frozen = {"W_E"};
  config.training.rates = {{"W_E", 0.5}};
  EXPECT_NE(refusal(config).find("no effect"), std::string::npos);
  config.training.rates = {{"*", 0.5}};
  EXPECT_EQ(refusal(config), "") << "others it is about learn";
  config.training.rates = {};
  config.training.decay = {{"embedding", 0.5}};
  EXPECT_NE(refusal(config).find("no effect"), std::string::npos);
  config.training.decay = {};
  config.training.frequency_rate = 1;
  EXPECT_NE(refusal(config).find("frequency_rate"), std::string::npos) << "the only table is frozen";
}

// --- how they start ---

std::vector<float> started(const std::string& name, const std::string& start, RunConfig config = two_layers()) {
  if (!start.empty()) config.network.start = {{name, start}};
  return values_of(NetworkRun(config), name);
}

TEST(Start, ConstantsScalesAndIdentities) {
  const std::string query = "blocks.0.attn.W_Q";
  EXPECT_EQ(started(query, "zero"), std::vector<float>(64));
  EXPECT_EQ(started(query, "constant -0.25"), std::vector<float>(64, -0.25f));
  std::vector<float> scaled = started(query, "");
  for (float& one : scaled) one *= 0.5f;
  EXPECT_EQ(started(query, "scale 0.5"), scaled);
  const auto identity = started("W_E", "identity 2");  // 7 × 8
  for (size_t i = 0; i < identity.size(); ++i) EXPECT_EQ(identity[i], i / 8 == i % 8 ? 2 : 0) << i;
}

TEST(Start, OrthogonalRowsOrColumnsByTheSeed) {
  for (const int64_t seed : {1, 2}) {
    RunConfig config = two_layers();
    config.seeds.init = seed;
    for (const std::string name : {"W_E", "blocks.1.attn.W_V"}) {  // 7 × 8 and 8 × 8
      const auto x = started(name, "orthogonal 3", config);
      const size_t rows = x.size() / 8;
      for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < rows; ++j) {
          double dot = 0;
          for (size_t k = 0; k < 8; ++k) dot += static_cast<double>(x[8 * i + k]) * static_cast<double>(x[8 * j + k]);
          EXPECT_NEAR(dot, i == j ? 9 : 0, 1e-5) << name;
        }
    }
  }
  RunConfig tall = two_layers();
  tall.data.vocab = 20;  // columns of 20 × 8
  const auto x = started("W_E", "orthogonal", tall);
  double dot = 0, square = 0;
  for (size_t i = 0; i < 20; ++i) {
    dot += static_cast<double>(x[8 * i]) * static_cast<double>(x[8 * i + 5]);
    square += static_cast<double>(x[8 * i]) * static_cast<double>(x[8 * i]);
  }
  EXPECT_NEAR(dot, 0, 1e-6);
  EXPECT_NEAR(square, 1, 1e-6);
  RunConfig other = two_layers();
  other.seeds.init = 2;
  EXPECT_NE(started("W_E", "orthogonal"), started("W_E", "orthogonal", other));
}

TEST(Start, SaysWhatIsWrongWithIt) {
  const auto told = [](const std::string& start) {
    RunConfig config = two_layers();
    config.network.start = {{"W_E", start}};
    return refusal(config);
  };
  EXPECT_NE(told("zero 1").find("'zero 1' has something after zero"), std::string::npos) << told("zero 1");
  EXPECT_NE(told("scale x").find("'scale x' has no number after its word"), std::string::npos) << told("scale x");
  EXPECT_NE(told("scale").find("'scale' lacks its number"), std::string::npos) << told("scale");
}

TEST(Start, LeavesTheOthersAlone) {
  RunConfig config = two_layers();
  const NetworkRun plain(config);
  config.network.start = {{"layer.*.query", "zero"}};
  const NetworkRun changed(config);
  for (const Matrix& matrix : plain.network().matrices())
    EXPECT_EQ(values_of(plain, matrix.name) == values_of(changed, matrix.name), !matrix.name.ends_with("W_Q"));
}

// A run whose matrix starts from a file with this content.
RunConfig from_file(const std::string& name, const std::string& content) {
  RunConfig config = two_layers();
  config.network.start_file = {{name, "start.csv"}};
  config.network.start_content = {{name, std::make_shared<NumberFile>(parse_number_file(content, "start.csv"))}};
  return config;
}

TEST(Start, FromAFile) {
  std::string table;
  for (int row = 0; row < 7; ++row)
    for (int column = 0; column < 8; ++column) table += std::to_string(10 * row + column) + (column < 7 ? "," : "\n");
  const NetworkRun run(from_file("embedding", table));
  const auto values = values_of(run, "W_E");
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<float>(10 * (i / 8) + i % 8));
  EXPECT_EQ(values_of(run, "blocks.0.attn.W_Q"), values_of(NetworkRun(two_layers()), "blocks.0.attn.W_Q"));
  const NetworkRun bias(from_file("blocks.0.attn.b_Q", "1,2,3,4,5,6,7,8\n"));
  EXPECT_EQ(values_of(bias, "blocks.0.attn.b_Q"), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Start, AnArchiveHasAnArrayForEachMatrix) {
  RunConfig config = two_layers();
  auto archive = std::make_shared<NumberFile>();
  archive->name = "start.npz";
  archive->arrays = {{"W_E", {7, 8}, std::vector<double>(56, 2.0), {}},
                     {"layer.1.query", {8, 8}, std::vector<double>(64, 3.0), {}}};
  config.network.start_file = {{"W_E", "start.npz"}, {"layer.1.query", "start.npz"}};
  config.network.start_content = {{"W_E", archive}, {"layer.1.query", archive}};
  const NetworkRun run(config);
  EXPECT_EQ(values_of(run, "W_E"), std::vector<float>(56, 2.0f));
  EXPECT_EQ(values_of(run, "blocks.1.attn.W_Q"), std::vector<float>(64, 3.0f));
  config.network.start_file = {{"layer.0.query", "start.npz"}};
  config.network.start_content = {{"layer.0.query", archive}};
  EXPECT_NE(refusal(config).find("none of its 2 arrays is called 'blocks.0.attn.W_Q'"), std::string::npos);
}

TEST(Start, AFileThatDoesNotFitIsRefused) {
  const std::string shape = refusal(from_file("W_E", "1,2\n3,4\n"));
  EXPECT_NE(shape.find("start.csv has 2 × 2, but W_E is 7 × 8"), std::string::npos) << shape;
  EXPECT_NE(refusal(from_file("blocks.0.attn.b_Q", "1,2,3,4,5,6,7,1e200\n")).find("cannot be a weight"),
            std::string::npos);
  EXPECT_NE(refusal(from_file("W_X", "1\n")).find("network.start_file"), std::string::npos);
  RunConfig twice = from_file("blocks.0.attn.b_Q", "1,2,3,4,5,6,7,8\n");
  twice.network.start = {{"blocks.0.attn.b_Q", "zero"}};
  EXPECT_NE(refusal(twice).find("both say"), std::string::npos);
  RunConfig hash = two_layers();
  hash.network.start_hash = {{"W_E", "00"}};
  EXPECT_NE(refusal(hash).find("network.start_hash"), std::string::npos);
}

TEST(Start, WhatIsNoStartIsRefused) {
  for (const std::string text : {"", "one", "zeros", "zero 1", "constant", "scale", "scale x", "scale nan", "scale 1 2",
                                 "identity inf", "orthogonal  2"}) {
    RunConfig config = two_layers();
    config.network.start = {{"W_E", text}};
    EXPECT_NE(refusal(config).find("network.start"), std::string::npos) << "'" << text << "'";
  }
}

}  // namespace
}  // namespace atto::matrix_settings_test

// Every optimizer against PyTorch's and the papers' (tests/golden/make_optimizer_golden.py), and what each one
// promises.
#include "training/optimizers/optimizer.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/json_library.h"
#include "kernels/random.h"
#include "kernels/simd/target.h"
#include "network_run.h"
#include "places.h"
#include "training/optimizers/orthogonalise.h"
#include "training/parameter_groups.h"

namespace atto::optimizers_test {
namespace {

using nlohmann::json;

Value value_of(const json& one) {
  if (one.is_string()) return one.get<std::string>();
  if (one.is_number_integer()) return one.get<int64_t>();
  if (one.is_number()) return one.get<double>();
  if (one.is_array()) {
    ValueList list;
    for (const json& item : one) list.items.push_back(value_of(item));
    return list;
  }
  ValueTable table;
  for (const auto& [name, item] : one.items()) table.entries[name] = value_of(item);
  return table;
}

// The matrices of a file in one arena, each from a multiple of 16 on.
struct Case {
  explicit Case(const json& file) : start(file.at("start")) {
    for (const auto& [key, value] : file.at("settings").items()) run_schema().at(key).set(config, value_of(value));
    for (const auto& [name, rows] : start.items()) {
      matrices.push_back({name, static_cast<int>(rows.size()), static_cast<int>(rows[0].size()), count, {}});
      count += (matrices.back().size() + 15) / 16 * 16;
    }
  }
  std::vector<float> packed(const json& of) const {
    std::vector<float> values(count);
    for (const Matrix& matrix : matrices) {
      size_t at = matrix.offset;
      for (const json& row : of.at(matrix.name))
        for (const json& one : row) values[at++] = one.get<float>();
    }
    return values;
  }

  json start;
  RunConfig config;
  std::vector<Matrix> matrices;
  size_t count = 0;
};

std::vector<float> trained(const Case& one, const json& gradients) {
  const TrainingConfig& config = one.config.training;
  std::vector<float> parameters = one.packed(one.start);
  const auto optimizer = make_optimizer(config, one.matrices, one.count);
  std::vector<ParameterGroup> groups;
  group_parameters(one.matrices, one.count, matrix_training(config, one.matrices), groups);
  for (size_t step = 0; step < gradients.size(); ++step) {
    std::vector<float> gradient = one.packed(gradients[step]);
    if (config.clip > 0) clip_gradients(config.clip, groups, gradient);
    optimizer->update(static_cast<int64_t>(step), config.rate, {parameters, gradient, groups});
  }
  return parameters;
}

TEST(OptimizerGolden, TenUpdatesEqualPyTorch) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(in_source("tests/golden/optimizers"))) {
    SCOPED_TRACE(entry.path().stem().string());
    std::ifstream in(entry.path());
    const json file = json::parse(in);
    const Case one(file);
    const std::vector<float> expected = one.packed(file.at("after"));
    std::vector<float> first;
    for (const std::string& target : supported_targets()) {
      pin_target(target);
      const std::vector<float> actual = trained(one, file.at("gradients"));
      if (first.empty()) first = actual;
      EXPECT_EQ(actual, first) << target << " gives other bits";
    }
    pin_target("");
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(first[i], expected[i], 1e-4) << i;
    ++files;
  }
  EXPECT_GE(files, 12);
}

RunConfig small_run(const std::string& optimizer) {
  RunConfig config;
  config.data.vocab = 5;
  config.data.context = 4;
  config.network.width = 4;
  config.training.optimizer = optimizer;
  config.training.batch = 64;
  config.training.rate = optimizer == "sgd" ? 0.5 : optimizer == "nesterov" ? 0.1 : 0.01;
  if (optimizer == "nesterov" || optimizer == "muon") config.training.momentum = 0.9;
  return config;
}

TEST(Optimizers, AllLearn) {
  for (const std::string& name : optimizer_names()) {
    if (name == "flow") continue;
    RunConfig config = small_run(name);
    config.training.steps = 400;
    NetworkRun run(config);
    const double before = run.evaluate().loss;
    run.advance(400);
    EXPECT_LT(run.evaluate().loss, 0.7 * before) << name;
  }
}

TEST(Optimizers, AdamWWithoutDecayIsAdamBitForBit) {
  NetworkRun adam(small_run("adam")), adamw(small_run("adamw"));
  for (NetworkRun* run : {&adam, &adamw}) run->evaluate(), run->advance(20);
  EXPECT_TRUE(std::ranges::equal(adam.parameters(), adamw.parameters()));
}

// Without a gradient, decay that is apart from it shrinks weights by rate · λ a step.
TEST(Optimizers, DecoupledDecayShrinksWhatNothingElseMoves) {
  for (const std::string name : {"adamw", "lion", "signsgd", "muon"}) {
    TrainingConfig config;
    config.optimizer = name;
    config.weight_decay = 0.5;
    const std::vector<Matrix> matrices{{"blocks.0.attn.W_Q", 3, 2, 0, {}}};
    const auto optimizer = make_optimizer(config, matrices, 16);
    std::vector<float> values(16, 1.0f), gradients(16);
    std::vector<ParameterGroup> groups;
    group_parameters(matrices, 16, matrix_training(config, matrices), groups);
    for (int step = 0; step < 3; ++step) optimizer->update(step, 0.1, {values, gradients, groups});
    EXPECT_NEAR(values[0], 0.95 * 0.95 * 0.95, 1e-6) << name;
  }
}

TEST(Orthogonalise, BringsAllSingularValuesNearOne) {
  for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{2, 2}, {3, 7}, {7, 3}, {16, 16}, {40, 17}}) {
    std::vector<float> x(static_cast<size_t>(rows * columns));
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(100 * standard_normal(3, Purpose::init, 0, static_cast<uint32_t>(i)));
    using Map = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
    const Eigen::MatrixXd before = Map(x.data(), rows, columns).cast<double>();
    std::vector<float> scratch(orthogonalise_scratch(rows, columns));
    orthogonalise(x.data(), rows, columns, scratch.data());
    const Eigen::MatrixXd after = Map(x.data(), rows, columns).cast<double>();
    const Eigen::VectorXd values = Eigen::JacobiSVD<Eigen::MatrixXd>(after).singularValues();
    const Eigen::JacobiSVD<Eigen::MatrixXd> whole(before, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const double condition = whole.singularValues()(0) / whole.singularValues().minCoeff();
    EXPECT_LT(values(0), 1.25) << rows << " × " << columns;
    if (condition < 100) {
      EXPECT_GT(values.minCoeff(), 0.6) << rows << " × " << columns;
    }
    // In the directions that it had: Uᵀ X V stays diagonal.
    const Eigen::MatrixXd turned = whole.matrixU().transpose() * after * whole.matrixV();
    const Eigen::MatrixXd diagonal = turned.diagonal().asDiagonal();
    EXPECT_LT((turned - diagonal).norm(), 1e-3) << rows << " × " << columns;
  }
}

TEST(Orthogonalise, LeavesNothingAsItIs) {
  std::vector<float> x(6), scratch(orthogonalise_scratch(2, 3));
  orthogonalise(x.data(), 2, 3, scratch.data());
  EXPECT_EQ(x, std::vector<float>(6));
}

// --- what has no effect is refused ---

std::string refusal(const RunConfig& config) {
  try {
    RunSpec{config};
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  return "";
}

TEST(OptimizerSettings, AreRefusedWhereNothingReadsThem) {
  RunConfig config = small_run("adam");
  EXPECT_EQ(refusal(config), "");
  config.training.momentum = 0.9;
  EXPECT_NE(refusal(config).find("training.momentum = 0.9"), std::string::npos);
  config = small_run("sgd");
  config.training.beta2 = 0.9;
  EXPECT_NE(refusal(config).find("training.beta2"), std::string::npos);
  config = small_run("lion");
  config.training.epsilon = 1e-3;
  EXPECT_NE(refusal(config).find("training.epsilon"), std::string::npos);
  config = small_run("nesterov");
  config.training.momentum = 0;
  EXPECT_NE(refusal(config).find("without momentum"), std::string::npos);
}

TEST(OptimizerSettings, TheFlowHasNoneOfThem) {
  RunConfig config;
  config.data.task = "regression";
  config.network.form = Form::scores;
  config.network.init_scale = 0;
  config.training.optimizer = "flow";
  config.training.gradient = GradientKind::expected;
  EXPECT_EQ(refusal(config), "");
  for (const char* setting : {"training.weight_decay", "training.clip"}) {
    RunConfig other = config;
    run_schema().at(setting).set(other, 0.5);
    EXPECT_NE(refusal(other), "") << setting;
  }
  RunConfig frozen = config;
  frozen.training.frozen = {"W"};
  EXPECT_NE(refusal(frozen).find("no matrix 'W'"), std::string::npos);
}

}  // namespace
}  // namespace atto::optimizers_test

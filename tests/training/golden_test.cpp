// The engine against PyTorch: loss, gradients and ten steps of each optimizer, from the files
// tests/golden/make_golden.py wrote.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "places.h"
#include "reference/engine.h"
#include "training/optimizers/optimizer.h"

namespace atto::reference {
namespace {

using nlohmann::json;

constexpr double kTolerance = 1e-5;

class Golden {
 public:
  explicit Golden(const std::filesystem::path& path) : file_(json::parse(std::ifstream(path))) {
    const json& description = file_.at("shape");
    shape_.vocab = description.at("vocab");
    shape_.context = description.at("context");
    shape_.width = description.at("width");
    shape_.causal = description.at("mask") == "causal";
    shape_.tied = description.at("unembedding") == "tied";
    for (const Positions positions : {Positions::none, Positions::learned, Positions::sinusoidal})
      if (description.at("positions") == name_of(positions)) shape_.positions = positions;
    for (const ScoreKind kernel : {ScoreKind::dot, ScoreKind::distance, ScoreKind::inverse})
      if (description.at("kernel") == name_of(kernel)) shape_.kernel = kernel;
    shape_.kernel_power = description.at("kernel_power");
    shape_.harmonic = description.at("logits") == "harmonic";
    shape_.logits_power = description.at("logits_power");
  }

  const Shape& shape() const { return shape_; }
  double loss() const { return file_.at("loss"); }
  int steps() const { return static_cast<int>(file_.at("batches").size()); }
  const json& operator[](const char* key) const { return file_.at(key); }

  // "start", "gradients", "after_adam" or "after_sgd".
  Parameters<double> matrices(const char* key) const {
    Parameters<double> parameters(shape_);
    for (const auto& [name, values] : parameters.named()) {
      size_t i = 0;
      for (const json& row : file_.at(key).value(name, json::array()))
        for (const json& entry : row) values->at(i++) = entry;
      EXPECT_EQ(i, values->size()) << name;
    }
    return parameters;
  }

  Sequences batch(int step) const {
    const json& description = file_.at("shape");
    const json& lists = file_.at("batches").at(static_cast<size_t>(step));
    Sequences batch;
    batch.samples = description.at("batch");
    batch.first_asked = description.at("first_asked");
    batch.asked = description.at("asked");
    for (const json& sequence : lists.at("tokens"))
      for (const json& token : sequence) batch.tokens.push_back(token);
    for (const json& sequence : lists.at("targets")) {
      for (const json& token : sequence) batch.targets.push_back(token);
      for (const json& weight : description.at("weights")) batch.weights.push_back(weight);
    }
    return batch;
  }

 private:
  json file_;
  Shape shape_;
};

template <class Check>
void on_every_file(const Check& check) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(in_source("tests/golden"))) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().stem().string());
    check(Golden(entry.path()));
    ++files;
  }
  EXPECT_GE(files, 15);
}

Network network_of(const Golden& golden) {
  const Shape& shape = golden.shape();
  return Network(config_of(shape), BatchShape{shape.vocab, shape.context, golden.batch(0).first_asked});
}

// Ten updates from the file's start on the file's batches.
Parameters<double> train(const Golden& golden, const TrainingConfig& config) {
  const Network network = network_of(golden);
  std::vector<float> parameters = pack(network, golden.matrices("start"));
  const auto optimizer = make_optimizer(config, network.matrices(), network.parameter_count());
  const ParameterGroup all{network.matrices(), 0, network.parameter_count()};
  for (int step = 0; step < golden.steps(); ++step) {
    const EngineResult result = evaluate(network, parameters, golden.batch(step), 16);
    optimizer->update(step, config.rate, {parameters, result.gradients, {&all, 1}});
  }
  return unpack(network, golden.shape(), parameters);
}

TEST(Golden, ReferenceEqualsPyTorch) {
  on_every_file([](const Golden& golden) {
    const auto [loss, gradients] = loss_and_gradients(golden.shape(), golden.matrices("start"), golden.batch(0));
    EXPECT_NEAR(loss, golden.loss(), 1e-9 * golden.loss());
    // The file keeps ten digits.
    auto actual = gradients, expected = golden.matrices("gradients");
    for (size_t m = 0; m < expected.named().size(); ++m)
      for (size_t i = 0; i < expected.named()[m].second->size(); ++i)
        EXPECT_NEAR((*actual.named()[m].second)[i], (*expected.named()[m].second)[i], 1e-9)
            << expected.named()[m].first;
  });
}

TEST(Golden, LossAndGradientsEqualPyTorch) {
  on_every_file([](const Golden& golden) {
    const Network network = network_of(golden);
    const std::vector<float> start = pack(network, golden.matrices("start"));
    on_every_target([&] {
      const EngineResult result = evaluate(network, start, golden.batch(0), 16);
      EXPECT_NEAR(result.loss, golden.loss(), kTolerance * golden.loss());
      expect_close(unpack(network, golden.shape(), result.gradients), golden.matrices("gradients"), kTolerance);
    });
  });
}

TEST(Golden, TenStepsOfAdamEqualPyTorch) {
  on_every_file([](const Golden& golden) {
    TrainingConfig config;
    config.optimizer = "adam";
    config.rate = golden["adam"].at("lr");
    config.beta1 = golden["adam"].at("betas").at(0);
    config.beta2 = golden["adam"].at("betas").at(1);
    config.epsilon = golden["adam"].at("eps");
    on_every_target([&] { expect_close(train(golden, config), golden.matrices("after_adam"), kTolerance); });
  });
}

TEST(Golden, TenStepsOfSgdWithMomentumEqualPyTorch) {
  on_every_file([](const Golden& golden) {
    TrainingConfig config;
    config.optimizer = "sgd";
    config.rate = golden["sgd"].at("lr");
    config.momentum = golden["sgd"].at("momentum");
    on_every_target([&] { expect_close(train(golden, config), golden.matrices("after_sgd"), kTolerance); });
  });
}

}  // namespace
}  // namespace atto::reference

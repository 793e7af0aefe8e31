// The files tests/golden/make_transformer_golden.py wrote.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "places.h"
#include "reference/transformer_reference.h"

namespace atto::reference {

class TransformerGolden {
 public:
  using Json = nlohmann::json;

  explicit TransformerGolden(const std::filesystem::path& path) : file_(Json::parse(std::ifstream(path))) {
    const Json& c = config();
    TransformerShape& s = shape_;
    s.tokens = c.at("data.task") != "regression";
    s.outputs =
        s.tokens ? c.at("data.vocab").get<int>() + c.at("data.bos").get<bool>() : c.at("data.dimension").get<int>();
    s.inputs = s.tokens ? s.outputs : s.outputs + c.at("data.flag").get<bool>();
    s.context = c.at("data.context");
    s.first_asked = file_.at("first_asked");
    s.width = c.at("network.width");
    s.layers = c.at("network.layers");
    s.heads = c.at("network.heads");
    s.head_width = c.at("network.head_width");
    if (s.head_width == 0) s.head_width = s.width / s.heads;
    for (const Positions positions : {Positions::none, Positions::learned, Positions::sinusoidal})
      if (c.at("network.positions") == name_of(positions)) s.positions = positions;
    s.rotary = c.at("network.positions") == "rotary";
    s.causal = c.at("network.mask") != "full";
    s.own = c.at("network.mask") != "earlier";
    s.window = c.at("network.window");
    s.stride = c.at("network.stride");
    s.scores =
        static_cast<TransformerShape::Scores>(place_of(c.at("network.kernel"), {"dot", "distance", "inverse", "none"}));
    s.power = c.at("network.kernel_power");
    s.weights = static_cast<TransformerShape::Weights>(place_of(
        c.at("network.normalizer"), {"softmax", "softmax-plus-one", "sink", "sigmoid", "linear", "linear-mean"}));
    s.qk_norm = c.at("network.qk_norm");
    s.gate = c.at("network.gate");
    s.stacked = c.at("network.stack") != Json::array({"blocks"});
    if (s.stacked) s.parts = c.at("network.stack").get<std::vector<std::string>>();
    using Bias = TransformerShape::Bias;
    const std::string bias = c.at("network.position_bias"), mlp = c.at("network.mlp");
    s.position_bias = bias == "slope" ? Bias::slope : bias == "free" ? Bias::free : Bias::none;
    s.output = c.at("network.output");
    s.residual = c.at("network.residual");
    s.norm = c.at("network.norm") == "pre";
    s.biases = c.at("network.biases");
    s.tied = s.tokens && c.at("network.unembedding") == "tied";
    using Mlp = TransformerShape::Mlp;
    s.mlp = mlp == "gelu" ? Mlp::gelu : mlp == "relu" ? Mlp::relu : Mlp::none;
    s.mlp_factor = c.at("network.mlp_factor");
  }

  const TransformerShape& shape() const { return shape_; }
  const Json& config() const { return file_.at("config"); }  // "data.task": "recall", ...
  double loss() const { return file_.at("loss"); }
  std::vector<double> outputs() const { return flat<double>(file_.at("outputs")); }  // [B][Q][V or d]

  // "start" or "gradients".
  Matrices<double> matrices(const char* key) const {
    Matrices<double> all;
    for (const auto& [name, rows] : file_.at(key).items()) all[name] = flat<double>(rows);
    return all;
  }

  TransformerBatch batch() const {
    const Json& lists = file_.at("batch");
    TransformerBatch batch;
    batch.samples = static_cast<int>(lists.at(shape_.tokens ? "tokens" : "inputs").size());
    if (shape_.tokens) {
      batch.tokens = flat<int>(lists.at("tokens"));
      batch.targets = flat<int>(lists.at("targets"));
      batch.weights = flat<double>(lists.at("weights"));
      batch.asked = lists.at("asked");
    } else {
      batch.inputs = flat<double>(lists.at("inputs"));
      batch.answers = flat<double>(lists.at("answers"));
    }
    return batch;
  }

 private:
  static size_t place_of(const std::string& word, const std::vector<std::string>& words) {
    const auto found = std::find(words.begin(), words.end(), word);
    EXPECT_NE(found, words.end()) << word;
    return static_cast<size_t>(found - words.begin());
  }

  // The numbers of nested lists, in order.
  template <class Number>
  static std::vector<Number> flat(const Json& lists) {
    if (!lists.is_array()) return {lists.get<Number>()};
    std::vector<Number> numbers;
    for (const Json& entry : lists)
      for (const Number number : flat<Number>(entry)) numbers.push_back(number);
    return numbers;
  }

  Json file_;
  TransformerShape shape_;
};

template <class Check>
void on_every_transformer(const Check& check) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(in_source("tests/golden/transformer"))) {
    SCOPED_TRACE(entry.path().stem().string());
    check(TransformerGolden(entry.path()));
    ++files;
  }
  EXPECT_GE(files, 28);
}

}  // namespace atto::reference

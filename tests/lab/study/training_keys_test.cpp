// Training settings as studies write them: tables, lists, sweeps over them, and what is said about wrong ones.
#include <gtest/gtest.h>

#include "base/error.h"
#include "lab/study/study.h"

namespace atto::training_keys_test {
namespace {

const std::string kHead = R"(title = "Training"
source = "someone 2026"
[data]
vocab = 8
[training]
steps = 500
)";

Study study_of(const std::string& text) {
  return parse_study(kHead + text + "[[observe]]\nwhat = [\"loss\"]\n", "a.toml", {});
}

std::string message_of(const std::string& text) {
  try {
    study_of(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(TrainingKeys, AreReadAsTheyAreWritten) {
  const Study study = study_of(R"(
optimizer = "adamw"
weight_decay = 0.1
decay = { "W_E" = 0 }
frozen = ["layer.0.key"]
rates = { "layer.*.query" = 0.5 }
schedule = "points"
points = [[0, 1e-3], [100, 1e-4]]

[[training.intervention]]
from = 100
from_flat = 0.02
smooth = 20
for = 50
freeze = ["W_E"]

[[training.intervention]]
until = 30
rates = { "layer.*.value" = 2 }

[network]
start = { "layer.*.query" = "scale 0.1" }
)");
  const TrainingConfig& training = study.base.training;
  EXPECT_EQ(training.decay, (std::map<std::string, double>{{"W_E", 0}}));
  EXPECT_EQ(training.frozen, std::vector<std::string>{"layer.0.key"});
  EXPECT_EQ(training.points, (std::vector<std::pair<double, double>>{{0, 1e-3}, {100, 1e-4}}));
  ASSERT_EQ(training.interventions.size(), 2u);
  EXPECT_EQ(training.interventions[0].lasting, 50);
  EXPECT_EQ(training.interventions[0].freeze, std::vector<std::string>{"W_E"});
  EXPECT_EQ(training.interventions[1].rates.at("layer.*.value"), 2);
  EXPECT_EQ(study.base.network.start.at("layer.*.query"), "scale 0.1");
}

TEST(TrainingKeys, CanBeSwept) {
  const Study study = study_of(R"(
[sweep.grid]
training.frozen = [[], ["W_E"], ["layer.*.query", "layer.*.key"]]
training.rates = [{}, { "layer.0.value" = 0.5 }]
)");
  EXPECT_EQ(expand_cells(study).size(), 6u);
}

TEST(TrainingKeys, AreRefusedWithTheirPlace) {
  EXPECT_NE(message_of("frozen = [\"layer.0.qery\"]\n").find("a.toml:"), std::string::npos);
  EXPECT_NE(message_of("frozen = [\"layer.0.qery\"]\n").find("did you mean 'layer.0.query'?"), std::string::npos);
  EXPECT_NE(message_of("frozen = 1\n").find("a.toml:7:"), std::string::npos) << message_of("frozen = 1\n");
  EXPECT_NE(message_of("rates = { \"W_E\" = -1 }\n").find("a.toml:7:"), std::string::npos);
  const std::string wrong = message_of("[[training.intervention]]\nfreze = [\"W_E\"]\n");
  EXPECT_NE(wrong.find("a.toml:7:1: unknown key 'freze'"), std::string::npos) << wrong;
  EXPECT_NE(message_of("[[training.intervention]]\nfrom = 3\n").find("changes nothing"), std::string::npos);
  EXPECT_NE(message_of("schedule = \"points\"\npoints = [[0, 1], [5]]\n").find("a.toml:8:"), std::string::npos);
}

}  // namespace
}  // namespace atto::training_keys_test

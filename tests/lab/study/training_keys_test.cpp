// Training settings as studies write them: tables, lists, sweeps over them, and what is said about wrong ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "lab/study/study.h"
#include "spec/live_run.h"

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

// The ids of runs know what a file holds and not where it is.
TEST(StartFiles, AreReadWithTheStudy) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "start_files";
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& content) {
    std::ofstream(folder / name) << content;
  };
  const auto ids = [&](const std::string& file, const std::string& more = "") {
    const std::string text = kHead + "[network]\nstart_file = { \"layer.0.value\" = \"" + file + "\" }\n" + more +
                             "[[observe]]\nwhat = [\"loss\"]\n";
    const Study study = parse_study(text, (folder / "a.toml").string(), {});
    const Cell cell = expand_cells(study).at(0);
    EXPECT_EQ(LiveRun(RunSpec(cell.config)).trainer().weights().at(3).values[1], 2.0f);
    return run_id(cell.config, study.observe);
  };
  write("one.csv", "1,2\n3,4\n");
  write("same.csv", "1,2\n3,4\n");
  write("other.csv", "1,2\n3,5\n");
  const std::string one = ids("one.csv");
  EXPECT_EQ(one, ids("same.csv"));
  EXPECT_NE(one, ids("other.csv"));
  try {
    ids("one.csv", "start_hash = { \"layer.0.value\" = \"abc\" }\n");
    ADD_FAILURE() << "another content than the study says";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a.toml:8:"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("network.start_hash says abc"), std::string::npos) << error.what();
  }
  try {
    ids("missing.csv");
    ADD_FAILURE() << "no such file";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::missing);
    EXPECT_NE(std::string(error.what()).find("a.toml:8:"), std::string::npos) << error.what();
  }
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

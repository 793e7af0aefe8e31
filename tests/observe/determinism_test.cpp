// A recording is the same, bit for bit, on every instruction set and beside a twin on another thread.
#include <gtest/gtest.h>

#include <cstring>
#include <future>

#include "kernels/simd/target.h"
#include "observe/observable.h"
#include "observe/recorder.h"
#include "training/transformer_runs.h"

namespace atto {
namespace {

template <class T>
void append(std::string& bytes, const std::vector<T>& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

std::string record_bytes(const RunConfig& config) {
  Observation all;
  for (const Observable& one : all_observables(RunSpec(config))) all.what.push_back(one.address);
  all.when.linear = 4;
  const Recording recording = record_run(RunSpec(config), {all}).recording;
  std::string bytes = std::to_string(recording.steps_done) + " " + std::to_string(recording.diverged_at.value_or(-1));
  for (const Series& series : recording.series) {
    bytes += series.address;
    append(bytes, series.steps);
    append(bytes, series.values);
  }
  for (const WeightMatrix& matrix : recording.weights) append(bytes, matrix.values);
  return bytes;
}

class RecordingDeterminism : public testing::TestWithParam<std::string> {
 protected:
  void TearDown() override { pin_target(""); }
};
INSTANTIATE_TEST_SUITE_P(Target, RecordingDeterminism, testing::ValuesIn(supported_targets()),
                         [](const auto& one) { return one.param; });

TEST_P(RecordingDeterminism, OneOrTwoThreadsGiveTheSameBytes) {
  RunConfig healthy;
  healthy.data.vocab = 9;
  healthy.network.positions = PositionKind::learned;
  healthy.network.unembedding = Tying::free;
  healthy.training.batch = 40;
  healthy.training.steps = 12;
  RunConfig diverging = healthy;
  diverging.training.optimizer = "sgd";
  diverging.training.rate = 1e6;
  for (const RunConfig& config : {healthy, diverging, small_regression(), small_recall()}) {
    pin_target("");
    const std::string reference = record_bytes(config);
    pin_target(GetParam());
    EXPECT_TRUE(record_bytes(config) == reference);
    auto twin = std::async(std::launch::async, [&] { return record_bytes(config); });
    EXPECT_TRUE(record_bytes(config) == reference);
    EXPECT_TRUE(twin.get() == reference);
  }
}

}  // namespace
}  // namespace atto

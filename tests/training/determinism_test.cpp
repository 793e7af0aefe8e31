// The same run gives the same bytes: on every instruction set, fresh or restored, alone or beside a twin on another
// thread.
#include <gtest/gtest.h>

#include <cstring>
#include <future>

#include "kernels/simd/target.h"
#include "network_run.h"
#include "transformer_runs.h"

namespace atto {
namespace {

constexpr int64_t kSteps = 12;

struct Variant {
  std::string name;
  RunConfig config;
};

std::vector<Variant> variants() {
  RunConfig tied;
  tied.data.vocab = 10;
  tied.training.batch = 40;  // the last tile is cut
  tied.training.rate = 0.01;
  tied.training.steps = kSteps;

  RunConfig free = tied;
  free.network.width = 3;
  free.network.unembedding = Tying::free;
  free.network.positions = PositionKind::learned;
  free.data.targets = Targets::every;
  free.data.offset = 1;

  RunConfig wide = tied;
  wide.network.width = 10;
  wide.network.mask = Mask::full;
  wide.network.positions = PositionKind::sinusoidal;
  wide.network.init = InitKind::normal;
  wide.training.optimizer = "sgd";
  wide.training.momentum = 0.9;
  wide.training.rate = 0.5;
  wide.training.schedule = RateSchedule::cosine;
  wide.training.warmup = 3;

  RunConfig tiles = tied;  // four tiles a batch
  tiles.data.vocab = 7;
  tiles.network.width = 5;
  tiles.training.batch = 500;

  RunConfig sharp = tied;  // scores so far apart that weights vanish among the denormal numbers
  sharp.network.init_scale = 12;

  RunConfig expected = tied;  // 630 multisets; the last tile is cut
  expected.data.vocab = 5;
  expected.data.context = 6;
  expected.data.exponent = 1;
  expected.training.gradient = GradientKind::expected;

  RunConfig muon = wide;  // with all that can be asked of a training
  muon.training.optimizer = "muon";
  muon.training.rate = 0.02;
  muon.training.weight_decay = 0.1;
  muon.training.decay = {{"W_E", 0}};
  muon.training.rates = {{"layer.*.query", 0.5}};
  muon.training.clip = 0.1;
  muon.training.embedding_noise = 0.3;
  muon.training.interventions = {{.from_loss = 2.5, .smooth = 3, .freeze = {"W_E"}},
                                 {.until = 4, .fresh_embeddings = true}};
  muon.network.start = {{"layer.*.value", "orthogonal"}};

  RunConfig recall = small_recall();
  recall.data.schedule = DiversityKind::at_switch;
  recall.data.switch_step = 6;

  RunConfig head = tied;  // a form of attention in the narrow network
  head.network.normalizer = Normalizer::sink;
  head.network.positions = PositionKind::rotary;
  head.network.qk_norm = head.network.gate = true;

  RunConfig forms = small_recall();
  forms.network.kernel = "inverse";
  forms.network.kernel_power = 3;
  forms.network.normalizer = Normalizer::sigmoid;
  forms.network.mask = Mask::earlier;
  forms.network.gate = true;

  RunConfig stack = small_regression();
  stack.network.layers = 1;
  stack.network.stack = {"linear", "attention", "mlp", "attention", "linear"};
  stack.network.normalizer = Normalizer::linear_mean;
  stack.network.qk_norm = true;

  RunConfig bigram = tied;  // embedding and read-out alone
  bigram.network.stack = {};
  return {{"tied", tied},    {"free", free},         {"wide", wide},     {"tiles", tiles},
          {"sharp", sharp},  {"expected", expected}, {"recall", recall}, {"regression", small_regression()},
          {"muon", muon},    {"head", head},         {"forms", forms},   {"stack", stack},
          {"bigram", bigram}};
}

template <class T>
void append(std::vector<unsigned char>& bytes, std::span<const T> values) {
  const size_t size = bytes.size();
  bytes.resize(size + values.size_bytes());
  if (!values.empty()) std::memcpy(bytes.data() + size, values.data(), values.size_bytes());
}

// Every loss, accuracy and gradient on the way, and the state at the end.
std::vector<unsigned char> trace(const RunConfig& config, bool restored) {
  auto trainer = std::make_unique<NetworkRun>(config);
  std::vector<unsigned char> bytes;
  while (trainer->step() < kSteps) {
    if (restored && trainer->step() % 5 == 2) {
      const Snapshot snapshot = trainer->snapshot();
      trainer = std::make_unique<NetworkRun>(config);
      trainer->restore(snapshot);
    }
    const BatchResult result = trainer->evaluate();
    const double numbers[2] = {result.loss, result.accuracy};
    append(bytes, std::span<const double>(numbers));
    append(bytes, trainer->gradients());
    trainer->update();
  }
  const Snapshot end = trainer->snapshot();
  append(bytes, std::span<const float>(end.parameters));
  append(bytes, std::span<const float>(end.optimizer));
  return bytes;
}

class Determinism : public testing::TestWithParam<Variant> {
 protected:
  void TearDown() override { pin_target(""); }
};
INSTANTIATE_TEST_SUITE_P(Run, Determinism, testing::ValuesIn(variants()),
                         [](const auto& one) { return one.param.name; });

TEST_P(Determinism, TargetsThreadsAndSnapshotsGiveTheSameBytes) {
  const RunConfig& config = GetParam().config;
  const auto reference = trace(config, false);
  for (const std::string& target : supported_targets()) {
    pin_target(target);
    for (const bool restored : {false, true}) {
      SCOPED_TRACE(target + (restored ? ", restored" : ", fresh"));
      EXPECT_TRUE(trace(config, restored) == reference) << "one thread";
      auto twin = std::async(std::launch::async, [&] { return trace(config, restored); });
      EXPECT_TRUE(trace(config, restored) == reference) << "first of two threads";
      EXPECT_TRUE(twin.get() == reference) << "second of two threads";
    }
  }
}

}  // namespace
}  // namespace atto

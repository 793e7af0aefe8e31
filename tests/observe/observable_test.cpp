// What a description offers is what the run has: every observable writes as many numbers as its shape says.
#include "observe/observable.h"

#include <gtest/gtest.h>

#include <set>

#include "training/transformer_runs.h"

namespace atto {
namespace {

std::vector<RunConfig> all_kinds() {
  RunConfig tokens;
  tokens.network.positions = PositionKind::learned;
  tokens.network.unembedding = Tying::free;
  tokens.data.task = "bigram";
  tokens.data.bos = true;
  tokens.data.targets = Targets::every;
  RunConfig toy;
  toy.data.task = "regression";
  toy.data.cross = 0.5;
  toy.network.form = Form::scores;
  toy.network.init_scale = 0;
  toy.training.gradient = GradientKind::expected;
  RunConfig flow = toy;
  flow.training.optimizer = "flow";
  std::vector<RunConfig> all{RunConfig(), tokens, small_recall(), small_regression(), toy, flow};
  for (RunConfig& config : all) config.training.batch = 16;
  return all;
}

TEST(Observables, WriteWhatTheirShapeSays) {
  constexpr double kUntouched = -12345.0;
  for (const RunConfig& config : all_kinds()) {
    const RunSpec spec(config);
    LiveRun run(spec);
    Observer observer(run);
    const BatchResult batch = run.trainer().evaluate();
    std::set<std::string> addresses;
    for (const Observable& observable : all_observables(spec)) {
      EXPECT_TRUE(addresses.insert(observable.address).second) << observable.address << " is offered twice";
      EXPECT_FALSE(observable.help.empty()) << observable.address;
      size_t count = 1;
      for (const int64_t extent : observable.shape) count *= static_cast<size_t>(extent);
      std::vector<double> out(count + 1, kUntouched);
      observer.measure(observable, batch, out.data());
      for (size_t i = 0; i < count; ++i) ASSERT_NE(out[i], kUntouched) << observable.address << " leaves " << i;
      EXPECT_EQ(out.back(), kUntouched) << observable.address << " writes too much";
    }
  }
}

TEST(Observables, AMatrixHasItsNameInExportsToo) {
  const RunSpec spec(small_recall());
  LiveRun run(spec);
  Observer observer(run);
  const BatchResult batch = run.trainer().evaluate();
  const std::vector<Observable> offers = all_observables(spec);
  const auto measured = [&](const std::string& address) {
    for (const Observable& one : offers) {
      if (one.address != address) continue;
      std::vector<double> out(one.shape.empty() ? 1 : static_cast<size_t>(one.shape[0] * one.shape[1]));
      observer.measure(one, batch, out.data());
      return out;
    }
    ADD_FAILURE() << "no " << address;
    return std::vector<double>();
  };
  EXPECT_EQ(measured("blocks.1.attn.W_Q"), measured("layer.1.query"));
  EXPECT_EQ(measured("blocks.0.mlp.W_in.effective_rank"), measured("layer.0.mlp.in.effective_rank"));
  EXPECT_EQ(measured("W_E.effective_dimension"), measured("embedding.effective_dimension"));
  for (const WeightView& view : run.trainer().weights())
    EXPECT_EQ(measured(view.name), std::vector<double>(view.values.begin(), view.values.end())) << view.name;
}

}  // namespace
}  // namespace atto

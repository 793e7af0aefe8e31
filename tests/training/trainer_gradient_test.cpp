// End to end: what Trainer::evaluate reports against the reference on the very tokens the task draws for that step.
#include <gtest/gtest.h>

#include "data/task.h"
#include "network_run.h"
#include "reference/engine.h"
#include "reference/shape_matrix.h"

namespace atto::reference {
namespace {

// The batch of `step`, drawn in one piece whatever tiles the trainer cuts it into.
Sequences draw_batch(const RunConfig& config, int64_t step) {
  const auto task = make_task(config.data);
  const int C = task->context(), A = task->asked(), lanes = static_cast<int>(config.training.batch + 15) / 16 * 16;
  std::vector<int32_t> tokens(static_cast<size_t>((C + 4) / 4 * 4 * lanes)), targets(static_cast<size_t>(A * lanes));
  std::vector<float> weights(static_cast<size_t>(A * lanes));
  Batch drawn;
  drawn.context = C;
  drawn.lanes = lanes;
  drawn.samples = static_cast<int>(config.training.batch);
  drawn.first_asked = task->first_asked();
  drawn.tokens = tokens.data();
  drawn.targets = targets.data();
  drawn.weights = weights.data();
  task->fill({static_cast<uint64_t>(config.seeds.data), static_cast<uint64_t>(step)}, drawn);

  Sequences batch;
  batch.samples = drawn.samples;
  batch.first_asked = drawn.first_asked;
  batch.asked = A;
  for (int b = 0; b < batch.samples; ++b) {
    for (int t = 0; t < C; ++t) batch.tokens.push_back(at(tokens, lanes, t, b));
    for (int a = 0; a < A; ++a) batch.targets.push_back(at(targets, lanes, a, b));
    for (int a = 0; a < A; ++a) batch.weights.push_back(at(weights, lanes, a, b));
  }
  return batch;
}

// Share of the answers whose token is the likeliest.
double accuracy(const Shape& shape, const Parameters<double>& parameters, const Sequences& batch) {
  const int V = shape.vocab, A = shape.context - batch.first_asked;
  Activations<double> act(shape);
  double correct = 0;
  for (int b = 0; b < batch.samples; ++b) {
    forward(shape, parameters, batch, b, act);
    for (int a = 0; a < A; ++a) {
      const double* row = &at(act.probabilities, V, batch.first_asked + a, 0);
      if (std::max_element(row, row + V) - row == at(batch.targets, A, b, a)) correct += at(batch.weights, A, b, a);
    }
  }
  return correct / (batch.samples * batch.asked);
}

RunConfig run_of(const Case& one, int64_t batch) {
  RunConfig config;
  config.data.vocab = one.shape.vocab;
  config.data.context = one.shape.context;
  config.data.targets = one.every ? Targets::every : Targets::last;
  config.data.offset = one.shape.context > 2 ? 1 : 0;
  config.network = config_of(one.shape);
  config.training.batch = batch;
  return config;
}

// The gradient of the third step, so that weights have left their start and tokens are not those of step 0.
void expect_trainer_agrees(const Case& one, const RunConfig& config) {
  NetworkRun trainer(config);
  for (int step = 0; step < 2; ++step) {
    trainer.evaluate();
    trainer.update();
  }
  ASSERT_EQ(trainer.step(), 2);
  const Sequences batch = draw_batch(config, trainer.step());
  const Parameters<double> parameters = unpack(trainer.network(), one.shape, trainer.parameters());
  const Expectation expected = expectation(one.shape, parameters, batch);
  const double share_correct = accuracy(one.shape, parameters, batch);
  on_every_target([&] {
    const BatchResult result = trainer.evaluate();
    EXPECT_NEAR(result.loss, expected.loss, 1e-6 * expected.loss);
    EXPECT_NEAR(result.accuracy, share_correct, 1e-12);
    expect_close(unpack(trainer.network(), one.shape, trainer.gradients()), expected.gradients, expected.scale, 5e-6);
  });
}

TEST(TrainerGradient, EqualsReference) {
  for (const Case& one : shape_matrix(7)) {
    for (const int64_t batch : {1, 15, 16, 17, 100, 512}) {
      // The large batches cost the reference dear; one context shows all that is new about them.
      if (batch > 17 && one.shape.context != 4) continue;
      SCOPED_TRACE(one.name() + " batch " + std::to_string(batch));
      expect_trainer_agrees(one, run_of(one, batch));
    }
  }
}

// Each task with each kernel and logits, [BOS] where the task has one.
TEST(TrainerGradient, EqualsReferenceOnOtherTasks) {
  for (Case one : parts_matrix(7)) {
    if (one.shape.context != 4 || one.shape.width == 10) continue;
    for (const std::string task : {"nearest", "unigram", "bigram"}) {
      SCOPED_TRACE(one.name() + " " + task);
      RunConfig config = run_of(one, 100);
      config.data.task = task;
      config.data.vocab = 7;
      config.data.offset = 0;
      config.data.bos = task != "nearest";
      config.data.exponent = task == "bigram" ? 0.0 : 1.0;
      one.shape.vocab = config.data.bos ? 8 : 7;
      expect_trainer_agrees(one, config);
    }
  }
}

}  // namespace
}  // namespace atto::reference

// Transformers learn their tasks, are tested on data that repeat nothing, and stop when told.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "network_run.h"
#include "transformer_runs.h"

namespace atto {
namespace {

BatchResult train(NetworkRun& trainer) {
  BatchResult result = trainer.evaluate();
  while (trainer.step() < trainer.config().training.steps && !trainer.should_stop()) {
    trainer.update();
    result = trainer.evaluate();
  }
  return result;
}

TEST(TransformerTraining, LearnsRegression) {
  RunConfig config = small_regression();
  config.data.repeat = 1;
  config.data.cross = 0;
  config.network.width = 16;
  config.training.steps = 1500;
  config.training.rate = 3e-3;
  config.training.stop_test_loss = 0.02;
  NetworkRun trainer(config);
  train(trainer);
  EXPECT_LT(trainer.step(), 1500) << "stopped by the test loss";
  EXPECT_EQ(trainer.step() % config.training.test_every, 0);
  EXPECT_LE(trainer.test().loss, 0.02);
}

TEST(TransformerTraining, LearnsRecall) {
  RunConfig config = small_recall();
  config.data.repeat = 1;
  config.network.width = 24;
  config.network.heads = 1;
  config.network.head_width = 0;
  config.network.norm = NormKind::none;
  config.network.mlp = "none";
  config.network.position_bias = BiasKind::none;
  config.network.embedding_scale = 1;
  config.training.batch = 64;
  config.training.steps = 1500;
  config.training.rate = 5e-3;
  config.training.stop_test_loss = 0.3;
  NetworkRun trainer(config);
  const double guess = std::log(4.0);
  EXPECT_GT(trainer.test().loss, guess) << "at the start nothing is known";
  train(trainer);
  EXPECT_LE(trainer.test().loss, 0.3);
  EXPECT_GT(trainer.test().accuracy, 0.9);
}

// The answer is the last token: who does not look at it can only guess, and who looks at nothing else needs no
// attention.
TEST(TransformerTraining, TheEarlierMaskHidesTheOwnToken) {
  RunConfig config;
  config.data.vocab = 5;
  config.data.context = 3;
  config.data.offset = 0;  // the answer is the last token
  config.network.kernel = "none";
  config.network.position_bias = BiasKind::free;  // no query tells the others' weights what its token is
  config.training.rate = 0.02;
  config.training.steps = 400;
  NetworkRun plain(config);
  config.network.mask = Mask::earlier;
  NetworkRun earlier(config);
  config.network = NetworkConfig();
  config.network.stack = {};
  NetworkRun bare(config);
  EXPECT_LT(train(plain).loss, 1.4);
  EXPECT_GT(train(earlier).loss, 1.5);  // ln 5 is 1.61
  EXPECT_LT(train(bare).loss, 1.4);
}

TEST(TransformerTraining, TestsRepeatNothingWhateverTheTrainingDataDo) {
  RunConfig repeated = small_regression(), diverse = small_regression();
  repeated.data.repeat = 5;
  // The map to learn is drawn for the repetition of the run, so p stays; B does not touch it.
  diverse.data.repeat = 1;
  NetworkRun one(repeated), other(diverse);
  EXPECT_EQ(one.test().loss, other.test().loss) << "the same held-out sequences";
  EXPECT_NE(one.evaluate().loss, other.evaluate().loss);
}

TEST(TransformerTraining, TestingLeavesTheRunAsItWas) {
  NetworkRun tested(small_recall()), plain(small_recall());
  for (int step = 0; step < 5; ++step) {
    EXPECT_EQ(tested.evaluate().loss, plain.evaluate().loss);
    tested.test();
    tested.update();
    plain.update();
  }
  EXPECT_TRUE(std::equal(tested.parameters().begin(), tested.parameters().end(), plain.parameters().begin()));
}

// What would be ignored, or could never be learnt, is refused.
TEST(TransformerTraining, RefusesWhatCannotBe) {
  const auto refused = [](const RunConfig& config, const std::string& part_of_message) {
    try {
      RunSpec{config};
      ADD_FAILURE() << "accepted; expected: " << part_of_message;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part_of_message), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty());
    }
  };
  RunConfig config;
  config.data.task = "regression";
  config.network.logits = Logits::harmonic;
  refused(config, "regression has no logits");

  config = small_regression();
  config.data.places = Places::fixed;
  config.data.flag = false;
  EXPECT_NO_THROW(RunSpec{config}) << "positions tell the place";
  config.network.positions = PositionKind::none;
  refused(config, "nothing tells this network one position from another");

  config = RunConfig();
  config.data.task = "regression";
  config.network.form = Form::scores;
  EXPECT_NO_THROW(RunSpec{config});
  config.network.layers = 3;
  refused(config, "one map and one score");
  config.network.layers = 1;
  config.network.normalizer = Normalizer::sigmoid;
  refused(config, "one map and one score");
  config.network.normalizer = Normalizer::softmax;
  config.network.stack = {};
  refused(config, "one map and one score");
  config.network.stack = NetworkConfig().stack;
  config.training.stop_test_loss = 0.1;
  refused(config, "draws no test data");

  config = RunConfig();
  config.data.cross = 0.5;
  refused(config, "the task 'copy' repeats nothing");

  config = small_recall();
  config.data.pairs = 2000;
  config.data.vocab = 4000;
  config.network.heads = config.network.width = 256;
  EXPECT_THROW(NetworkRun{config}, Error) << "more activations than can be counted";
}

}  // namespace
}  // namespace atto

// A step allocates nothing.
#include <gtest/gtest.h>

#include "counted_new.h"
#include "network_run.h"
#include "transformer_runs.h"

namespace atto {
namespace {

TEST(Allocations, AreCounted) {
  std::vector<float> some;
  EXPECT_EQ(allocations_during([&] { some.resize(100); }), 1);
  EXPECT_GT(allocations_during([] { NetworkRun trainer{RunConfig()}; }), 5);
}

TEST(Allocations, NoneInsideAStep) {
  for (const std::string optimizer : {"adam", "sgd"}) {
    for (const std::string targets : {"last", "every", "every, expected"}) {
      RunConfig config;
      config.data.targets = from_word<Targets>(targets.substr(0, targets.find(',')));
      if (targets.ends_with("expected")) config.training.gradient = GradientKind::expected;
      config.network.positions = PositionKind::learned;
      config.network.unembedding = Tying::free;
      config.training.optimizer = optimizer;
      config.training.schedule = RateSchedule::cosine;
      config.training.batch = 200;
      NetworkRun trainer(config);
      for (int step = 0; step < 3; ++step)  // the first step too
        EXPECT_EQ(allocations_during([&] {
                    trainer.evaluate();
                    trainer.update();
                  }),
                  0)
            << optimizer << ", " << targets << ", step " << step;
    }
  }
}

TEST(Allocations, NoneWhereEverythingIsAskedFor) {
  for (const std::string optimizer : {"adamw", "signsgd", "lion", "muon"}) {
    RunConfig config;
    config.training.optimizer = optimizer;
    config.training.rates = {{"W_E", 0.5}};
    config.training.frozen = {"layer.0.key"};
    config.training.weight_decay = 0.1;
    config.training.clip = 1e-3;
    config.training.embedding_noise = 0.1;
    config.training.interventions = {{.from = 1, .freeze = {"layer.0.query"}}, {.until = 2, .fresh_embeddings = true}};
    NetworkRun trainer(config);
    for (int step = 0; step < 4; ++step)  // some begin and end here
      EXPECT_EQ(allocations_during([&] {
                  trainer.evaluate();
                  trainer.update();
                }),
                0)
          << optimizer << ", step " << step;
  }
}

TEST(Allocations, NoneInsideAStepOfATransformer) {
  for (const RunConfig& config : {small_regression(), small_recall()}) {
    NetworkRun trainer(config);
    for (int step = 0; step < 3; ++step)
      EXPECT_EQ(allocations_during([&] {
                  trainer.evaluate();
                  trainer.test();
                  trainer.update();
                }),
                0)
          << config.data.task << ", step " << step;
  }
}

}  // namespace
}  // namespace atto

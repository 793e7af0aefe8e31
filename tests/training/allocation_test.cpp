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

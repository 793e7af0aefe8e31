#include "data/diversity.h"

#include <gtest/gtest.h>

#include "data/tasks/drawn.h"

namespace atto {
namespace {

DataConfig scheduled(const std::string& schedule, int64_t switch_step = 0) {
  DataConfig config;
  config.task = "recall";
  config.context = 0;
  config.repeat = 5;
  config.cross = 0.8;
  config.schedule = from_word<DiversityKind>(schedule);
  config.later_repeat = 2;
  config.later_cross = 0.2;
  config.switch_step = switch_step;
  return config;
}

void expect_diversity(const Diversity& got, int64_t repeat, double cross) {
  EXPECT_EQ(got.repeat, repeat);
  EXPECT_NEAR(got.cross, cross, 1e-15);
}

TEST(DiversitySchedule, ConstantStays) {
  DiversitySchedule schedule(scheduled("constant"));
  for (int64_t step = 0; step < 100; ++step) {
    expect_diversity(schedule.at(step), 5, 0.8);
    schedule.see(step == 50 ? 0 : 1);
  }
}

TEST(DiversitySchedule, SwitchHappensAtItsStep) {
  const DiversitySchedule schedule(scheduled("switch", 10));
  expect_diversity(schedule.at(0), 5, 0.8);
  expect_diversity(schedule.at(9), 5, 0.8);
  expect_diversity(schedule.at(10), 2, 0.2);
  expect_diversity(schedule.at(1000000), 2, 0.2);
}

TEST(DiversitySchedule, LinearMovesEvenly) {
  const DiversitySchedule schedule(scheduled("linear", 12));
  expect_diversity(schedule.at(0), 5, 0.8);
  expect_diversity(schedule.at(1), 5, 0.75);
  expect_diversity(schedule.at(3), 4, 0.65);  // 4.25
  expect_diversity(schedule.at(6), 4, 0.5);   // 3.5
  expect_diversity(schedule.at(11), 2, 0.25);
  expect_diversity(schedule.at(12), 2, 0.2);
  expect_diversity(schedule.at(13), 2, 0.2);

  DataConfig up = scheduled("linear", 12);
  std::swap(up.repeat, up.later_repeat);
  expect_diversity(DiversitySchedule(up).at(6), 4, 0.5);
}

// 20 losses make the plateau's level; afterwards the exponential mean over 20 steps must come down to half of it.
TEST(DiversitySchedule, PlateauEndsWithTheLoss) {
  DiversitySchedule schedule(scheduled("plateau"));
  int64_t step = 0;
  for (; step < 100; ++step) {
    expect_diversity(schedule.at(step), 5, 0.8);
    schedule.see(step % 2 == 0 ? 1.5 : 0.5);  // mean 1; noise alone ends nothing
  }
  double smoothed = 1;
  for (; step < 130; ++step) {
    const bool left = schedule.at(step).repeat == 2;
    EXPECT_EQ(left, step > 100 + 13) << step;  // 0.95^13 > ½ > 0.95^14
    schedule.see(0);
    smoothed *= 0.95;
  }
  EXPECT_LT(smoothed, 0.5);
  for (; step < 300; ++step) {
    schedule.see(10);
    expect_diversity(schedule.at(step), 2, 0.2);  // for good
  }
}

TEST(DiversitySchedule, AFallWithinTheFirstLossesSetsTheLevel) {
  DiversitySchedule schedule(scheduled("plateau"));
  for (int step = 0; step < 20; ++step) schedule.see(step < 10 ? 1.0 : 0.0);  // level ½
  for (int step = 0; step < 200; ++step) schedule.see(0.3);
  expect_diversity(schedule.at(220), 5, 0.8);
  for (int step = 0; step < 200; ++step) schedule.see(0.2);
  expect_diversity(schedule.at(420), 2, 0.2);
}

// The first losses, of the network that has learnt nothing yet, do not count when the watch begins later; until then
// the data are as diverse as in the end.
TEST(DiversitySchedule, TheWatchMayBeginLater) {
  DiversitySchedule schedule(scheduled("plateau", 50));
  int64_t step = 0;
  for (; step < 50; ++step) {
    expect_diversity(schedule.at(step), 2, 0.2);
    schedule.see(10);
  }
  for (; step < 150; ++step) {
    expect_diversity(schedule.at(step), 5, 0.8);
    schedule.see(1);
  }
  for (; step < 250; ++step) schedule.see(0.4);
  expect_diversity(schedule.at(step), 2, 0.2);
}

TEST(DiversitySchedule, NoNumberEndsNoPlateau) {
  DiversitySchedule schedule(scheduled("plateau"));
  for (int step = 0; step < 30; ++step) schedule.see(1);
  for (int step = 0; step < 30; ++step) schedule.see(std::nan(""));
  expect_diversity(schedule.at(60), 5, 0.8);
}

// A run resumed anywhere goes on as if nothing had happened.
TEST(DiversitySchedule, ResumesAnywhere) {
  const auto loss = [](int step) { return 2.0 / (1 + 0.02 * step) + 0.3 * (step % 3); };
  for (int cut = 0; cut <= 200; cut += 7) {
    DiversitySchedule whole(scheduled("plateau", 10)), before(scheduled("plateau", 10)),
        after(scheduled("plateau", 10));
    for (int step = 0; step < cut; ++step) before.see(loss(step));
    after.restore(before.state());
    EXPECT_EQ(after.state(), before.state());
    for (int step = 0; step < 200; ++step) {
      if (step >= cut) {
        EXPECT_EQ(after.at(step).repeat, whole.at(step).repeat) << cut << ", " << step;
      }
      whole.see(loss(step));
      if (step >= cut) after.see(loss(step));
    }
    EXPECT_EQ(whole.at(200).repeat, 2) << "the loss falls far enough for this to be a test";
  }
  DiversitySchedule schedule(scheduled("plateau"));
  EXPECT_THROW(schedule.restore({1, 2, 3}), Error);
}

TEST(DiversitySchedule, RefusesWhatItCannotFollow) {
  for (const std::string kind : {"switch", "linear"})
    expect_refusal(scheduled(kind),
                   "data.schedule = \"" + kind + "\" with data.switch_step = 0 never shows the first values",
                   "set data.switch_step to the step from which data.later_repeat and data.later_cross hold");
  DataConfig config = scheduled("plateau");
  const std::string remedy = "set data.switch_loss between 0 and 1, such as 0.8";
  config.switch_loss = 1;
  expect_refusal(config, "data.switch_loss = 1 ends the plateau as soon as it begins", remedy);
  config.switch_loss = 0;
  expect_refusal(config, "data.switch_loss = 0 is never reached", remedy);
  EXPECT_THROW(DiversitySchedule{config}, Error);
  config.schedule = DiversityKind::constant;
  EXPECT_NO_THROW(describe_task(config));
}

}  // namespace
}  // namespace atto

// Regression on vectors: the right token at the right places, its answer, and everything else standard normal.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "data/regression.h"
#include "data/tasks/drawn.h"

namespace atto {
namespace {

DataConfig regression(int64_t context, int64_t dimension, const std::string& places = "random", bool flag = true) {
  DataConfig config;
  config.task = kRegression;
  config.context = context;
  config.dimension = dimension;
  config.places = from_word<Places>(places);
  config.flag = flag;
  return config;
}

std::vector<float> features(const Drawn& drawn, int position, int lane) {
  std::vector<float> token = drawn.token(position, lane);
  token.resize(static_cast<size_t>(drawn.task->shape().outputs));
  return token;
}

TEST(RegressionTask, DescribesItself) {
  const auto flagged = make_task(regression(9, 5));
  EXPECT_TRUE(flagged->shape().vectors());
  EXPECT_EQ(flagged->context(), 9);
  EXPECT_EQ(flagged->first_asked(), 8);
  EXPECT_EQ(flagged->shape().inputs, 6);
  EXPECT_EQ(flagged->shape().outputs, 5);
  EXPECT_TRUE(flagged->spec().relevant);
  EXPECT_TRUE(flagged->frequencies().empty());
  EXPECT_EQ(flagged->best_loss(), 0.0);
  EXPECT_EQ(reference_loss(*flagged, "start"), 0.5);
  EXPECT_EQ(make_task(regression(9, 5, "fixed", false))->shape().inputs, 5);
}

// At all B relevant positions stands one token, nowhere else does, and the answer is W* times it.
TEST(RegressionTask, AsksForTheImageOfTheRelevantToken) {
  const uint64_t seed = 7;
  for (const std::string places : {"random", "fixed"}) {
    for (const bool flag : {true, false}) {
      if (places == "random" && !flag) continue;
      for (const int64_t repeat : {1, 2, 5, 8}) {
        SCOPED_TRACE(places + (flag ? ", flag, " : ", no flag, ") + std::to_string(repeat));
        const DataConfig config = regression(9, 3, places, flag);
        const RegressionTarget target = draw_target(make_regression(config), seed);
        const Drawn drawn(make_task(config, seed), {1, 4, 0, {repeat, 0}}, 48, 41);
        for (int lane = 0; lane < 48; ++lane) {
          const std::vector<int> relevant = drawn.relevant_positions(lane);
          ASSERT_EQ(std::ssize(relevant), repeat);
          const std::vector<float> x = features(drawn, relevant[0], lane);
          for (int position = 0; position < 9; ++position) {
            const bool here = std::count(relevant.begin(), relevant.end(), position) > 0;
            ASSERT_EQ(features(drawn, position, lane) == x, here);
            if (flag) {
              ASSERT_EQ(drawn.token(position, lane).back(), here ? 1.0f : 0.0f);
            }
          }
          for (int row = 0; row < 3; ++row) {
            double expected = 0;
            for (int i = 0; i < 3; ++i)
              expected +=
                  static_cast<double>(target.weights[static_cast<size_t>(3 * row + i)]) * x[static_cast<size_t>(i)];
            ASSERT_NEAR(drawn.output(lane)[static_cast<size_t>(row)], expected, 1e-6);
          }
          ASSERT_EQ(drawn.weights[lane], lane < 41 ? 1.0f : 0.0f);
        }
      }
    }
  }
}

// Mean 0, variance 1/d and no correlation between neighbours, at every position, relevant or not. 3.5 standard errors.
TEST(RegressionTask, TokensAreNormal) {
  const int context = 5, d = 4, lanes = 128, steps = 100;
  const double count = static_cast<double>(lanes) * steps;
  for (const std::string places : {"random", "fixed"}) {
    const DataConfig config = regression(context, d, places);
    std::vector<double> sum(context * d), square(context * d), neighbours(context * d - 1);
    for (int step = 0; step < steps; ++step) {
      const Drawn drawn(make_task(config, 2), {3, static_cast<uint64_t>(step), 0, {}}, lanes, lanes);
      for (int lane = 0; lane < lanes; ++lane) {
        double before = 0;
        for (int i = 0; i < context * d; ++i) {
          const double x = drawn.token(i / d, lane)[static_cast<size_t>(i % d)] * std::sqrt(d);
          sum[i] += x;
          square[i] += x * x;
          if (i > 0) neighbours[i - 1] += x * before;
          before = x;
        }
      }
    }
    for (int i = 0; i < context * d; ++i) {
      EXPECT_NEAR(sum[i] / count, 0, 3.5 / std::sqrt(count)) << places << i;
      EXPECT_NEAR(square[i] / count, 1, 3.5 * std::sqrt(2 / count)) << places << i;
      if (i > 0) {
        EXPECT_NEAR(neighbours[i - 1] / count, 0, 3.5 / std::sqrt(count)) << places << i;
      }
    }
  }
}

// All sets of B positions are equally likely.
TEST(RegressionTask, RandomPlacesAreUniform) {
  struct Case {
    int64_t context, repeat;
    size_t sets;
    double limit;  // of chi-square, 99.9 %
  };
  for (const Case& one : {Case{5, 1, 5, 18.47}, {5, 2, 10, 27.88}, {5, 4, 5, 18.47}, {8, 6, 28, 55.48}}) {
    std::map<std::vector<int>, int> seen;
    for (uint64_t step = 0; step < 100; ++step) {
      const Drawn drawn(make_task(regression(one.context, 2)), {3, step, 0, {one.repeat, 0}}, 128, 128);
      for (int lane = 0; lane < 128; ++lane) ++seen[drawn.relevant_positions(lane)];
    }
    std::vector<int> counts;
    for (const auto& [places, times] : seen) counts.push_back(times);
    ASSERT_EQ(counts.size(), one.sets);
    EXPECT_LT(chi_square(counts, std::vector<double>(one.sets, 1.0 / static_cast<double>(one.sets))), one.limit)
        << one.repeat << " of " << one.context;
  }
}

// The same in every sequence and step of a run, another for another seed, never the query's own position; and the
// places of fewer copies are among those of more.
TEST(RegressionTask, FixedPlacesStay) {
  const DataConfig config = regression(6, 2, "fixed");
  std::set<int> first_places;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    std::vector<int> fewer;
    for (int64_t repeat = 1; repeat <= 5; ++repeat) {
      const Drawn drawn(make_task(config, seed), {1, 2, 0, {repeat, 0}}, 16, 16);
      const std::vector<int> places = drawn.relevant_positions(0);
      EXPECT_EQ(Drawn(make_task(config, seed), {8, 9, 64, {repeat, 0}}, 16, 16).relevant_positions(3), places);
      for (int lane = 1; lane < 16; ++lane) ASSERT_EQ(drawn.relevant_positions(lane), places);
      EXPECT_LT(places.back(), 5);
      EXPECT_TRUE(std::includes(places.begin(), places.end(), fewer.begin(), fewer.end()));
      if (repeat == 1) first_places.insert(places[0]);
      fewer = places;
    }
  }
  EXPECT_EQ(first_places, (std::set<int>{0, 1, 2, 3, 4}));
}

TEST(RegressionTask, SharesOneVectorAcrossSamples) {
  for (const std::string places : {"random", "fixed"}) {
    DataConfig config = regression(6, 4, places);
    config.cross = 0.3;
    const RegressionTarget target = draw_target(make_regression(config), 7);
    int shared = 0, total = 0;
    for (uint64_t step = 0; step < 50; ++step) {
      const Drawn drawn(make_task(config, 7), {1, step, 0, {2, 0.3}}, 128, 128);
      for (int lane = 0; lane < 128; ++lane, ++total) {
        const bool repeated = features(drawn, drawn.relevant_positions(lane)[1], lane) == target.repeated;
        shared += repeated;
        for (size_t row = 0; repeated && row < 4; ++row)
          ASSERT_NEAR(drawn.output(lane)[row], target.repeated_answer[row], 1e-6);
      }
    }
    EXPECT_NEAR(shared, 0.3 * total, 3.5 * std::sqrt(0.3 * 0.7 * total)) << places;

    const Drawn fresh(make_task(config, 7), {1, 0, 0, {}}, 128, 128);
    for (int lane = 0; lane < 128; ++lane)
      ASSERT_NE(features(fresh, fresh.relevant_positions(lane)[0], lane), target.repeated)
          << "test data repeat nothing";
  }
}

// A run that will repeat x̃ only later asks for the map of one that does from the start.
TEST(RegressionTask, TheMapAllowsForLaterRepetition) {
  DataConfig later = regression(6, 4), never = later, always = later;
  later.later_cross = never.later_cross = always.cross = 0.5;
  later.schedule = DiversityKind::at_switch;
  later.switch_step = 10;
  const auto outputs = [](const DataConfig& config) {
    return Drawn(make_task(config, 7), {1, 0, 0, {}}, 16, 16).outputs;
  };
  EXPECT_EQ(outputs(later), outputs(always));
  EXPECT_NE(outputs(later), outputs(never)) << "later values do not count when the schedule is constant";
}

TEST(RegressionTask, IsTheSameOnEveryTarget) { expect_the_same_on_every_target(regression(9, 7), {2, 0.3}); }

TEST(RegressionTask, IsIndependentOfTiling) {
  DataConfig config = regression(7, 3);
  expect_independence_of_tiling(config);
  expect_independence_of_tiling(config, {6, 0.5});
  config.places = Places::fixed;
  config.flag = false;
  expect_independence_of_tiling(config, {3, 0.5});
}

TEST(RegressionTask, TheSeedOfTheTaskDrawsTheMapAndThatOfTheDrawTheTokens) {
  const DataConfig config = regression(7, 3);
  const auto draw = [&](uint64_t map, uint64_t data, uint64_t step, uint32_t sample) {
    return Drawn(make_task(config, map), {data, step, sample}, 16, 16);
  };
  const Drawn base = draw(1, 1, 0, 0);
  EXPECT_EQ(base.inputs, draw(2, 1, 0, 0).inputs);
  EXPECT_NE(base.outputs, draw(2, 1, 0, 0).outputs);
  for (const Drawn& other : {draw(1, 2, 0, 0), draw(1, 1, 1, 0), draw(1, 1, 0, 16)}) {
    EXPECT_NE(base.inputs, other.inputs);
    EXPECT_NE(base.relevant, other.relevant);
  }
}

void expect_task_refusal(const DataConfig& config, const std::string& message, const std::string& remedy) {
  try {
    make_task(config);
    ADD_FAILURE() << "accepted; expected: " << message;
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), message.c_str());
    EXPECT_EQ(error.remedy(), remedy);
  }
}

TEST(RegressionTask, RefusesWhatCannotWork) {
  expect_task_refusal(regression(8, 4, "random", false),
                      "data.places = \"random\" without data.flag: nothing would tell which token is asked for",
                      "set data.flag = true or data.places = \"fixed\"");
  DataConfig every = regression(8, 4);
  every.targets = Targets::every;
  expect_task_refusal(every, "data.targets = \"every\", but regression has one answer, at the last position",
                      "set data.targets = \"last\"");
  DataConfig crowded = regression(8, 4);
  crowded.schedule = DiversityKind::plateau;
  crowded.later_repeat = 8;
  expect_refusal(crowded, "data.later_repeat = 8 is not allowed: expected less than data.context = 8",
                 "the relevant token must leave room for others: take fewer repeats or a longer sequence");
  DataConfig narrow = regression(8, 1);
  narrow.schedule = DiversityKind::plateau;
  narrow.later_cross = 0.5;
  expect_refusal(
      narrow, "data.dimension = 1 is not allowed with data.later_cross = 0.5",
      "a repeated direction needs another beside it: take a dimension of at least 2, or data.later_cross = 0");
}

// The network of free scores takes regression at any size; only a batch of tokens has limits.
TEST(RegressionTask, LimitsOnlyWhatIsDrawn) {
  EXPECT_NO_THROW(make_regression(regression(1000000, 100000)));
  EXPECT_EQ(reference_losses(regression(1000000, 100000)).size(), 2u);
  expect_task_refusal(regression(4097, 4), "data.context = 4097 is more than the task 'regression' takes",
                      "at most 4096");
  expect_task_refusal(regression(8, 4097), "data.dimension = 4097 is more than a batch of vectors takes",
                      "at most 4096");
}

}  // namespace
}  // namespace atto

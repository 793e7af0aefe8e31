// A study that is watched records what one that is run records, and says it as it goes.
#include "live/live_study.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "base/error.h"
#include "lab/results/results_json.h"
#include "lab/store/store.h"
#include "live/live_samples.h"
#include "live/session.h"

namespace atto {
namespace {

using TrainRun = Run;  // inside a test, Run is GoogleTest's

std::unique_ptr<LiveStudy> open(const Json& request) { return open_session(request.dump()); }

// Everything that the frames said, by run: series, findings, finals.
struct Told {
  std::map<std::pair<uint32_t, uint32_t>, FrameBlock> series;
  std::map<uint32_t, RunNews> last;
  int64_t frames = 0, steps = 0;
  bool ended = false;

  void hear(const Frame& frame) {
    ++frames;
    steps += frame.steps;
    ended = frame.ended;
    for (const FrameBlock& block : frame.blocks) {
      FrameBlock& all = series[{block.run, block.series}];
      all.width = block.width;
      all.steps.insert(all.steps.end(), block.steps.begin(), block.steps.end());
      all.values.insert(all.values.end(), block.values.begin(), block.values.end());
    }
    for (const RunNews& news : frame.runs) {
      RunNews& known = last[news.run];
      RunNews next = news;
      if (!next.findings) next.findings = known.findings;
      if (!next.finals) next.finals = known.finals;
      known = next;
    }
  }
};

Told watch(LiveStudy& live, double milliseconds) {
  Told told;
  while (!live.ended()) told.hear(live.advance(milliseconds));
  return told;
}

TEST(LiveStudy, RecordsWhatARunRecords) {
  const auto live = open({{"text", kLiveStudy}});
  ASSERT_EQ(live->runs().size(), 6u);
  const Told told = watch(*live, 0);  // a turn a frame: the most cuts there can be
  EXPECT_GT(told.frames, 6);
  EXPECT_TRUE(told.ended);
  EXPECT_EQ(told.steps, 6 * 300);
  const std::vector<TrainRun> runs = expand_runs(live->study(), live->cells());
  for (size_t i = 0; i < live->runs().size(); ++i) {
    const RunKey key = live->runs()[i];
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const TrainRun& one) {
      return one.cell == key.cell && live->study().seeds.first + one.seed == key.seed;
    });
    ASSERT_NE(run, runs.end());
    const Recording expected = record_run(RunSpec(run->config), live->study().observe).recording;
    const Recording& recorded = live->recording(i);
    EXPECT_EQ(recorded.steps_done, expected.steps_done);
    EXPECT_EQ(recorded.best_loss, expected.best_loss);
    ASSERT_EQ(recorded.series.size(), expected.series.size());
    for (size_t s = 0; s < expected.series.size(); ++s) {
      EXPECT_EQ(recorded.series[s].address, expected.series[s].address);
      EXPECT_EQ(recorded.series[s].steps, expected.series[s].steps);
      EXPECT_EQ(recorded.series[s].values, expected.series[s].values);
      // ... and the frames told all of it, once.
      const FrameBlock& block = told.series.at({static_cast<uint32_t>(i), static_cast<uint32_t>(s)});
      EXPECT_EQ(block.width, expected.series[s].block());
      EXPECT_EQ(block.steps, std::vector<double>(expected.series[s].steps.begin(), expected.series[s].steps.end()));
      EXPECT_EQ(block.values, std::vector<float>(expected.series[s].values.begin(), expected.series[s].values.end()));
    }
  }
}

TEST(LiveStudy, FindsWhatTheLabFindsInStoredRuns) {
  const auto live = open({{"text", kLiveStudy}});
  const Told told = watch(*live, 1);
  Store store(kInMemory, Store::Mode::write);
  const std::vector<TrainRun> runs = expand_runs(live->study(), live->cells());
  for (const TrainRun& run : runs)
    store.save({{run.id, "{}", 1, 1, record_run(RunSpec(run.config), live->study().observe).recording, 0}});
  const StudyResult stored = collect(live->study(), live->cells(), runs, store);
  for (const auto& [index, news] : told.last) {
    const RunKey key = live->runs()[index];
    const CellResult& cell = stored.cells[key.cell];
    const auto place = static_cast<size_t>(key.seed - live->study().seeds.first);
    EXPECT_TRUE(news.finished);
    EXPECT_EQ(news.step, 300);
    ASSERT_TRUE(news.findings && news.finals);
    for (const auto& [name, outcome] : *news.findings) {
      const Outcome expected = outcomes_of(cell, name)[place];
      EXPECT_EQ(outcome.value, expected.value) << name;
      EXPECT_EQ(outcome.censored, expected.censored) << name;
    }
    for (const auto& [address, outcome] : *news.finals)
      EXPECT_EQ(outcome.value, outcomes_of(cell, address)[place].value) << address;
    EXPECT_EQ(news.finals->size(), 4u) << "perplexity, loss, the rank and the derived excess";
  }
}

TEST(LiveStudy, TellsDerivedQuantitiesAsSeries) {
  const auto live = open({{"text", kLiveStudy}});
  const std::vector<LiveSeries> series = live_series(live->study(), RunSpec(live->cells()[0].config));
  ASSERT_EQ(series.size(), 5u);
  EXPECT_EQ(series[4].address, "excess");
  EXPECT_TRUE(series[4].derived);
  EXPECT_EQ(series[4].points, series[0].points);
  const Told told = watch(*live, 1);
  const FrameBlock &perplexity = told.series.at({0, 0}), &excess = told.series.at({0, 4});
  ASSERT_EQ(excess.steps, perplexity.steps);
  for (size_t i = 0; i < excess.values.size(); ++i) EXPECT_NEAR(excess.values[i], perplexity.values[i] - 1, 1e-6);
}

TEST(LiveStudy, GoesNoFurtherThanAsked) {
  const auto live = open({{"text", kLiveStudy}});
  Told told;
  told.hear(live->advance(1e9, 1));
  EXPECT_EQ(told.steps, 6);
  told.hear(live->advance(1e9, 1));
  EXPECT_EQ(told.steps, 6) << "nothing is left to do";
  told.hear(live->advance(1e9, 120));
  EXPECT_EQ(told.steps, 6 * 120);
  for (const auto& [run, news] : told.last) {
    EXPECT_EQ(news.step, 120);
    EXPECT_FALSE(news.finished);
  }
}

TEST(LiveStudy, SharesItsRunsAmongWorkers) {
  const auto whole = open({{"text", kLiveStudy}});
  std::vector<std::pair<size_t, int64_t>> all, shared;
  for (const RunKey& key : whole->runs()) all.emplace_back(key.cell, key.seed);
  for (int i = 0; i < 4; ++i) {
    const auto part = open({{"text", kLiveStudy}, {"share", {{"index", i}, {"of", 4}}}});
    for (const RunKey& key : part->runs()) shared.emplace_back(key.cell, key.seed);
  }
  std::sort(all.begin(), all.end());
  std::sort(shared.begin(), shared.end());
  EXPECT_EQ(shared, all);
  const auto chosen = open({{"text", kLiveStudy}, {"runs", {{{"cell", 1}, {"seed", 77}}}}});
  ASSERT_EQ(chosen->runs().size(), 1u);
  EXPECT_EQ(Json::parse(session_json(*chosen)), Json::parse(R"({"runs": [{"cell": 1, "seed": 77}]})"));
}

TEST(LiveStudy, EndsADivergedRun) {
  const auto live = open(
      {{"text", kLiveStudy}, {"options", {{"set", {"training.rate=1e6", "training.optimizer=sgd"}}, {"seeds", 1}}}});
  const Told told = watch(*live, 1);
  ASSERT_FALSE(told.last.empty());
  for (const auto& [run, news] : told.last) {
    EXPECT_TRUE(news.finished && news.diverged);
    EXPECT_LT(news.step, 300);
    for (const auto& [address, outcome] : *news.finals) EXPECT_FALSE(outcome.value) << address;
  }
}

TEST(LiveStudy, RefusesWhatCannotBeWatched) {
  const auto refused = [](const Json& request, const std::string& words) {
    try {
      open(request);
      ADD_FAILURE() << "opened " << request.dump();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused({{"text", kLiveStudy}, {"runs", {{{"cell", 2}, {"seed", 1}}}}}, "no run of cell 2");
  refused({{"text", kLiveStudy}, {"runs", {{{"cell", -1}, {"seed", 1}}}}}, "no run of cell");
  refused({{"text", kLiveStudy}, {"runs", {{{"cell", 0}, {"seed", 1e17}}}}}, "whole number");
  refused({{"text", kLiveStudy}, {"options", {{"seeds", 1'000'000'000}}}}, "seeds in a cell");
  refused({{"text", kLiveStudy}, {"options", {{"set", {"network.width=1024", "training.batch=65536"}}}}},
          "too long to watch");
  refused({{"text", kLiveStudy}, {"share", {{"index", 2}, {"of", 2}}}}, "'share'");
}

}  // namespace
}  // namespace atto

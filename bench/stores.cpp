// What large stores cost: filing, opening, looking up, listing, judging, merging and checking small runs. Of each the
// processor time (user and system) of this process, since others may compute on the same machine, and the elapsed time,
// since merging has two threads and everything waits for the disk. Prints JSON.
//   atto_stores RUNS [FOLDER]
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>

#include "lab/results/results.h"
#include "lab/store/check/check.h"
#include "lab/store/store.h"
#include "lab/study/study.h"

namespace {

using namespace atto;
namespace fs = std::filesystem;

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Cost {
  double processor = 0, elapsed = 0;  // seconds

  Cost& operator+=(const Cost& other) {
    processor += other.processor;
    elapsed += other.elapsed;
    return *this;
  }
};

Cost cost_of(const std::function<void()>& work) {
  const double before = processor_seconds();
  const auto start = std::chrono::steady_clock::now();
  work();
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {processor_seconds() - before, elapsed};
}

void print_rate(const char* name, int64_t runs, const Cost& cost) {
  const auto count = static_cast<double>(runs);
  std::printf(", \"%s\": {\"runs_per_processor_second\": %.0f, \"runs_per_second\": %.0f}", name,
              count / cost.processor, count / cost.elapsed);
}

void print_time(const char* name, const Cost& cost) {
  std::printf(", \"%s\": {\"processor_seconds\": %.4f, \"seconds\": %.4f}", name, cost.processor, cost.elapsed);
}

// Whose runs they are, all of one cell.
constexpr const char* kStudy = R"(title = "Many small runs"
[training]
steps = 300
[seeds]
count = 1
[[observe]]
what = ["perplexity", "accuracy"]
every = 10
[[phenomenon]]
detector = "value"
name = "final"
series = "perplexity"
[[claim]]
id = "N"
statement = "The median of their numbers is one."
quantity = "final.value"
statistic = "median"
region = [0, 2]
)";

// A run of the size that a phase diagram has: two curves of 30 measurements and the weights of width 2.
FinishedRun small_run(const Study& study, CanonicalTexts& texts, int64_t number) {
  RunConfig config = study.base;
  config.seeds.init = config.seeds.data = number;
  FinishedRun run;
  run.config = texts.of(config);
  run.id = run_id(run.config);
  run.init_seed = run.data_seed = number;
  run.seconds = 0.1;
  run.recording.steps_done = 300;
  std::vector<int64_t> steps;
  for (int64_t step = 0; step < 300; step += 10) steps.push_back(step);
  for (const char* address : {"perplexity", "accuracy"})
    run.recording.series.push_back(
        {address, {}, steps, std::vector<double>(steps.size(), static_cast<double>(number))});
  run.recording.weights.push_back({"W_E", 10, 2, std::vector<float>(20, static_cast<float>(number))});
  for (const char* name : {"W_Q", "W_K", "W_V"})
    run.recording.weights.push_back({name, 2, 2, std::vector<float>(4, static_cast<float>(number))});
  return run;
}

void fill(const Study& study, const fs::path& path, int64_t first, int64_t count) {
  Store store(path.string(), Store::Mode::write);
  CanonicalTexts texts(study.observe);
  std::vector<FinishedRun> together;
  for (int64_t i = 0; i < count; ++i) {
    together.push_back(small_run(study, texts, first + i));
    if (together.size() == 1000 || i + 1 == count) {
      store.save(together);
      together.clear();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t runs = argc > 1 ? std::atoll(argv[1]) : 100'000;
  const fs::path folder = fs::path(argc > 2 ? argv[2] : fs::temp_directory_path()) / "atto-stores";
  fs::create_directories(folder);
  constexpr int64_t kShards = 4;
  Study study = parse_study(kStudy, "many.toml", {});
  study.seeds.count = runs;
  const auto shard_path = [&](int64_t shard) { return (folder / (std::to_string(shard) + ".db")).string(); };
  const std::string merged = (folder / "merged.db").string();
  const auto merge = [&](int64_t shards) {
    return cost_of([&] {
      std::vector<Store> sources;
      for (int64_t shard = 0; shard < shards; ++shard) sources.emplace_back(shard_path(shard), Store::Mode::read);
      Store(merged, Store::Mode::write).merge(sources);
    });
  };
  Cost filing;
  for (int64_t shard = 0; shard < kShards; ++shard)
    filing += cost_of([&] { fill(study, shard_path(shard), 1 + shard * runs / kShards, runs / kShards); });
  const Cost merging = merge(kShards);
  const Cost again = merge(1);
  const Cost opening_read = cost_of([&] { Store(merged, Store::Mode::read).path(); });
  const Cost opening_write = cost_of([&] { Store(merged, Store::Mode::write).path(); });
  const Cost first_miss = cost_of([&] { Store(merged, Store::Mode::write).has("absent"); });
  const Cost listing = cost_of([&] { Store(merged, Store::Mode::read).runs(); });
  int64_t judged = 0;
  const Cost judging = cost_of([&] {
    const std::vector<Cell> cells = expand_cells(study);
    const Store store(merged, Store::Mode::read);
    const StudyResult result = collect(study, cells, expand_runs(study, cells), store);
    judged = result.cells.front().seeds;
  });
  bool sound = false;
  const Cost checking = cost_of([&] { sound = check_store(merged).whole(); });
  if (judged != runs || !sound) {
    std::fprintf(stderr, "%lld of the runs were judged, the store is %s\n", static_cast<long long>(judged),
                 sound ? "whole" : "damaged");
    return 1;
  }
  std::printf("{\"runs\": %lld, \"bytes\": %lld", static_cast<long long>(runs),
              static_cast<long long>(fs::file_size(merged)));
  print_rate("filing", runs, filing);
  print_rate("merging", runs, merging);
  print_rate("comparing", runs / kShards, again);
  print_time("open_to_read", opening_read);
  print_time("open_to_write", opening_write);
  print_time("first_miss", first_miss);
  print_time("listing", listing);
  print_time("judging", judging);
  print_time("checking", checking);
  std::printf("}\n");
  fs::remove_all(folder);
  return 0;
}

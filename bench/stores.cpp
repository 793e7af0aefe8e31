// What large stores cost: filing, opening, looking up, listing, judging and merging small runs. Processor time (user
// and system) of this process, since others may compute on the same machine; of merging, which has two threads, the
// elapsed time as well. Prints JSON.
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

double elapsed_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double cost_of(const std::function<void()>& work) {
  const double before = processor_seconds();
  work();
  return processor_seconds() - before;
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
  double filing = 0, merging = 0, merging_elapsed = 0;
  for (int64_t shard = 0; shard < kShards; ++shard)
    filing +=
        cost_of([&] {
          fill(study, folder / (std::to_string(shard) + ".db"), 1 + shard * runs / kShards, runs / kShards);
        });
  const std::string merged = (folder / "merged.db").string();
  for (int64_t shard = 0; shard < kShards; ++shard)
    merging += cost_of([&] {
      merging_elapsed += elapsed_of([&] {
        Store(merged, Store::Mode::write)
            .merge(Store((folder / (std::to_string(shard) + ".db")).string(), Store::Mode::read));
      });
    });
  const double again =
      cost_of([&] { Store(merged, Store::Mode::write).merge(Store((folder / "0.db").string(), Store::Mode::read)); });
  const double opening_read = cost_of([&] { Store(merged, Store::Mode::read).path(); });
  const double opening_write = cost_of([&] { Store(merged, Store::Mode::write).path(); });
  const double first_miss = cost_of([&] { Store(merged, Store::Mode::write).has("absent"); });
  const double listing = cost_of([&] { Store(merged, Store::Mode::read).runs(); });
  int64_t judged = 0;
  const double judging = cost_of([&] {
    const std::vector<Cell> cells = expand_cells(study);
    const Store store(merged, Store::Mode::read);
    const StudyResult result = collect(study, cells, expand_runs(study, cells), store);
    judged = result.cells.front().seeds;
  });
  if (judged != runs) {
    std::fprintf(stderr, "%lld of the runs were judged\n", static_cast<long long>(judged));
    return 1;
  }
  const auto count = static_cast<double>(runs);
  std::printf(
      "{\"runs\": %lld, \"bytes\": %lld, \"filed_per_second\": %.0f, \"merged_per_second\": %.0f, "
      "\"merged_per_second_elapsed\": %.0f, \"compared_per_second\": %.0f, \"open_to_read\": %.4f, \"open_to_write\": %.4f, \"first_miss\": %.3f, "
      "\"list\": %.3f, \"judge\": %.2f}\n",
      static_cast<long long>(runs), static_cast<long long>(fs::file_size(merged)), count / filing, count / merging, count / merging_elapsed,
      count / kShards / again, opening_read, opening_write, first_miss, listing, judging);
  fs::remove_all(folder);
  return 0;
}

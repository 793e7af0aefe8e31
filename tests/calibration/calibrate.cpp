// How often do verdicts err? Prints a table for docs/judging.md: `atto_calibrate [TRIALS [SLOW_TRIALS [THREADS
// [WORDS]]]]`, the last for some of its rows.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "calibration/worlds.h"

namespace {

using namespace atto::calibration;

Rates in_parallel(const World& world, int64_t trials, int threads) {
  constexpr int64_t kBatch = 20;
  std::atomic<int64_t> next = 0;
  std::vector<Rates> parts(static_cast<size_t>(threads));
  std::vector<std::thread> workers;
  for (Rates& part : parts)
    workers.emplace_back([&] {
      for (int64_t from = next.fetch_add(kBatch); from < trials; from = next.fetch_add(kBatch)) {
        const Rates one = simulate(world, from, std::min(trials, from + kBatch));
        part.trials += one.trials;
        part.covered += one.covered;
        part.wrong += one.wrong;
        part.open += one.open;
      }
    });
  for (std::thread& worker : workers) worker.join();
  Rates all;
  for (const Rates& part : parts) {
    all.trials += part.trials;
    all.covered += part.covered;
    all.wrong += part.wrong;
    all.open += part.open;
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int place, int64_t otherwise) { return argc > place ? std::atoll(argv[place]) : otherwise; };
  const int64_t trials = number(1, 10'000), slow = number(2, 1'000);
  const int threads = static_cast<int>(number(3, 2));
  std::printf("| statistic | simulated runs | claims | interval holds the truth | wrong decisions, with looks |\n");
  std::printf("|---|---|---|---|---|\n");
  bool good = true;
  for (const World& world : worlds()) {
    if (argc > 4 && (world.statistic + ", " + world.what).find(argv[4]) == std::string::npos) continue;
    const Rates rates = in_parallel(world, world.slow ? slow : trials, threads);
    const double allowed = chance(rates.trials);
    const bool covers = rates.coverage() >= 0.95 - allowed, right = rates.errors() <= 0.05 + allowed;
    good = good && covers && right;
    std::printf("| %s | %s | %lld | %.2f %%%s | %.2f %%%s |\n", world.statistic.c_str(), world.what.c_str(),
                static_cast<long long>(rates.trials), 100 * rates.coverage(), covers ? "" : ", too seldom",
                100 * rates.errors(), right ? "" : ", too often");
    std::fflush(stdout);
  }
  return good ? 0 : 1;
}

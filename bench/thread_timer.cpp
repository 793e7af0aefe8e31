#include "thread_timer.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <optional>
#include <thread>

#include "bench_case.h"
#include "spec/run_shares.h"

namespace atto::bench {

double ThreadTimer::microseconds(std::istream& in) {
  auto [part, config] = read_case(in);
  size_t count = 0, threads = 0;
  int64_t steps = 0;
  in >> count >> steps >> threads;
  std::string name = part;
  for (const int64_t size : {config.data.vocab, config.network.width, config.data.context, config.training.batch})
    name += " " + std::to_string(size);
  auto& runs = runs_[name + " " + std::to_string(count)];
  for (size_t i = runs.size(); i < count; ++i) {
    config.seeds.init = config.seeds.data = static_cast<int64_t>(i) + 1;
    runs.push_back(std::make_unique<LiveRun>(RunSpec(config)));
    runs.back()->trainer().evaluate();
  }
  // The shares that an ensemble has: equal, where a run at their edge moves from one thread to another.
  std::vector<int64_t> at;
  for (size_t i = 0; i < count; ++i) at.push_back(runs[i]->trainer().step());
  const int64_t target = *std::max_element(at.begin(), at.end()) + steps;
  RunShares shares(at, target, steps, static_cast<int>(threads));
  // Those that train look at the clock themselves. A thread that waits for them to begin is woken when they have begun,
  // and on their core not before they pause: milliseconds that would be missing.
  using Clock = std::chrono::steady_clock;
  std::vector<Clock::time_point> began(threads), ended(threads);
  std::barrier ready(static_cast<std::ptrdiff_t>(threads));
  std::vector<std::jthread> workers;
  for (size_t worker = 0; worker < threads; ++worker)
    workers.emplace_back([&, worker] {
      ready.arrive_and_wait();
      began[worker] = Clock::now();
      std::optional<size_t> mine;
      while (const auto share = shares.next(static_cast<int>(worker), mine)) {
        mine = share->run;
        Trainer& trainer = runs[*mine]->trainer();
        if (trainer.step() < share->to) trainer.advance(share->to);
      }
      ended[worker] = Clock::now();
    });
  workers.clear();  // joins them
  const double seconds = std::chrono::duration<double>(*std::max_element(ended.begin(), ended.end()) -
                                                       *std::min_element(began.begin(), began.end()))
                             .count();
  return 1e6 * seconds / static_cast<double>(steps) / static_cast<double>(count);
}

}  // namespace atto::bench

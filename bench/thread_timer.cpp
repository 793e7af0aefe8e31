#include "thread_timer.h"

#include <barrier>
#include <chrono>
#include <thread>

#include "bench_case.h"

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
  std::barrier all(static_cast<std::ptrdiff_t>(threads) + 1);
  std::vector<std::jthread> workers;
  for (size_t worker = 0; worker < threads; ++worker)
    workers.emplace_back([&, worker] {
      all.arrive_and_wait();
      for (size_t i = worker; i < count; i += threads) {
        Trainer& trainer = runs[i]->trainer();
        trainer.advance(trainer.step() + steps);
      }
      all.arrive_and_wait();
    });
  all.arrive_and_wait();
  const auto start = std::chrono::steady_clock::now();
  all.arrive_and_wait();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return 1e6 * seconds / static_cast<double>(steps) / static_cast<double>(count);
}

}  // namespace atto::bench

#include "draw_timer.h"

#include <time.h>

#include <algorithm>
#include <optional>

#include "bench_case.h"
#include "data/set_sampler.h"
#include "spec/run_spec.h"

namespace atto::bench {
namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// As a model draws (training/attention_model.cpp), tile by tile.
class Draws {
 public:
  explicit Draws(const RunConfig& config)
      : spec_(config),
        samples_(config.training.batch),
        task_(make_task(config.data, 1)),
        sets_(make_sets(config.data, *task_, true, false, 1)),
        memory_(task_->shape(), spec_.attention()->network->tile_lanes(samples_)) {
    if (sets_.train) sampler_.emplace(*sets_.train, spec_.attention()->sets.equal, samples_, 1);
  }

  void draw(int64_t step) {
    Batch& batch = memory_.batch;
    for (int64_t first = 0; first < samples_; first += batch.lanes) {
      batch.samples = static_cast<int>(std::min<int64_t>(batch.lanes, samples_ - first));
      if (sampler_) sampler_->fill(step, first, batch);
      else task_->fill({1, static_cast<uint64_t>(step), static_cast<uint32_t>(first)}, batch);
    }
  }

 private:
  RunSpec spec_;
  int64_t samples_;
  std::unique_ptr<Task> task_;
  DataSets sets_;
  BatchMemory memory_;
  std::optional<SetSampler> sampler_;
};

}  // namespace

double draw_microseconds(std::istream& in) {
  const RunConfig config = read_case(in).config;
  double seconds = 0;
  in >> seconds;
  Draws draws(config);
  int64_t step = 0;
  const double start = thread_seconds();
  do {
    for (int i = 0; i < 100; ++i) draws.draw(step++);
  } while (thread_seconds() - start < seconds);
  return (thread_seconds() - start) / static_cast<double>(step) * 1e6;
}

}  // namespace atto::bench

#include "spec/ensemble.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "base/error.h"

namespace atto {
namespace {

constexpr int64_t kStepsAtATime = 256;  // between two looks at `stop`: milliseconds

}  // namespace

Ensemble::Ensemble(const RunConfig& config, const std::vector<SeedConfig>& seeds, int threads) {
  if (seeds.empty()) throw Error(ErrorKind::config, "an ensemble needs at least one seed");
  const int cores = threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  threads_ = static_cast<int>(std::min<size_t>(static_cast<size_t>(cores), seeds.size()));
  const size_t count = RunSpec(config).parameter_count();
  constexpr size_t kVector = kAlignment / sizeof(float);
  stride_ = (count + kVector - 1) / kVector * kVector;
  parameters_ = Arena<float>(stride_ * seeds.size());
  for (size_t i = 0; i < seeds.size(); ++i) {
    RunConfig one = config;
    one.seeds = seeds[i];
    runs_.push_back(std::make_unique<LiveRun>(RunSpec(one), parameters_.span().subspan(i * stride_, count)));
  }
  standing_.resize(seeds.size());
}

std::span<float> Ensemble::change(size_t run) {
  standing_[run] = {};
  return parameters_.span().subspan(run * stride_, spec().parameter_count());
}

const BatchResult& Ensemble::evaluated(size_t run) {
  Standing& standing = standing_[run];
  if (!standing.evaluated) {
    standing.batch = runs_[run]->trainer().evaluate();
    standing.evaluated = true;
  }
  return standing.batch;
}

void Ensemble::evaluate_all() {
  on_threads([this](size_t run) { evaluated(run); });
}

void Ensemble::move(size_t run, int64_t to, const std::atomic<bool>* stop) {
  Trainer& trainer = runs_[run]->trainer();
  Standing& standing = standing_[run];
  while (trainer.step() < to && !standing.ended && !(stop != nullptr && stop->load())) {
    evaluated(run);
    const int64_t until = std::min(to, trainer.step() + kStepsAtATime);
    standing.evaluated = false;  // should it throw on its way
    standing.batch = trainer.advance(until);
    standing.evaluated = true;
    standing.ended = trainer.step() < until || !std::isfinite(standing.batch.loss);
  }
}

void Ensemble::advance(int64_t steps, const std::atomic<bool>* stop) {
  if (steps < 0) throw Error(ErrorKind::usage, "an ensemble cannot go back by advancing", "restore() a snapshot");
  for (const auto& run : runs_) target_ = std::max(target_, run->trainer().step());
  if (steps > std::numeric_limits<int64_t>::max() - target_)
    throw Error(ErrorKind::usage, "no run has so many steps", "advance by less");
  target_ += steps;
  on_threads([this, stop](size_t run) { move(run, target_, stop); });
}

void Ensemble::restore(size_t run, const Snapshot& snapshot) {
  runs_[run]->trainer().restore(snapshot);
  standing_[run] = {};
  target_ = 0;
  for (const auto& one : runs_) target_ = std::max(target_, one->trainer().step());
}

// Each thread takes the next run that nobody has; the first exception is rethrown here once all are back.
template <class Work>
void Ensemble::on_threads(Work work) {
  std::atomic<size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failing;
  const auto take = [&] {
    for (size_t run = next++; run < runs_.size(); run = next++) {
      try {
        work(run);
      } catch (...) {
        const std::lock_guard lock(failing);
        if (!failure) failure = std::current_exception();
        return;
      }
    }
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < threads_; ++i) others.emplace_back(take);
  take();
  others.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace atto

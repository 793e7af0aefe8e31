#include "spec/ensemble.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include "base/error.h"
#include "spec/flops.h"

namespace atto {
namespace {

// Between two looks at `stop`: as many steps as take milliseconds, and for what has no count of operations the most.
constexpr int64_t kMostAtATime = 256;
constexpr double kFlopsAtATime = 3e8;

int64_t steps_at_a_time(const RunSpec& spec) {
  const double steps = kFlopsAtATime / std::max(flops_per_step(spec).value_or(0), 1.0);
  return std::clamp<int64_t>(static_cast<int64_t>(std::min(steps, 1e9)), 1, kMostAtATime);
}

int threads_for(int wanted, size_t runs) {
  const int cores = wanted > 0 ? wanted : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return static_cast<int>(std::min<size_t>(static_cast<size_t>(cores), std::max<size_t>(runs, 1)));
}

}  // namespace

// The runs that still have to move, for several threads. A thread keeps its run while many wait, for the sake of its
// caches. The last ones are moved in turns, a piece at a time: a run is on one thread only, and still all threads end
// at about the same time.
class Ensemble::Queue {
 public:
  struct Turn {
    size_t run = 0;
    bool whole = false;  // or a piece
  };

  Queue(size_t runs, int threads) : few_(2 * static_cast<size_t>(threads)), alone_(threads == 1) {
    for (size_t run = 0; run < runs; ++run) waiting_.push_back(run);
  }
  // For a thread that had `mine`, if that has not ended; nothing where others have all that is left.
  std::optional<Turn> next(std::optional<size_t> mine) {
    const std::lock_guard lock(mutex_);
    const bool whole = alone_ || waiting_.size() >= few_;
    if (mine && (whole || waiting_.empty())) return Turn{*mine, whole};
    if (waiting_.empty()) return {};
    if (mine) waiting_.push_back(*mine);
    const size_t run = waiting_.front();
    waiting_.pop_front();
    return Turn{run, whole};
  }

 private:
  const size_t few_;
  const bool alone_;
  std::mutex mutex_;
  std::deque<size_t> waiting_;
};

Ensemble::Ensemble(const RunConfig& config, const std::vector<SeedConfig>& seeds, int threads)
    : threads_(threads_for(threads, seeds.size())), piece_(steps_at_a_time(RunSpec(config))), team_(threads_) {
  if (seeds.empty()) throw Error(ErrorKind::config, "an ensemble needs at least one seed");
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
  std::atomic<size_t> next = 0;
  team_.work_together([&](bool) {
    for (size_t run = next++; run < runs_.size(); run = next++) evaluated(run);
  });
}

bool Ensemble::move(size_t run, int64_t to) {
  Trainer& trainer = runs_[run]->trainer();
  Standing& standing = standing_[run];
  if (trainer.step() >= to || standing.ended) return true;
  evaluated(run);
  standing.evaluated = false;  // should it throw on its way
  standing.batch = trainer.advance(to);
  standing.evaluated = true;
  standing.ended = trainer.step() < to || !std::isfinite(standing.batch.loss);
  return trainer.step() >= target_ || standing.ended;
}

void Ensemble::advance(int64_t steps, const std::atomic<bool>* stop, const std::function<void()>& meanwhile) {
  if (steps < 0) throw Error(ErrorKind::usage, "an ensemble cannot go back by advancing", "restore() a snapshot");
  for (const auto& run : runs_) target_ = std::max(target_, run->trainer().step());
  if (steps > std::numeric_limits<int64_t>::max() - target_)
    throw Error(ErrorKind::usage, "no run has so many steps", "advance by less");
  target_ += steps;
  int64_t furthest = 0;
  for (size_t run = 0; run < size(); ++run)
    if (!standing_[run].ended) furthest = std::max(furthest, target_ - runs_[run]->trainer().step());
  const int64_t fourth = std::clamp<int64_t>((furthest + 3) / 4, 1, piece_);
  Queue queue(size(), threads_);
  const auto work = [&](bool caller) {
    std::optional<size_t> mine;
    while (!(stop != nullptr && stop->load())) {
      const auto turn = queue.next(mine);
      if (!turn) return;
      const int64_t step = runs_[turn->run]->trainer().step();
      mine = move(turn->run, std::min(target_, step + (turn->whole ? piece_ : fourth))) ? std::nullopt
                                                                                        : std::optional(turn->run);
      if (caller && meanwhile) meanwhile();
    }
  };
  team_.work_together(work, meanwhile);
}

void Ensemble::restore(size_t run, const Snapshot& snapshot) {
  runs_[run]->trainer().restore(snapshot);
  standing_[run] = {};
  target_ = 0;
  for (const auto& one : runs_) target_ = std::max(target_, one->trainer().step());
}

}  // namespace atto

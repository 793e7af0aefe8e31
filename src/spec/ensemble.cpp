#include "spec/ensemble.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.h"
#include "base/machine.h"
#include "spec/flops.h"

namespace atto {
namespace {

// Between two looks at `stop`: as many steps as take milliseconds, and for what has no count of operations the most.
constexpr int64_t kMostAtATime = 256;
constexpr double kFlopsAtATime = 3e8;
// So many of these are shared out at a time: a list of what all threads do to the end might be long.
constexpr int64_t kStages = 16;

// A thread that others may need looks up so often in a piece.
constexpr int64_t kServedInAPiece = 64;

bool is_set(const std::atomic<bool>* stop) { return stop != nullptr && stop->load(); }

int64_t steps_at_a_time(const RunSpec& spec) {
  const double steps = kFlopsAtATime / std::max(flops_per_step(spec).value_or(0), 1.0);
  return std::clamp<int64_t>(static_cast<int64_t>(std::min(steps, 1e9)), 1, kMostAtATime);
}

int threads_for(int wanted, size_t runs) {
  const int cores = wanted > 0 ? wanted : usable_cores();
  return static_cast<int>(std::min<size_t>(static_cast<size_t>(cores), std::max<size_t>(runs, 1)));
}

}  // namespace

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
    standing.evaluated = standing.gradient = true;
  }
  return standing.batch;
}

void Ensemble::evaluate_all() {
  std::atomic<size_t> next = 0;
  team_.work_together([&](int) {
    for (size_t run = next++; run < runs_.size(); run = next++) evaluated(run);
  });
}

void Ensemble::move(size_t run, int64_t to) {
  Trainer& trainer = runs_[run]->trainer();
  Standing& standing = standing_[run];
  if (!standing.gradient) evaluated(run);
  standing.gradient = standing.evaluated = false;  // should it throw on its way
  const bool arrives = to >= target_;              // only there does anyone ask for the accuracy
  standing.batch = trainer.advance(to, arrives);
  standing.gradient = true;
  standing.ended = trainer.step() < to || !std::isfinite(standing.batch.loss);
  standing.evaluated = arrives || trainer.step() < to;
}

void Ensemble::in_stretches(int64_t steps, const std::atomic<bool>* stop, const std::function<void(RunShares&)>& work) {
  if (steps < 0) throw Error(ErrorKind::usage, "an ensemble cannot go back by advancing", "restore() a snapshot");
  for (const auto& run : runs_) target_ = std::max(target_, run->trainer().step());
  if (steps > std::numeric_limits<int64_t>::max() - target_)
    throw Error(ErrorKind::usage, "no run has so many steps", "advance by less");
  target_ += steps;
  std::vector<int64_t> at(size());
  for (int64_t to = 0; to < target_ && !is_set(stop);) {
    for (size_t run = 0; run < size(); ++run) at[run] = standing_[run].ended ? target_ : runs_[run]->trainer().step();
    const int64_t furthest_behind = *std::min_element(at.begin(), at.end());
    if (furthest_behind >= target_) return;
    to = target_ - furthest_behind > kStages * piece_ ? furthest_behind + kStages * piece_ : target_;
    RunShares shares(at, to, piece_, threads_);
    work(shares);
  }
}

void Ensemble::take_share(RunShares& shares, int thread, int64_t piece, const std::atomic<bool>* stop,
                          const std::function<void()>& between) {
  std::optional<size_t> mine;
  while (const auto part = shares.next(thread, mine)) {
    mine = part->run;
    const Trainer& trainer = runs_[*mine]->trainer();
    while (trainer.step() < part->to && !standing_[*mine].ended) {
      if (is_set(stop)) return;
      move(*mine, std::min(part->to, trainer.step() + piece));
      if (between) between();
    }
  }
}

void Ensemble::advance(int64_t steps, const std::atomic<bool>* stop, const std::function<void()>& meanwhile) {
  const std::function<void()> nothing;
  in_stretches(steps, stop, [&](RunShares& shares) {
    team_.work_together(
        [&](int thread) { take_share(shares, thread, piece_, stop, thread == 0 ? meanwhile : nothing); }, meanwhile);
  });
}

void Ensemble::advance_serving(int64_t steps, const std::atomic<bool>* stop,
                               const std::function<void(bool idle)>& serve) {
  const int64_t short_piece = std::max<int64_t>(piece_ / kServedInAPiece, 1);
  in_stretches(steps, stop, [&](RunShares& shares) {
    std::atomic<int> others = threads_ - 1;  // that are at work
    // However a thread ends its work: others must not wait for one that is gone, and not be left without an answer.
    const auto leave = [&](int thread) {
      if (thread > 0) --others;
      while (thread == 0 && others > 0) serve(true);
    };
    team_.work_together([&](int thread) {
      const std::unique_ptr<int, std::function<void(int*)>> at_end(&thread, [&](int* one) { leave(*one); });
      if (thread > 0) return take_share(shares, thread, piece_, stop, {});
      take_share(shares, thread, short_piece, stop, [&] { serve(false); });
    });
  });
}

void Ensemble::restore(size_t run, const Snapshot& snapshot) {
  runs_[run]->trainer().restore(snapshot);
  standing_[run] = {};
  target_ = 0;
  for (const auto& one : runs_) target_ = std::max(target_, one->trainer().step());
}

}  // namespace atto

// Runs of one configuration that differ in their seeds, advanced together on several threads. Their parameters stand in
// one arena, [run][parameter], so that a view of one matrix of all runs needs no copy.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/arena.h"
#include "base/thread_team.h"
#include "spec/live_run.h"
#include "spec/run_shares.h"

namespace atto {

class Ensemble {
 public:
  // Seeds of `config` itself do not count. `threads` 0 is one for each core, and never more than there are runs.
  Ensemble(const RunConfig& config, const std::vector<SeedConfig>& seeds, int threads);

  size_t size() const { return runs_.size(); }
  int threads() const { return threads_; }
  const RunSpec& spec() const { return runs_.front()->spec(); }
  LiveRun& run(size_t index) { return *runs_[index]; }
  const LiveRun& run(size_t index) const { return *runs_[index]; }

  // [run][stride]: every matrix at its offset.
  std::span<const float> parameters() const { return parameters_.span(); }
  size_t stride() const { return stride_; }
  // Of one run, to be changed between steps; what was evaluated is forgotten.
  std::span<float> change(size_t run);

  // The step that every run has reached, or will have after the next advance() where one was stopped.
  int64_t step() const { return target_; }
  // Moves every run on by so many steps; a run whose loss is not finite or whose stop condition holds stays where it
  // is. With `stop` set it returns early, and the next call makes up for what is missing. `meanwhile` is called again
  // and again by the calling thread, milliseconds apart.
  void advance(int64_t steps, const std::atomic<bool>* stop = nullptr, const std::function<void()>& meanwhile = {});
  // The same where runs on other threads may need the calling one: it calls `serve` every few steps with false, and
  // with true, again and again, where it has nothing else to do; then `serve` may wait for a moment. It must not throw.
  void advance_serving(int64_t steps, const std::atomic<bool>* stop, const std::function<void(bool idle)>& serve);
  // Loss and accuracy of the batch at the present step, and the gradients with them.
  const BatchResult& evaluated(size_t run);
  void evaluate_all();

  // Of one run. It may stand at another step than the others after restore(); advance() goes by the furthest.
  Snapshot snapshot(size_t run) const { return runs_[run]->trainer().snapshot(); }
  void restore(size_t run, const Snapshot& snapshot);

 private:
  struct Standing {
    bool gradient = false;   // of the present step's batch is there
    bool evaluated = false;  // and so is its accuracy
    bool ended = false;
    BatchResult batch;
  };
  void move(size_t run, int64_t to);
  // Calls `work` until the step that all runs have to reach, with the shares of a stretch of steps at a time.
  void in_stretches(int64_t steps, const std::atomic<bool>* stop, const std::function<void(RunShares&)>& work);
  // What a thread of the team does with its share: `between` is called after every piece of at most so many steps.
  void take_share(RunShares& shares, int thread, int64_t piece, const std::atomic<bool>* stop,
                  const std::function<void()>& between);

  int threads_;
  int64_t piece_;  // the most steps at a time: milliseconds
  size_t stride_;  // parameters of a run, rounded up to whole vectors
  Arena<float> parameters_;
  std::vector<std::unique_ptr<LiveRun>> runs_;
  std::vector<Standing> standing_;
  int64_t target_ = 0;
  ThreadTeam team_;
};

}  // namespace atto

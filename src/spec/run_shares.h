// Which thread moves which run of an ensemble, and how far, so that all of them end together.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace atto {

// A run is on one thread at a time. Every thread has a share of the same length (McNaughton's rule): the runs are laid
// out one after the other and the line is cut into shares. A run across a cut has its first steps at the beginning of
// the later share and its last ones at the end of the earlier share, so nobody has to wait for it. Shares are the same
// in every call, so a run stays in the caches of one core. A thread that is done before others takes over what waits
// there. Which thread is how fast is not known before, so that may end later than the best plan: T threads as fast as
// each other need at most 1/T of all steps and (T - 1)/T of the longest run.
class RunShares {
 public:
  // A run, to be moved up to a step; it may stand there already.
  struct Part {
    size_t run = 0;
    int64_t to = 0;
  };

  // `at` is where each run stands. Up to `target` they go in stages of at most `stage` steps, all runs one stage after
  // the other, so that a slow thread has something left which others can take over.
  RunShares(std::span<const int64_t> at, int64_t target, int64_t stage, int threads);

  // For a thread (from 0 on) that had the run `mine`: what it does next; nothing where others have all that is left.
  std::optional<Part> next(int thread, std::optional<size_t> mine);

 private:
  void lay_out(std::span<const int64_t> at, int64_t target);
  std::optional<Part> take(std::deque<Part>& share, bool last);

  std::mutex mutex_;
  std::vector<std::deque<Part>> shares_;  // by thread
  std::vector<bool> moving_;              // by run: a thread has it
};

}  // namespace atto

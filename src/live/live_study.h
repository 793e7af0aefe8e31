// A study that is watched: its runs are trained side by side, a few steps each in turn, and measured by its plan. What
// is recorded of a run is what `record_run` records, bit for bit; the clock decides when to return and never what is
// computed. One thread; several of them, each with some of the runs, make use of several.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "lab/results/cell_summary.h"
#include "live/frame.h"
#include "live/series.h"
#include "observe/recorder.h"
#include "observe/run_source.h"

namespace atto {

struct RunKey {
  size_t cell = 0;
  int64_t seed = 0;  // its number, as the study counts its seeds
};

// All runs of a study, seed by seed, so that every cell has its first seeds early.
std::vector<RunKey> all_run_keys(const Study& study, const std::vector<Cell>& cells);

class LiveStudy final : private RunSource {
 public:
  // Error(config) for a run that the study does not have or one too large to be watched (live/limits.h),
  // Error(resources) where the runs would not fit into memory. Nothing is trained yet.
  LiveStudy(Study study, std::vector<Cell> cells, std::vector<RunKey> runs);
  ~LiveStudy() override;

  const Study& study() const { return study_; }
  const std::vector<Cell>& cells() const { return cells_; }
  const std::vector<RunKey>& runs() const { return keys_; }
  bool ended() const { return left_ == 0; }

  // Trains for about so long, at least one turn, and no run beyond step `to`; returns what is new since the last call.
  // Findings of runs on their way are what the detectors would say had the run been planned to end there.
  Frame advance(double milliseconds, int64_t to = std::numeric_limits<int64_t>::max());

  // What is recorded of a run so far.
  const Recording& recording(size_t run) const;

 private:
  struct Watched;
  struct CellPlan;

  Recording load(const std::string& run_id) const override;
  Recording load(const std::string& run_id, const std::vector<std::string>& addresses) const override;
  CellPlan& plan_of(size_t cell);
  bool move(Watched& run, int64_t to, Frame& frame);
  void detect(Watched& run, Frame& frame);
  void send_derived(Watched& run, Frame& frame);
  RunNews& news_of(Watched& run, Frame& frame);

  Study study_;
  std::vector<Cell> cells_;
  std::vector<RunKey> keys_;
  std::vector<std::unique_ptr<CellPlan>> plans_;  // by cell; made when the first of its runs is
  std::vector<Watched> watched_;
  size_t turn_ = 0;  // whose turn it is
  size_t left_ = 0;  // runs that have not ended
  double detecting_ms_ = 0, training_ms_ = 0;
};

}  // namespace atto

// How a network trained on regression answers to single vectors, so that what its weights have learnt can be told from
// where its attention goes.
//
// Let y be its answer. When every position holds the same token x, attention has nothing to choose, and the odd part of
// y is what the weights make of x: W e_k = ½ (y(e_k) - y(-e_k)) for the unit vectors e_k. When only the relevant
// positions hold ±e_k and the others are as drawn, the same difference is V e_k, with attention as it is. Both are
// means over a few probe sequences.
#pragma once

#include <optional>

#include "spec/live_run.h"

namespace atto {

struct Response {
  double share = 0;      // ⟨W, W*⟩/‖W*‖²: 1 is learnt
  double alignment = 0;  // cosine between W and W*
  double effective = 0;  // ⟨V, W*⟩/⟨W, W*⟩: the part of its answer that attention lets through
  // With a repeated token x̃, a unit vector: ⟨W x̃, W* x̃⟩/‖W* x̃‖², and the share of everything else.
  double repeated = 0, rest = 0;
};

class ResponseProbe {
 public:
  explicit ResponseProbe(const LiveRun& run);

  const Response& now();
  static size_t bytes(const RunSpec& spec);  // that one takes

 private:
  // The map from tokens to answers, [d][d]; tokens stand everywhere or at the relevant positions only.
  std::vector<double> odd_part(bool everywhere);
  void split_share(const std::vector<double>& map, double along, double target_square);

  const Trainer& trainer_;
  const AttentionModel& model_;
  BatchMemory drawn_;  // the sequences the vectors are put into
  Workspace work_;
  std::optional<int64_t> fresh_at_;
  Response response_;
};

}  // namespace atto

// What those who only watch may ask for, all in one place. A page takes its studies from a link, so anything may be in
// them; beyond these limits a request is refused with what to do instead, before it takes memory or time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace atto {

inline constexpr size_t kMostRequestBytes = 32'000'000;  // of a request
inline constexpr int kDeepestRequest = 32;               // lists and tables within each other in it
inline constexpr size_t kMostStudyBytes = 1'000'000;     // of the text of a study
inline constexpr int64_t kMostLiveCells = 2'500;         // of a study: a plane of 50 by 50
inline constexpr int64_t kMostLiveSeeds = 4'096;         // of a cell
inline constexpr int64_t kMostLiveRuns = 16'384;         // of a session
inline constexpr int64_t kMostLivePoints = 20'000;       // measurements of one observable in one run
// Multiplications of one step, a second or two in a browser: nothing is shown while a step lasts.
inline constexpr double kMostStepCost = 1e9;
// Bytes that a task may take for a moment to tell the losses to compare with; without them it has none to show.
inline constexpr size_t kMostTableBytes = 32'000'000;
inline constexpr int64_t kMostCurvePoints = 10'000;  // of a predicted curve

}  // namespace atto

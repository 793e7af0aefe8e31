// What is new in a live study since the last frame, and the bytes in which it travels.
//
// Little-endian: u32 "ATF1", u32 blocks; per block u32 run, u32 series, u32 points, u32 width, f64 steps[points],
// f32 values[points * width], zeros up to a multiple of 8 bytes; then u32 length and JSON of so many bytes:
//   {"runs": [{"run", "step", "finished", "diverged", "findings": {name: {"value", "censored"}}, "finals": {address:
//   number}}], "ended", "train_ms", "steps"}
// Runs in which nothing happened are not in it; findings and finals are there where they were looked at again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "phenomena/outcomes/outcome.h"

namespace atto {

// New measurements of one series of one run.
struct FrameBlock {
  uint32_t run = 0;     // its place in the session's list
  uint32_t series = 0;  // its place among the series of the run's cell (live/series.h)
  uint32_t width = 1;   // numbers per point
  std::vector<double> steps;
  std::vector<float> values;  // [point][width]
};

// Where a run stands. Outcomes are by name.
struct RunNews {
  uint32_t run = 0;
  int64_t step = 0;
  bool finished = false, diverged = false;
  std::optional<std::vector<std::pair<std::string, Outcome>>> findings, finals;
};

struct Frame {
  std::vector<FrameBlock> blocks;
  std::vector<RunNews> runs;
  bool ended = false;   // every run has
  double train_ms = 0;  // spent on training, measuring and detecting
  int64_t steps = 0;    // done by all runs together
};

std::string encode(const Frame& frame);
// What several frames say, as one: `news` without its blocks, and those of all frames, oldest first. Blocks of one
// series of one run become one block. Nothing is copied but into the bytes.
std::string encode_joined(const Frame& news, std::vector<const FrameBlock*> blocks);

}  // namespace atto

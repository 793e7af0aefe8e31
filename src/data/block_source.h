// Sequences from outside of the program, in large blocks: a function in the language of whoever embeds it.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <vector>

#include "base/host_calls.h"
#include "data/batch.h"

namespace atto {

struct DataConfig;

struct Block {
  std::vector<int32_t> tokens;   // [C][rows]
  std::vector<int32_t> answers;  // [asked][rows]
};

// Which block. The same of all these gives the same block, whoever asks and whenever, if the source is a function.
struct BlockRequest {
  uint64_t seed = 0;    // of the data
  uint64_t stream = 0;  // 0: training; others have numbers of their own
  uint64_t number = 0;  // of the block within the stream
  int rows = 0;         // sequences
};

// The blocks of one run. Only its thread asks.
class BlockReader {
 public:
  virtual ~BlockReader() = default;
  // Asks for a block, which may take its time. What is wrong with it is thrown by the future.
  virtual std::future<Block> ask(const BlockRequest& request) = 0;
};

class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual PartIdentity identity() const = 0;
  // For a run of this configuration, whose sequences have this shape.
  virtual std::unique_ptr<BlockReader> reader(const DataConfig& config, const BatchShape& shape) const = 0;
};

}  // namespace atto

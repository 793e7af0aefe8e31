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

// Numbers in memory of somebody else, of any layout.
template <class Number>
struct NumberRows {
  const Number* first = nullptr;
  size_t rows = 0, columns = 0;
  int64_t down = 0, right = 0;  // from a number to the one below it, and to the next one of its row
};
// Copies them to [column][row]; false where one is no token of a vocabulary of that size. For whole numbers of 8 to 64
// bits.
template <class Number>
bool take_tokens(const NumberRows<Number>& from, int vocabulary, std::vector<int32_t>& to);

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
  // Asks for a block, which may take its time. What is wrong with it is thrown by the future. Its numbers are written
  // over those of `old`, which takes less time than fresh memory.
  virtual std::future<Block> ask(const BlockRequest& request, Block old) = 0;
};

class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual PartIdentity identity() const = 0;
  // For a run of this configuration, whose sequences have this shape.
  virtual std::unique_ptr<BlockReader> reader(const DataConfig& config, const BatchShape& shape) const = 0;
};

}  // namespace atto

// A task from a function for tests, without another language: every token says where it comes from.
#pragma once

#include <memory>
#include <vector>

#include "base/host_calls.h"
#include "data/block_source.h"
#include "data/config.h"

namespace atto {

struct CountingSource final : BlockSource {
  PartIdentity identity() const override { return {"counting", "1", "abc"}; }
  std::unique_ptr<BlockReader> reader(const DataConfig&, const BatchShape& shape) const override {
    struct Reader final : BlockReader {
      Reader(const CountingSource& from, const BatchShape& of) : source(from), shape(of) {}
      std::future<Block> ask(const BlockRequest& request, Block /*old*/) override {
        source.asked.push_back(request);
        std::promise<Block> promise;
        if (source.lost > 0 && source.lost-- > 0) promise.set_exception(std::make_exception_ptr(HostStopped()));
        else promise.set_value(source.block(request, shape));
        return promise.get_future();
      }
      const CountingSource& source;
      BatchShape shape;
    };
    return std::make_unique<Reader>(*this, shape);
  }
  // Position i of sequence number n has the token n + i (mod V) of a stream that begins at its seed and number.
  Block block(const BlockRequest& request, const BatchShape& shape) const {
    Block block;
    const uint64_t first = request.number * static_cast<uint64_t>(request.rows) + request.seed + 3 * request.stream;
    const auto vocabulary = static_cast<uint64_t>(shape.vocabulary);
    for (uint64_t i = 0; i < static_cast<uint64_t>(shape.context); ++i)
      for (uint64_t row = 0; row < static_cast<uint64_t>(request.rows); ++row)
        block.tokens.push_back(static_cast<int32_t>((first + row + i) % vocabulary));
    for (uint64_t i = 0; i < static_cast<uint64_t>(shape.asked()); ++i)
      for (uint64_t row = 0; row < static_cast<uint64_t>(request.rows); ++row)
        block.answers.push_back(static_cast<int32_t>((first + row + 7 * i) % vocabulary));
    return block;
  }

  mutable std::vector<BlockRequest> asked;
  mutable int lost = 0;  // so many of the next answers never come
};

inline std::shared_ptr<const CountingSource> give_source(DataConfig& config) {
  auto source = std::make_shared<const CountingSource>();
  config.task = "function";
  config.function = "counting";
  config.function_version = "1";
  config.function_hash = "abc";
  config.source = source;
  return source;
}

}  // namespace atto

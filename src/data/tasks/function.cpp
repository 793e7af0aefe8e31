// Function: sequences and their answers from a function outside of the program, which makes them in large blocks
// (data/block_source.h). Sequence number i of a stream is row i mod n of block i / n, so a run sees the same sequences
// however its batches are cut, and after it was resumed. Training is one stream, in which step s begins at sequence
// s · batch; test data, probes and sets are streams of their own.
#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/host_calls.h"
#include "data/block_source.h"
#include "data/tasks/sequences.h"

namespace atto {
namespace {

constexpr int kNumbers = 1 << 17;         // of a block of training data: calls are then far apart
constexpr size_t kAhead = 2;              // of these: whoever makes them may be busy while one is used up
constexpr int kFewest = 64, kFew = 1024;  // sequences; other streams have short ones
constexpr size_t kKept = 64;              // blocks of these that stay: test data are asked for again and again
constexpr uint64_t kOther =
    uint64_t{1} << 40;  // draws from this step on are no training (training.steps is at most 1e12)
constexpr uint64_t kFrequencies = (uint64_t{1} << 44);  // the stream that frequencies are counted in

int training_rows(const BatchShape& shape) {
  int rows = kFewest;
  while (2 * rows * (shape.context + shape.asked()) <= kNumbers) rows *= 2;
  return rows;
}

size_t block_bytes(const BatchShape& shape, int rows) {
  return sizeof(int32_t) * static_cast<size_t>(rows) * static_cast<size_t>(shape.context + shape.asked());
}

TaskSpec describe(const DataConfig& config) {
  refuse_exponent(config);
  TaskSpec spec = describe_tokens(config, config.targets == Targets::every ? 0 : static_cast<int>(config.context) - 1);
  const std::string name = config.function.empty() ? "that it does not name" : "'" + config.function + "'";
  if (!config.source)
    throw Error(ErrorKind::config, "the data come from the function " + name + " in Python, which is not here",
                "run the study from Python: attoscope.Study.from_toml(text, parts=[task]).run()");
  const PartIdentity said{config.function, config.function_version, config.function_hash};
  if (config.source->identity() != said)
    throw Error(ErrorKind::config, "the function " + name + " is not the one that the study was written for",
                "take that one, or set data.function_version and data.function_hash to those of this one");
  const int rows = training_rows(spec.shape);
  spec.bytes = (1 + kAhead) * block_bytes(spec.shape, rows) + 2 * block_bytes(spec.shape, std::min(rows, kFew));
  return spec;
}

class Function final : public Task {
 public:
  Function(const DataConfig& config, const TaskSpec& spec, uint64_t seed)
      : Task(spec), seed_(seed), rows_(training_rows(spec.shape)), reader_(config.source->reader(config, spec.shape)) {}

  // Counted in sequences of a stream of their own, as the function cannot be asked for them.
  std::vector<double> frequencies() const override {
    std::vector<double> counts(static_cast<size_t>(vocabulary()));
    const Block& block = kept({seed_, kFrequencies, 0, few()});
    for (const int32_t token : block.tokens)
      counts[static_cast<size_t>(token)] += 1 / static_cast<double>(block.tokens.size());
    return counts;
  }

  void fill(const Draw& draw, const Batch& batch) const override {
    const bool training = draw.step < kOther;
    const uint64_t rows = static_cast<uint64_t>(training ? rows_ : few());
    const uint64_t before = training ? draw.step * static_cast<uint64_t>(draw.samples) : 0;
    const auto samples = static_cast<uint64_t>(batch.samples);
    for (uint64_t lane = 0; lane < samples;) {
      const uint64_t index = before + draw.first_sample + lane, row = index % rows;
      const uint64_t count = std::min(rows - row, samples - lane);
      const BlockRequest request{draw.seed, training ? 0 : draw.step, index / rows, static_cast<int>(rows)};
      copy(training ? ahead(request, draw) : kept(request), rows, row, count, lane, batch);
      lane += count;
    }
    pad(batch);
    weigh_samples(batch);
  }

 private:
  struct Kept {
    BlockRequest which;
    Block block;
  };
  static bool same(const BlockRequest& a, const BlockRequest& b) {
    return a.seed == b.seed && a.stream == b.stream && a.number == b.number && a.rows == b.rows;
  }
  int few() const { return std::min(rows_, kFew); }

  // A block of training data. Those after it are asked for before they are needed, if the run has steps that need them.
  const Block& ahead(const BlockRequest& request, const Draw& draw) const {
    if (!current_ || !same(current_->which, request)) {
      if (next_.empty() || !same(next_.front().first, request)) {
        next_.clear();
        next_.emplace_back(request, reader_->ask(request, {}));
      }
      std::future<Block> block = std::move(next_.front().second);
      next_.pop_front();  // before it may throw
      Block read = current_ ? std::move(current_->block) : Block{};
      current_.reset();
      current_ = {request, answer(block, request)};
      BlockRequest after = next_.empty() ? request : next_.back().first;
      while (next_.size() < kAhead) {
        ++after.number;
        if (after.number * static_cast<uint64_t>(rows_) >= static_cast<uint64_t>(draw.steps * draw.samples)) break;
        next_.emplace_back(after, reader_->ask(after, std::exchange(read, {})));
      }
    }
    return current_->block;
  }

  // Who asked ahead may have been the last that anybody wanted to know of: then the answer never came.
  Block answer(std::future<Block>& block, const BlockRequest& request) const {
    try {
      return block.get();
    } catch (const HostStopped&) {
      return reader_->ask(request, {}).get();
    }
  }

  const Block& kept(const BlockRequest& request) const {
    for (const Kept& one : kept_)
      if (same(one.which, request)) return one.block;
    Block block = reader_->ask(request, {}).get();
    if (kept_.size() == kKept) kept_.pop_front();
    return kept_.emplace_back(Kept{request, std::move(block)}).block;
  }

  void copy(const Block& block, uint64_t rows, uint64_t row, uint64_t count, uint64_t lane, const Batch& batch) const {
    const auto lanes = static_cast<size_t>(batch.lanes);
    for (size_t i = 0; i < static_cast<size_t>(context()); ++i)
      std::copy_n(block.tokens.data() + i * rows + row, count, batch.tokens + i * lanes + lane);
    for (size_t i = 0; i < static_cast<size_t>(asked()); ++i)
      std::copy_n(block.answers.data() + i * rows + row, count, batch.targets + i * lanes + lane);
  }

  void pad(const Batch& batch) const {
    const auto lanes = static_cast<size_t>(batch.lanes), samples = static_cast<size_t>(batch.samples);
    for (size_t i = 0; i < static_cast<size_t>(context()); ++i)
      std::fill_n(batch.tokens + i * lanes + samples, lanes - samples, 0);
    for (size_t i = 0; i < static_cast<size_t>(asked()); ++i)
      std::fill_n(batch.targets + i * lanes + samples, lanes - samples, 0);
  }

  uint64_t seed_;
  int rows_;
  std::unique_ptr<BlockReader> reader_;
  // What was asked for; a run stays on one thread.
  mutable std::optional<Kept> current_;
  mutable std::deque<std::pair<BlockRequest, std::future<Block>>> next_;
  mutable std::deque<Kept> kept_;
};

std::unique_ptr<Task> make(const DataConfig& config, const TaskSpec& spec, uint64_t seed) {
  return std::make_unique<Function>(config, spec, seed);
}

}  // namespace

TaskKind function_task() {
  return {{"data.vocab", "data.context", "data.function"},
          false,
          describe,
          make,
          {"data.function", "data.function_version", "data.function_hash", "data.stream"}};
}

}  // namespace atto

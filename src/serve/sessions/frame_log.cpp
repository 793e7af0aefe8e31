#include "serve/sessions/frame_log.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "serve/sessions/base64.h"

namespace atto {
namespace {

size_t bytes_of(const FrameBlock& block) {
  return 16 + block.steps.size() * sizeof(double) + block.values.size() * sizeof(float);
}

size_t bytes_of(const Frame& frame) {
  size_t bytes = 0;
  for (const FrameBlock& block : frame.blocks) bytes += bytes_of(block);
  return bytes;
}

// What is known of a run after both; the later says what it saw anew.
void merge_news(RunNews& earlier, const RunNews& later) {
  RunNews merged = later;
  if (!merged.findings) merged.findings = std::move(earlier.findings);
  if (!merged.finals) merged.finals = std::move(earlier.finals);
  earlier = std::move(merged);
}

FrameBlock last_point(const FrameBlock& block) {
  FrameBlock last = block;
  last.steps.assign(block.steps.end() - 1, block.steps.end());
  last.values.assign(block.values.end() - block.width, block.values.end());
  return last;
}

}  // namespace

std::vector<FrameBlock> newest_blocks(const std::vector<FrameBlock>& blocks, size_t bytes) {
  std::vector<FrameBlock> kept;
  std::set<std::pair<uint32_t, uint32_t>> known;
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    if (block->steps.empty()) continue;
    const bool first = known.emplace(block->run, block->series).second;
    const size_t size = bytes_of(*block);
    if (size <= bytes) {
      bytes -= size;
      kept.push_back(*block);
    } else {
      bytes = 0;  // no gap is filled with something older
      if (first) kept.push_back(last_point(*block));
    }
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

namespace {

// What several frames say of one series of one run becomes one block: less to send, and fewer to make.
void add_joined(const FrameBlock& block, std::unordered_map<uint64_t, size_t>& places,
                std::vector<FrameBlock>& blocks) {
  const auto [place, added] = places.emplace(uint64_t{block.run} << 32 | block.series, blocks.size());
  if (added) {
    blocks.push_back(block);
    return;
  }
  FrameBlock& earlier = blocks[place->second];
  earlier.steps.insert(earlier.steps.end(), block.steps.begin(), block.steps.end());
  earlier.values.insert(earlier.values.end(), block.values.begin(), block.values.end());
}

// All but the blocks.
Frame merge_all_news(const std::deque<std::shared_ptr<const Frame>>& frames) {
  Frame merged;
  std::map<uint32_t, size_t> places;
  for (const auto& frame : frames) {
    for (const RunNews& news : frame->runs) {
      const auto [place, added] = places.emplace(news.run, merged.runs.size());
      if (added) merged.runs.push_back(news);
      else merge_news(merged.runs[place->second], news);
    }
    merged.ended = frame->ended;
    merged.train_ms += frame->train_ms;
    merged.steps += frame->steps;
  }
  return merged;
}

}  // namespace

Frame FrameLog::merge(const std::deque<std::shared_ptr<const Frame>>& frames, Blocks how) {
  Frame merged = merge_all_news(frames);
  std::unordered_map<uint64_t, size_t> series;
  for (const auto& frame : frames)
    for (const FrameBlock& block : frame->blocks) {
      if (how == Blocks::joined) add_joined(block, series, merged.blocks);
      else merged.blocks.push_back(block);
    }
  return merged;
}

void FrameLog::append(Frame frame) {
  const size_t bytes = bytes_of(frame);
  auto kept = std::make_shared<const Frame>(std::move(frame));
  const std::lock_guard lock(mutex_);
  entries_.push_back({std::move(kept), bytes});
}

size_t FrameLog::end() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

FrameLog::Part FrameLog::part_for(size_t place) const {
  Part part;
  part.place = std::min(place, entries_.size());
  size_t behind = 0, fitting = part.place;
  for (part.last = part.place; part.last < entries_.size(); ++part.last) {
    behind += entries_[part.last].bytes;
    if (behind <= limits_.event_bytes) fitting = part.last + 1;
  }
  part.thin = behind > limits_.behind_bytes;
  if (!part.thin && part.last > part.place) {
    part.last = std::max(fitting, part.place + 1);
    part.cut = part.last < entries_.size();
  }
  return part;
}

std::deque<std::shared_ptr<const Frame>> FrameLog::frames_of(const Part& part) const {
  std::deque<std::shared_ptr<const Frame>> frames;
  const std::lock_guard lock(mutex_);
  for (size_t i = part.place; i < part.last; ++i) frames.push_back(entries_[i].frame);
  return frames;
}

Frame FrameLog::frame_of(const Part& part) const {
  Frame frame = merge(frames_of(part), part.thin ? Blocks::apart : Blocks::joined);
  if (part.thin) frame.blocks = newest_blocks(frame.blocks, limits_.event_bytes);
  return frame;
}

Frame FrameLog::all() const { return frame_of({0, end(), false}); }

FrameLog::Found FrameLog::frame_since(size_t place) const {
  std::unique_lock lock(mutex_);
  const Part part = part_for(place);
  lock.unlock();
  if (part.place == part.last) return {std::nullopt, part.place};
  return {frame_of(part), part.last};
}

std::string FrameLog::encoded(const Part& part) const {
  if (part.thin) return encode(frame_of(part));
  const auto frames = frames_of(part);
  std::vector<const FrameBlock*> blocks;
  for (const auto& frame : frames)
    for (const FrameBlock& block : frame->blocks) blocks.push_back(&block);
  return encode_joined(merge_all_news(frames), std::move(blocks));
}

FrameLog::News FrameLog::since(size_t place) const {
  std::unique_lock lock(mutex_);
  if (made_ && made_part_.place == place) return {made_, made_part_.last, made_part_.cut};
  const Part part = part_for(place);
  if (part.place == part.last) return {nullptr, part.place};
  lock.unlock();
  std::string event = "id: " + std::to_string(part.last) + "\ndata: ";
  append_base64(event, encoded(part));
  event += "\n\n";
  auto made = std::make_shared<const std::string>(std::move(event));
  lock.lock();
  made_part_ = part;
  made_ = made;
  return {std::move(made), part.last, part.cut};
}

}  // namespace atto

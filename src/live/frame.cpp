#include "live/frame.h"

#include <algorithm>
#include <bit>
#include <span>

#include "lab/results/json.h"

namespace atto {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are written as they stand in memory");

constexpr uint32_t kMagic = 0x31465441;  // "ATF1"

template <class Number>
void put(std::string& bytes, const Number* numbers, size_t count) {
  bytes.append(reinterpret_cast<const char*>(numbers), count * sizeof(Number));
}

void put(std::string& bytes, uint32_t number) { put(bytes, &number, 1); }

Json outcomes_json(const std::vector<std::pair<std::string, Outcome>>& found) {
  Json object = Json::object();
  for (const auto& [name, one] : found) object[name] = {{"value", number_json(one.value)}, {"censored", one.censored}};
  return object;
}

Json finals_json(const std::vector<std::pair<std::string, Outcome>>& finals) {
  Json object = Json::object();
  for (const auto& [address, one] : finals) object[address] = number_json(one.value);
  return object;
}

std::string compact(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string news_json(const Frame& frame) {
  // Most runs have moved and nothing else, many times a second: their few words are put together by hand.
  const auto word = [](bool flag) { return flag ? "true" : "false"; };
  std::string runs;
  for (const RunNews& one : frame.runs) {
    runs += runs.empty() ? "{\"run\":" : ",{\"run\":";
    runs += std::to_string(one.run) + ",\"step\":" + std::to_string(one.step);
    runs += std::string(",\"finished\":") + word(one.finished) + ",\"diverged\":" + word(one.diverged);
    if (one.findings) runs += ",\"findings\":" + compact(outcomes_json(*one.findings));
    if (one.finals) runs += ",\"finals\":" + compact(finals_json(*one.finals));
    runs += "}";
  }
  return "{\"runs\":[" + runs + "],\"ended\":" + word(frame.ended) + ",\"train_ms\":" + compact(frame.train_ms) +
         ",\"steps\":" + std::to_string(frame.steps) + "}";
}

using Blocks = std::span<const FrameBlock* const>;

bool is_same_series(const FrameBlock* a, const FrameBlock* b) { return a->run == b->run && a->series == b->series; }

// Calls `use` with the blocks of each series of each run that stand next to each other.
template <class Use>
void for_each_series(Blocks blocks, Use use) {
  for (size_t first = 0, last = 0; first < blocks.size(); first = last) {
    while (last < blocks.size() && is_same_series(blocks[first], blocks[last])) ++last;
    use(blocks.subspan(first, last - first));
  }
}

std::string encode(const Frame& frame, Blocks blocks) {
  const std::string news = news_json(frame);
  size_t size = 12 + news.size();
  uint32_t count = 0;
  for_each_series(blocks, [&](Blocks own) {
    ++count;
    size += 24;
    for (const FrameBlock* block : own) size += 8 * block->steps.size() + 4 * block->values.size();
  });
  std::string bytes;
  bytes.reserve(size);
  put(bytes, kMagic);
  put(bytes, count);
  for_each_series(blocks, [&](Blocks own) {
    size_t points = 0;
    for (const FrameBlock* block : own) points += block->steps.size();
    put(bytes, own[0]->run);
    put(bytes, own[0]->series);
    put(bytes, static_cast<uint32_t>(points));
    put(bytes, own[0]->width);
    for (const FrameBlock* block : own) put(bytes, block->steps.data(), block->steps.size());
    for (const FrameBlock* block : own) put(bytes, block->values.data(), block->values.size());
    bytes.resize((bytes.size() + 7) / 8 * 8);
  });
  put(bytes, static_cast<uint32_t>(news.size()));
  bytes += news;
  return bytes;
}

}  // namespace

std::string encode(const Frame& frame) {
  std::vector<const FrameBlock*> blocks;
  blocks.reserve(frame.blocks.size());
  for (const FrameBlock& block : frame.blocks) blocks.push_back(&block);
  return encode(frame, blocks);
}

std::string encode_joined(const Frame& news, std::vector<const FrameBlock*> blocks) {
  std::stable_sort(blocks.begin(), blocks.end(), [](const FrameBlock* a, const FrameBlock* b) {
    return a->run != b->run ? a->run < b->run : a->series < b->series;
  });
  return encode(news, blocks);
}

}  // namespace atto

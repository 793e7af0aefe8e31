#include "live/frame.h"

#include <bit>

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

std::string news_json(const Frame& frame) {
  Json runs = Json::array();
  for (const RunNews& one : frame.runs) {
    Json run{{"run", one.run}, {"step", one.step}, {"finished", one.finished}, {"diverged", one.diverged}};
    if (one.findings) run["findings"] = outcomes_json(*one.findings);
    if (one.finals) run["finals"] = finals_json(*one.finals);
    runs.push_back(std::move(run));
  }
  const Json news{
      {"runs", std::move(runs)}, {"ended", frame.ended}, {"train_ms", frame.train_ms}, {"steps", frame.steps}};
  return news.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string encode(const Frame& frame) {
  std::string bytes;
  put(bytes, kMagic);
  put(bytes, static_cast<uint32_t>(frame.blocks.size()));
  for (const FrameBlock& block : frame.blocks) {
    put(bytes, block.run);
    put(bytes, block.series);
    put(bytes, static_cast<uint32_t>(block.steps.size()));
    put(bytes, block.width);
    put(bytes, block.steps.data(), block.steps.size());
    put(bytes, block.values.data(), block.values.size());
    bytes.resize((bytes.size() + 7) / 8 * 8);
  }
  const std::string news = news_json(frame);
  put(bytes, static_cast<uint32_t>(news.size()));
  return bytes + news;
}

}  // namespace atto

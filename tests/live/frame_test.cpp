// The bytes of a frame are those that docs/live.md describes.
#include "live/frame.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/json_library.h"

namespace atto {
namespace {

template <class Number>
Number take(const std::string& bytes, size_t& at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  at += sizeof number;
  return number;
}

TEST(Frame, TravelsAsBytes) {
  Frame frame;
  frame.blocks.push_back({3, 1, 1, {10, 20, 30}, {1.5f, 2.5f, 3.5f}});
  frame.blocks.push_back({4, 0, 2, {40}, {7, 8}});
  RunNews& news = frame.runs.emplace_back();
  news.run = 3;
  news.step = 30;
  news.findings = {
      {"plateau.present", {1.0, false, false}}, {"plateau.end", {30.0, true, false}}, {"plateau.level", {}}};
  news.finals = {{"perplexity", {1.25, false, false}}};
  frame.steps = 70;
  const std::string bytes = encode(frame);
  EXPECT_EQ(bytes.substr(0, 4), "ATF1");
  size_t at = 4;
  ASSERT_EQ(take<uint32_t>(bytes, at), 2u);
  for (const FrameBlock& block : frame.blocks) {
    EXPECT_EQ(at % 8, 0u) << "so that a page can look at the numbers in place";
    EXPECT_EQ(take<uint32_t>(bytes, at), block.run);
    EXPECT_EQ(take<uint32_t>(bytes, at), block.series);
    EXPECT_EQ(take<uint32_t>(bytes, at), block.steps.size());
    EXPECT_EQ(take<uint32_t>(bytes, at), block.width);
    for (const double step : block.steps) EXPECT_EQ(take<double>(bytes, at), step);
    for (const float value : block.values) EXPECT_EQ(take<float>(bytes, at), value);
    at = (at + 7) / 8 * 8;
  }
  const uint32_t length = take<uint32_t>(bytes, at);
  ASSERT_EQ(bytes.size(), at + length);
  const auto told = nlohmann::json::parse(bytes.substr(at));
  EXPECT_EQ(told, nlohmann::json::parse(R"({"runs": [{"run": 3, "step": 30, "finished": false, "diverged": false,
    "findings": {"plateau.present": {"value": 1.0, "censored": false}, "plateau.end": {"value": 30.0, "censored": true},
                 "plateau.level": {"value": null, "censored": false}},
    "finals": {"perplexity": 1.25}}], "ended": false, "train_ms": 0.0, "steps": 70})"));
}

TEST(Frame, MayBeEmpty) {
  Frame frame;
  frame.ended = true;
  const std::string bytes = encode(frame);
  size_t at = 4;
  EXPECT_EQ(take<uint32_t>(bytes, at), 0u);
  const uint32_t length = take<uint32_t>(bytes, at);
  EXPECT_EQ(nlohmann::json::parse(bytes.substr(at, length))["ended"], true);
}

}  // namespace
}  // namespace atto

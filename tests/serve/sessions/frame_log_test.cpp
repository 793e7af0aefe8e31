// Frames for clients that come at different times and read at different speeds.
#include "serve/sessions/frame_log.h"

#include <gtest/gtest.h>

#include "serve/sessions/base64.h"

namespace atto::frame_log_test {
namespace {

// One point of one series of one run, at a step.
Frame point(uint32_t run, double step, uint32_t width = 1) {
  Frame frame;
  frame.blocks.push_back({run, 0, width, {step}, std::vector<float>(width, static_cast<float>(step))});
  RunNews news;
  news.run = run;
  news.step = static_cast<int64_t>(step);
  frame.runs.push_back(news);
  frame.steps = 1;
  frame.train_ms = 2;
  return frame;
}

std::string event_of(const Frame& frame, size_t id) {
  return "id: " + std::to_string(id) + "\ndata: " + base64(encode(frame)) + "\n\n";
}

TEST(Base64, IsThatOfTheStandard) {
  for (const auto& [bytes, text] : std::vector<std::pair<std::string, std::string>>{{"", ""},
                                                                                    {"f", "Zg=="},
                                                                                    {"fo", "Zm8="},
                                                                                    {"foo", "Zm9v"},
                                                                                    {"foob", "Zm9vYg=="},
                                                                                    {"foobar", "Zm9vYmFy"},
                                                                                    {"\xff\xfe\xfd", "//79"}})
    EXPECT_EQ(base64(bytes), text);
}

TEST(FrameLog, TellsEachClientWhatIsNewForIt) {
  FrameLog log;
  EXPECT_EQ(log.since(0).event, nullptr);
  log.append(point(0, 1));
  const FrameLog::News first = log.since(0);
  EXPECT_EQ(*first.event, event_of(point(0, 1), 1));
  EXPECT_EQ(first.place, 1U);
  EXPECT_EQ(log.since(1).event, nullptr);
  EXPECT_EQ(log.since(99).event, nullptr) << "a place that another server gave";
  log.append(point(1, 1));
  EXPECT_EQ(*log.since(1).event, event_of(point(1, 1), 2));
  EXPECT_EQ(*log.since(0).event,
            event_of(FrameLog::merge({std::make_shared<Frame>(point(0, 1)), std::make_shared<Frame>(point(1, 1))}), 2));
}

TEST(FrameLog, ClientsThatKeepUpShareTheBytes) {
  FrameLog log;
  log.append(point(0, 1));
  EXPECT_EQ(log.since(0).event.get(), log.since(0).event.get());
}

TEST(FrameLog, ClientsStayTogetherWhateverComesBetweenThem) {
  FrameLog log;
  log.append(point(0, 1));
  const FrameLog::News first = log.since(0);
  log.append(point(0, 2));  // before the second client is told
  const FrameLog::News second = log.since(0);
  EXPECT_EQ(second.event.get(), first.event.get()) << "made once";
  EXPECT_EQ(second.place, 1U);
  EXPECT_FALSE(second.cut);
  EXPECT_EQ(*log.since(second.place).event, event_of(point(0, 2), 2)) << "and nothing is lost";
}

TEST(FrameLog, JoinsWhatIsSaidOfASeriesInsideAnEvent) {
  FrameLog log;
  Frame both = point(1, 1);
  both.blocks.push_back({0, 2, 2, {5}, {50, 51}});
  log.append(both);
  log.append(point(1, 2));
  Frame expected = FrameLog::merge({std::make_shared<Frame>(both), std::make_shared<Frame>(point(1, 2))});
  ASSERT_EQ(expected.blocks.size(), 2U);
  std::swap(expected.blocks[0], expected.blocks[1]);  // by run, then by series
  EXPECT_EQ(*log.since(0).event, event_of(expected, 2));
}

TEST(FrameLog, MergesWhatIsSaidOfARun) {
  Frame first = point(3, 10), second = point(3, 20);
  first.runs[0].findings.emplace().emplace_back("plateau.present", Outcome{});
  second.runs[0].finished = true;
  second.ended = true;
  const Frame merged = FrameLog::merge({std::make_shared<Frame>(first), std::make_shared<Frame>(second)});
  ASSERT_EQ(merged.runs.size(), 1U);
  EXPECT_EQ(merged.runs[0].step, 20);
  EXPECT_TRUE(merged.runs[0].finished);
  ASSERT_TRUE(merged.runs[0].findings) << "said once, and not taken back";
  EXPECT_EQ(merged.runs[0].findings->at(0).first, "plateau.present");
  ASSERT_EQ(merged.blocks.size(), 1U) << "of one series of one run";
  EXPECT_EQ(merged.blocks[0].steps, (std::vector<double>{10, 20}));
  EXPECT_EQ(merged.blocks[0].values.size(), 2U);
  EXPECT_TRUE(merged.ended);
  EXPECT_EQ(merged.steps, 2);
  EXPECT_EQ(merged.train_ms, 4);
}

TEST(FrameLog, CutsWhatIsLongIntoSeveralEvents) {
  FrameLog log({.event_bytes = 100, .behind_bytes = 10'000});
  for (int i = 1; i <= 10; ++i) log.append(point(0, i));  // 28 bytes each
  std::vector<size_t> places;
  for (size_t place = 0; place < log.end();) {
    const FrameLog::News news = log.since(place);
    ASSERT_NE(news.event, nullptr);
    EXPECT_EQ(news.cut, news.place < log.end());
    places.push_back(place = news.place);
  }
  EXPECT_EQ(places, (std::vector<size_t>{3, 6, 9, 10}));
  FrameLog large({.event_bytes = 10, .behind_bytes = 10'000});
  large.append(point(0, 1));
  EXPECT_EQ(large.since(0).place, 1U) << "a frame that is larger goes by itself";
}

TEST(FrameLog, LeavesOutPointsOnlyForWhoIsFarBehindAndNeverTheLast) {
  FrameLog log({.event_bytes = 100, .behind_bytes = 200});
  log.append(point(7, 1));
  for (int i = 1; i <= 10; ++i) log.append(point(0, i));
  const FrameLog::News news = log.since(0);
  EXPECT_EQ(news.place, 11U);
  Frame expected = FrameLog::merge({std::make_shared<Frame>(point(7, 1))});
  for (int i = 8; i <= 10; ++i) expected.blocks.push_back(point(0, i).blocks[0]);
  expected.runs.push_back(point(0, 10).runs[0]);
  expected.steps = 11;
  expected.train_ms = 22;
  EXPECT_EQ(*news.event, event_of(expected, 11));
}

TEST(NewestBlocks, KeepsOfALargeBlockTheLastPoint) {
  FrameBlock block{2, 1, 2, {10, 20, 30}, {1, 2, 3, 4, 5, 6}};
  const std::vector<FrameBlock> kept = newest_blocks({block}, 10);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].steps, (std::vector<double>{30}));
  EXPECT_EQ(kept[0].values, (std::vector<float>{5, 6}));
}

}  // namespace
}  // namespace atto::frame_log_test
